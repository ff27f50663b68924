import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { JobInput } from "../../src/contract/job.ts";
import { makeCertificate } from "../helpers/certificates.ts";
import { gate } from "../helpers/gate.ts";
import { lookOver } from "./helpers/look-over.ts";
import { type PawlInBrowser, startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

let it: PawlInBrowser;
let door: Awaited<ReturnType<typeof gate>>;

before(async () => {
  it = await startPawlInBrowser();
  door = await gate();
});
after(async () => {
  await it?.close();
  await door?.[Symbol.asyncDispose]();
});

const heading = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const dialog = (page: Page) => page.getByRole("dialog");

async function make(name: string, steps: JobInput["steps"]): Promise<string> {
  return (await it.pawl.client.createJob({ body: { name, steps } })).data.id;
}

async function start(jobId: string): Promise<string> {
  return (await it.pawl.client.startJob({ body: { jobId } })).data.executionId;
}

const statusOf = async (id: string) => (await it.pawl.client.getExecution({ params: { id } })).data.status;

describe("the search box", () => {
  /** Opened while it still fades, it would hold the text of before. */
  async function openBox(page: Page): Promise<void> {
    await dialog(page).waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await dialog(page).waitFor();
  }
  const ids: Record<string, string> = {};

  before(async () => {
    const { client } = it.pawl;
    const text = (name: string) => ({ name, description: "Of the books" });
    ids.job = await make("ledger-close", [{ key: "a", type: "log", input: { message: "done" } }]);
    const { data: connection } = await client.upsertConnection({
      body: {
        name: "ledger-db",
        connectionType: "rest-api",
        variables: { baseUrl: "https://ledger.example.com" },
      },
    });
    const { data: server } = await client.registerMcpServer({
      body: { name: "ledger-tools", url: "http://127.0.0.1:9/mcp" },
    });
    const { data: variable } = await client.upsertVariable({
      body: { name: "LEDGER_PIN", value: "4711", secret: true },
    });
    const { data: dataset } = await client.uploadDataset({
      query: { name: "ledger-rows" },
      bytes: { type: "text/csv", content: "a\n1\n" },
    });
    const { data: file } = await client.uploadFile({
      query: { name: "ledger.txt" },
      bytes: { type: "text/plain", content: "x" },
    });
    const { data: certificate } = await client.upsertCertificate({
      body: { ...text("ledger-cert"), certificate: makeCertificate({ subject: "ledger" }).certificate },
    });
    const { data: template } = await client.upsertApiTemplate({
      body: { ...text("ledger-entry"), method: "GET", path: "/entries" },
    });
    for (const { id, name } of [connection, server, variable, dataset, file, certificate, template])
      ids[name] = id;
  });

  test("finds what jobs use beside the jobs, by name and by id, and has it among what was looked at lately", async () => {
    const page = await it.open("/ui/");
    await heading(page, "Home");
    await openBox(page);
    const box = page.getByRole("textbox", { name: "Search", exact: true });
    await box.fill("ledger");
    for (const name of Object.keys(ids).filter((key) => key !== "job")) {
      await dialog(page)
        .getByRole("button", { name: new RegExp(`^${name}`) })
        .waitFor();
    }
    await lookOver(page, "the search box with all that it finds");
    // The job is the best hit, what jobs use comes below it.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await heading(page, "ledger-db");

    for (const [name, id] of Object.entries(ids)) {
      await openBox(page);
      await box.fill(id);
      await dialog(page)
        .getByRole("button", { name: new RegExp(`^${name === "job" ? "ledger-close" : name}`) })
        .waitFor();
      await page.keyboard.press("Enter");
      await heading(page, name === "job" ? "ledger-close" : name);
    }
    await openBox(page);
    const looked = dialog(page).getByRole("group", { name: "Looked at lately" });
    await looked.waitFor();
    const lately = await looked.getByRole("button").allInnerTexts();
    assert.deepEqual(
      lately.toSorted(),
      [...Object.keys(ids).filter((key) => key !== "job"), "ledger-close"].toSorted(),
    );
    await page.keyboard.press("Enter");
    await heading(page, "ledger-entry");
    assert.deepEqual(page.troubles, []);
  });

  test("shows the jobs while the rest is on its way, and of that only what one may read", async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const page = await it.open("/ui/");
    await heading(page, "Home");
    await page.route("**/connection/search", async (route) => {
      await held;
      await route.continue();
    });
    await openBox(page);
    await page.getByRole("textbox", { name: "Search", exact: true }).fill("ledger");
    await dialog(page)
      .getByRole("button", { name: /^ledger-close/ })
      .waitFor();
    const used = dialog(page).getByRole("group", { name: "What jobs use" });
    assert.equal(await used.count(), 0);
    letGo();
    await used.getByRole("button", { name: /^ledger-db/ }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "ledger-close");

    const { token } = await it.pawl.principal(["ConfigService:File:read"]);
    const other = await it.open("/ui/", { token });
    await heading(other, "Home");
    await openBox(other);
    await other.getByRole("textbox", { name: "Search", exact: true }).fill("ledger");
    await dialog(other)
      .getByRole("button", { name: /^ledger.txt/ })
      .waitFor();
    assert.deepEqual(
      (await dialog(other).getByRole("button").allInnerTexts()).map((text) => text.split("\n")[0]),
      ["ledger.txt"],
    );
    assert.deepEqual(other.troubles, []);
  });
});

// Before those that make hundreds: beside them a failure is a line too thin for a mouse.
describe("the chart of home", () => {
  test("leads to the executions of a time and an outcome, by mouse and by keyboard", async () => {
    const bad = await make("outcome-bad", [
      { key: "a", type: "script", input: { source: "throw new Error('as planned')" } },
    ]);
    const good = await make("outcome-good", [{ key: "a", type: "set", input: { values: { a: 1 } } }]);
    for (const id of [await start(bad), await start(good)]) await it.pawl.ended(id);
    const page = await it.open("/ui/");
    await page.locator(".recharts-bar").nth(1).locator("path").last().click();
    await heading(page, "Executions");
    await page.getByRole("link", { name: "outcome-bad" }).first().waitFor();
    assert.equal(await page.getByRole("link", { name: "outcome-good" }).count(), 0);
    assert.match(decodeURIComponent(page.url()), /"status","in",\["FAILED"\].*"startTime","between"/);

    await page.goto("/ui/");
    await page.locator("svg.recharts-surface[tabindex]").focus();
    // To the last stretch, which is the one under way.
    for (let i = 0; i < 24; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await heading(page, "Executions");
    await page.getByRole("link", { name: "outcome-bad" }).first().waitFor();
    await page.getByRole("link", { name: "outcome-good" }).first().waitFor();
    assert.deepEqual(page.troubles, []);
  });
});

describe("executions that are chosen in the list", () => {
  const ids: string[] = [];
  const boxes = (page: Page) => page.getByRole("checkbox", { name: /^Choose chosen/ });
  const bar = (page: Page) => page.getByRole("region", { name: "Chosen executions" });
  let job: string;

  before(async () => {
    job = await make("chosen", [{ key: "hold", type: "http", input: { method: "GET", url: door.url } }]);
    for (let i = 0; i < 5; i++) ids.unshift(await start(job));
    await Promise.all(ids.map(() => door.asked()));
  });

  const path = `/ui/executions?f=${encodeURIComponent(JSON.stringify([["jobName", "equals", "chosen"]]))}`;

  test("are stopped and restarted, those and no others, and each says what became of it", async () => {
    const page = await it.open(path);
    await boxes(page).nth(4).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await boxes(page).nth(0).check();
    // The list moves between two clicks: what was meant is chosen all the same.
    ids.unshift(await start(job));
    await door.asked();
    await boxes(page).nth(5).waitFor();
    await boxes(page)
      .nth(3)
      .click({ modifiers: ["Shift"] });
    await bar(page).getByText("3 chosen").waitFor();
    await boxes(page).nth(2).uncheck();
    await bar(page).getByText("2 chosen").waitFor();
    await lookOver(page, "executions that are chosen");

    await bar(page).getByRole("button", { name: "Resume …" }).click();
    await dialog(page).getByText("None of the 2 chosen is paused by hand").waitFor();
    await dialog(page).getByRole("button", { name: "Close" }).last().click();
    await bar(page).getByRole("button", { name: "Stop …" }).click();
    await dialog(page).getByText("2 executions are running or paused among the 2 chosen.").waitFor();
    assert.equal(await statusOf(ids[1]!), "RUNNING", "nothing is done yet");
    await dialog(page).getByLabel("Reason").fill("Not these");
    await dialog(page).getByRole("button", { name: "Stop 2 executions" }).click();
    await dialog(page).getByText("2 executions stopped.").waitFor();
    const outcomes = dialog(page).getByRole("list", { name: "Outcomes" }).getByRole("listitem");
    assert.equal(await outcomes.count(), 2);
    await lookOver(page, "what became of those chosen");
    await dialog(page).getByRole("button", { name: "Close" }).last().click();
    const stopped = [ids[1]!, ids[3]!];
    for (const id of stopped) assert.equal((await it.pawl.ended(id)).actions[0]!.reason, "Not these");
    for (const id of ids.filter((one) => !stopped.includes(one))) assert.equal(await statusOf(id), "RUNNING");

    await bar(page).getByRole("button", { name: "Choose none" }).click();
    await bar(page).waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "Choose all that the list shows" }).click();
    await bar(page).getByText("6 chosen").waitFor();
    await bar(page).getByRole("button", { name: "Restart …" }).click();
    await dialog(page).getByText("2 executions are failed or stopped among the 6 chosen.").waitFor();
    await dialog(page).getByRole("button", { name: "Restart 2 executions" }).click();
    await dialog(page)
      .getByText("2 executions restarted. 4 of those chosen were not failed or stopped.")
      .waitFor();
    await dialog(page).getByRole("button", { name: "Close" }).last().click();
    await Promise.all(stopped.map(() => door.asked()));
    // Another filter shows another list: nothing of it is chosen.
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await bar(page).waitFor({ state: "detached" });
    assert.deepEqual(page.troubles, []);
  });

  test("are 500 at a time at most, and that is told", async () => {
    const many = await make("many", [{ key: "a", type: "set", input: { values: {} } }]);
    await Promise.all(Array.from({ length: 510 }, () => start(many)));
    const page = await it.open(path.replace("chosen", "many"));
    await page
      .getByRole("checkbox", { name: /^Choose many/ })
      .first()
      .waitFor();
    await page.getByRole("checkbox", { name: "Choose all that the list shows" }).click();
    await bar(page).getByText("500 chosen (500 at a time at most)").waitFor();
    await bar(page).getByRole("button", { name: "Resume …" }).click();
    await dialog(page).getByText("None of the 500 chosen is paused by hand").waitFor();
    assert.deepEqual(page.troubles, []);
  });

  test("can't be chosen by those who may only look", async () => {
    const { token } = await it.pawl.principal(["JobService:JobExecution:read"]);
    const page = await it.open(path, { token });
    await page.getByRole("row").nth(5).waitFor();
    assert.equal(await page.getByRole("checkbox").count(), 0);
  });
});

describe("the log of a step", () => {
  test("is told a try at a time, in the address too; only the last one is followed", async () => {
    const id = await start(
      await make("stubborn", [
        {
          key: "knock",
          type: "http",
          retry: { maxAttempts: 3, initialDelayMs: 1 },
          input: { method: "GET", url: door.url },
        },
      ]),
    );
    (await door.asked()).writeHead(503).end();
    (await door.asked()).writeHead(503).end();
    const third = await door.asked();
    const page = await it.open(`/ui/executions/${id}?step=knock&view=log`);
    const panel = page.getByRole("region", { name: "Step knock" });
    const follow = panel.getByRole("switch", { name: "Follow" });
    await panel.getByText("3 lines").waitFor();
    await follow.waitFor();
    await panel.getByLabel("Try").selectOption({ label: "Try 2" });
    await panel.getByText("2 lines").waitFor();
    await panel.getByText("Try 2 of 3 begins.").waitFor();
    assert.equal(await follow.count(), 0, "that try is over");
    assert.match(page.url(), /try=2/);
    await lookOver(page, "the log of one try");
    await page.reload();
    await panel.getByText("2 lines").waitFor();
    await panel.getByLabel("Try").selectOption({ label: "Try 3, the last" });
    await panel.getByText("Nothing is logged yet.").waitFor();
    third.writeHead(200).end();
    await panel.getByText("Try 3 of 3 begins.").waitFor();
    assert.deepEqual(page.troubles, []);
  });
});

describe("a dataset", () => {
  test("gets rows by a form made from its columns, with the server's faults at their fields", async () => {
    const { data } = await it.pawl.client.uploadDataset({
      query: { name: "stock", column: ["sold:boolean", "at:timestamp"] },
      bytes: {
        type: "application/json",
        content: JSON.stringify([
          { sku: "A", "price/net": 1.5, count: 3, day: "2026-01-31", sold: true, at: "2026-01-31T09:30:00Z" },
        ]),
      },
    });
    const page = await it.open(`/ui/datasets/${data.id}`);
    await page.getByText("1 row", { exact: true }).waitFor();
    await click(page, "Add rows");
    const form = dialog(page);
    await form.getByLabel(/^sku/).fill("=B\n2");
    await form.getByLabel(/^price\/net/).fill("cheap");
    await form.getByLabel(/^count/).fill("9007199254740991");
    await form.getByLabel(/^day/).fill("2026-02-28");
    await form.getByLabel(/^sold/).selectOption("false");
    await form.getByRole("button", { name: "Add the row" }).click();
    await form.getByText(/has "cheap", which is not a number/).waitFor();
    await lookOver(page, "a row with a fault");
    await form.getByLabel(/^price\/net/).fill("0.10");
    await form.getByRole("button", { name: "Add, and another" }).click();
    await page.getByText("Row 2 is added.").waitFor();
    assert.equal(await form.getByLabel(/^sku/).inputValue(), "");
    await form.getByLabel(/^at/).fill("2026-02-28T10:00");
    await form.getByRole("button", { name: "Add the row" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByText("3 rows", { exact: true }).waitFor();
    const { data: rows } = await it.pawl.client.searchDatasetRows({ params: { id: data.id }, body: {} });
    const at = new Date("2026-02-28T10:00").toISOString();
    const none = { sku: null, "price/net": null, count: null, day: null, sold: null, at: null };
    assert.deepEqual(rows.slice(1), [
      { ...none, sku: "=B\n2", "price/net": 0.1, count: 9007199254740991, day: "2026-02-28", sold: false },
      { ...none, at },
    ]);
    assert.deepEqual(page.troubles, []);
  });
});

describe("an MCP server that jobs use", () => {
  test("says which they are, and is deleted once that was read", async () => {
    const { data } = await it.pawl.client.registerMcpServer({
      body: { name: "used-tools", url: "http://127.0.0.1:9/mcp" },
    });
    await make("caller", [
      { key: "call", type: "mcp-tool", input: { serverId: data.id, tool: "look", arguments: {} } },
    ]);
    const page = await it.open(`/ui/mcp-servers/${data.id}/settings`);
    await page.getByRole("link", { name: "caller" }).waitFor();
    await lookOver(page, "an MCP server that a job uses");
    await click(page, "Delete");
    await dialog(page).getByText("1 job refers to it (“caller”): their steps fail from then on").waitFor();
    await dialog(page).getByRole("button", { name: "Delete the server" }).click();
    await page.getByText("used-tools is deleted.").waitFor();
    await heading(page, "MCP");
    assert.deepEqual(page.troubles, []);
  });
});
