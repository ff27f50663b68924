import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { listening } from "../mcp/hostile.ts";
import { everything, type Peer } from "../mcp/peers.ts";
import { go } from "./helpers/go.ts";
import { lookOver, phone } from "./helpers/look-over.ts";
import { type PawlInBrowser, startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

let it: PawlInBrowser;
let real: Peer;
let changing: Peer;
/** What the changing server offers, and what its list waits for. */
let tools: object[] = [];
let list = Promise.resolve();

before(async () => {
  real = await everything();
  changing = await listening(
    createServer(async (request, response) => {
      const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      if (method === "tools/list") await list;
      const serverInfo = { name: "changing", version: "1" };
      const result =
        method === "initialize"
          ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo }
          : { tools };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    }),
  );
  it = await startPawlInBrowser();
});
afterEach((test) => it?.leavePages(test));
after(async () => {
  await it?.close();
  await Promise.all([real, changing].map((peer) => peer?.[Symbol.asyncDispose]()));
});

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const tab = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name }).click();
const steps = (page: Page) => page.getByRole("list", { name: "Steps of the discovery" });

describe("MCP servers", () => {
  test("are registered, and discovered step by step: a real one with its tools and their schemas", async () => {
    const page = await it.open("/ui/mcp-servers");
    await page.getByText("No MCP servers yet").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Register a server" }).first().click();
    await field(page, "Name").fill("everything");
    await field(page, "URL").fill("not a url");
    await click(page, "Register");
    await page.getByText("Must be an absolute http or https URL").waitFor();
    await field(page, "URL").fill(real.url);
    await lookOver(page, "a new MCP server");
    await click(page, "Register");
    await heading(page, "everything");
    await page.getByText("No tools are known yet").waitFor();
    await click(page, "Discover");
    await page.getByText("The server is online").waitFor();
    for (const step of ["Initialize", "List the tools", "Close the session"]) {
      await steps(page).getByText(step, { exact: true }).waitFor();
    }
    await heading(page, "13 tools");
    await page.getByLabel("Search the tools").fill("sum");
    await page.getByRole("button", { name: /get-sum/ }).click();
    await page.getByText("First number").first().waitFor();
    await lookOver(page, "an MCP server with its tools");
    await go(page, "MCP");
    await page.getByRole("row", { name: /everything.*Online.*13/ }).waitFor();
    await lookOver(page, "MCP servers");
    assert.deepEqual(page.troubles, []);
  });

  test("show each step as it ends, what changed, and why a discovery failed", async () => {
    const tool = (name: string, description: string) => ({
      name,
      description,
      inputSchema: { type: "object" },
    });
    tools = [tool("read", "Reads"), tool("write", "Writes"), tool("old", "Goes")];
    const { data } = await it.pawl.client.registerMcpServer({
      body: {
        name: "changing",
        url: changing.url,
        authType: "BEARER",
        authConfig: { token: "of-the-server" },
      },
    });
    await it.pawl.client.discoverMcpServer({ params: { id: data.id } });
    tools = [
      tool("read", "Reads"),
      tool("write", "Writes, and ignores what it was told"),
      tool("new", "Comes"),
    ];
    const { promise, resolve } = Promise.withResolvers<void>();
    list = promise;
    const page = await it.open(`/ui/mcp-servers/${data.id}`);
    await click(page, "Discover");
    // The list is not answered yet: what was before it shows already.
    await steps(page).getByText("changing 1 speaks 2025-06-18.").waitFor();
    await steps(page).getByRole("img", { name: "Under way" }).waitFor();
    assert.equal(await page.getByText("The server is online").count(), 0);
    resolve();
    await page.getByText("The server is online").waitFor();
    const outcome = page.getByRole("status").filter({ hasText: "The server is online" });
    assert.match((await outcome.textContent())!, /New new.*Changed write.*Gone old/);
    await page.getByRole("button", { name: /write.*Changed/ }).waitFor();

    // Another origin: the credential must be entered again, and nothing answers there.
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("group", { name: "Token" }).getByText("Set").waitFor();
    await lookOver(page, "settings of an MCP server");
    await field(page, "URL").fill("http://127.0.0.1:9/mcp");
    await page.getByText("Enter it again: where it goes has changed.").waitFor();
    await page.getByLabel(/^Token/).fill("another");
    await click(page, "Save");
    await page.getByText("Discover it anew.").waitFor();
    await page.getByRole("link", { name: "Tools" }).click();
    await click(page, "Discover");
    await page.getByText("The server is offline").waitFor();
    await steps(page).getByText("CONNECTION_REFUSED").waitFor();
    await heading(page, "3 tools");
    assert.deepEqual(page.troubles, []);
  });
});

describe("the bridge", () => {
  test("shows its health, and what to put into an assistant's configuration", async () => {
    const page = await it.open("/ui/mcp-servers/bridge");
    await page.getByText("Assistants can run and monitor jobs.").waitFor();
    await page.getByText(`"PAWL_URL": "${it.pawl.url}"`).waitFor();
    await page.getByRole("radiogroup", { name: "Assistant" }).getByText("Claude Code").click();
    await page.getByText(`claude mcp add --transport http pawl ${it.pawl.url}/mcp`).waitFor();
    await lookOver(page, "the bridge");
    await page.setViewportSize(phone);
    await page.getByRole("combobox", { name: "Assistant" }).selectOption("VS Code");
    await page.getByText("promptString").waitFor();
  });
});

describe("administration", () => {
  test("makes tokens that are shown once and work, for the API and for assistants, and revokes them", async () => {
    const page = await it.open("/ui/admin");
    await heading(page, "Tokens");
    await click(page, "New token");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("laptop");
    await lookOver(page, "a new token");
    await dialog.getByRole("button", { name: "Make the token" }).click();
    await dialog.getByText("Copy it now").waitFor();
    const token = (await dialog.getByLabel("Token", { exact: true }).textContent())!;
    const me = await it.pawl.as(token).whoAmI();
    assert.equal(me.data.name, "admin");
    await lookOver(page, "a token, shown once");
    await page.keyboard.press("Escape");
    await dialog.getByText("Copy it now").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.ok(!(await page.content()).includes(token));

    await click(page, "New token");
    await dialog.getByRole("textbox", { name: "Name" }).fill("assistant");
    await dialog.getByRole("radio", { name: /An assistant/ }).check();
    await dialog.getByRole("checkbox", { name: /Start jobs/ }).uncheck();
    await dialog.getByRole("button", { name: "Make the token" }).click();
    const forMcp = (await dialog.getByLabel("Token", { exact: true }).textContent())!;
    assert.match(forMcp, /^pawl_mcp_/);
    await dialog.getByText(`"PAWL_TOKEN": "${forMcp}"`).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row", { name: /assistant.*MCP · read/ }).waitFor();
    await click(page, "Revoke laptop");
    await click(page, "Revoke it");
    await page.getByRole("row", { name: /laptop.*Revoked/ }).waitFor();
    await assert.rejects(it.pawl.as(token).whoAmI());
    await lookOver(page, "tokens");
    assert.deepEqual(page.troubles, []);
  });

  test("grants what one holds, and shows who did what", async () => {
    const page = await it.open("/ui/admin/principals/new");
    await field(page, "Name").fill("ada");
    await page.getByRole("checkbox", { name: "JobService:Job:execute" }).check();
    await page.getByRole("switch", { name: /^Every job/ }).uncheck();
    await page.getByRole("combobox", { name: "Jobs with one of these tags" }).fill("finance");
    await page.keyboard.press("Enter");
    await lookOver(page, "a new principal");
    await click(page, "Make the principal");
    await heading(page, "ada");
    const { data } = await it.pawl.client.listPrincipals({});
    const ada = data.find(({ name }) => name === "ada")!;
    assert.deepEqual(ada.authorities, ["JobService:*:read", "JobService:Job:execute"]);
    assert.deepEqual(ada.jobs, { tags: ["finance"] });
    await go(page, "Administration");
    await tab(page, "Principals");
    await page.getByRole("row", { name: /ada.*limited/ }).waitFor();
    await lookOver(page, "principals");

    await tab(page, "Audit");
    await page.getByLabel("Search by record, action or who").fill("ada");
    await page.waitForURL(/q=ada/);
    const row = page.getByRole("row", { name: /Create principal.*ada.*admin/ });
    await row.waitFor();
    await row.getByRole("button", { name: "Create principal" }).click();
    await page.getByRole("dialog").getByText("createPrincipal").waitFor();
    await lookOver(page, "a line of the audit record");
    await page.keyboard.press("Escape");
    await click(page, "Verify");
    await page.getByText(/Yes: all \d+ lines are/).waitFor();
    await lookOver(page, "the audit record, verified");
    assert.deepEqual(page.troubles, []);
  });

  test("offers none of it to those who may not, and a way to those who may a part", async () => {
    const nobody = await it.pawl.principal(["JobService:Job:read"]);
    const page = await it.open("/ui/admin", { token: nobody.token });
    await page.getByText("Nothing for you here").waitFor();
    assert.equal(await page.getByRole("link", { name: "Administration" }).count(), 0);
    const auditor = await it.pawl.principal(["AdminService:Audit:read"]);
    const other = await it.open("/ui/", { token: auditor.token });
    await other.getByRole("link", { name: "Administration" }).click();
    await heading(other, "Audit");
    const tabs = other.getByRole("navigation", { name: "Administration" });
    assert.deepEqual(await tabs.getByRole("link").allInnerTexts(), ["Audit"]);
  });

  test("rotates the vault's key, and drains the engine", async () => {
    const page = await it.open("/ui/admin/system");
    await page.getByText("Takes work").waitFor();
    await lookOver(page, "the system");
    await click(page, "Rotate the key …");
    await page.getByRole("dialog").getByText("sealed anew").waitFor();
    await click(page, "Rotate it");
    await page.getByText(/Last rotated/).waitFor();
    await page.getByText("Opens only").waitFor();
    await click(page, "Drain …");
    await lookOver(page, "a drain to confirm");
    await click(page, "Drain it");
    await page.getByText("Drained: no step is under way and none begins.").first().waitFor();
    assert.equal((await it.pawl.client.readEngine()).data.state, "draining");
    await lookOver(page, "a drained system");
  });
});
