import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { phone } from "./helpers/look-over.ts";
import { type PawlInBrowser, startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

const script = `"><img src=x onerror="window.taken=1"><script>window.taken=2</script><svg onload=window.taken=3>`;
const link = "javascript:window.taken=4";
// Turns round what follows it, up to the end of the line.
const turned = "invoice\u202egpj.exe";
const long = "aW8 ".repeat(50).trim();
const endless = "x".repeat(10_000);

let it: PawlInBrowser;
const places: [name: string, path: string][] = [];

before(async () => {
  it = await startPawlInBrowser();
  const { client } = it.pawl;
  const collection = await client.createCollection({
    body: { name: `${script} c`, description: endless.slice(0, 4000) },
  });
  const nested = JSON.stringify({ [script]: [link, turned, { __html: script, $ref: link }] });
  const body = {
    name: script,
    description: `${turned} ${endless}`.slice(0, 4000),
    category: turned,
    tags: [script.slice(0, 100), link, "y".repeat(100)],
    collectionId: collection.data.id,
    parameters: {
      type: "object",
      title: script,
      properties: {
        [script]: { type: "string", title: script, description: script, default: link, enum: [link, script] },
        [turned]: {
          type: "object",
          title: turned,
          properties: { [long]: { type: "string", description: endless } },
        },
        list: { type: "array", title: script, items: { type: "string", title: script }, default: [script] },
      },
    },
    steps: [
      {
        key: "one",
        name: script,
        description: endless.slice(0, 4000),
        type: "script",
        input: {
          source: `console.log(${JSON.stringify(script)}); console.log("\\u001b[31m${endless.slice(0, 500)}"); return ${nested};`,
        },
      },
      {
        key: "two",
        name: turned,
        type: "approval",
        input: {
          message: `${script}\n[here](${link}) ${endless.slice(0, 3000)}`,
          form: {
            type: "object",
            title: script,
            properties: {
              [script]: { type: "string", title: script, description: link, enum: [script, link] },
            },
          },
        },
      },
      {
        key: "three",
        name: "y".repeat(200),
        type: "script",
        input: { source: `throw new Error(${JSON.stringify(script + endless.slice(0, 2000))})` },
      },
    ],
  };
  const job = (await client.createJob({ body })).data.id;
  const others = await client.createJob({ body: { ...body, name: "x".repeat(200), collectionId: null } });
  const start = async () => {
    const parameters = { [script]: script, [turned]: { [long]: endless } };
    const source = { triggeredBy: "api", triggerSource: script.slice(0, 60) };
    return (await client.startJob({ body: { jobId: job, parameters, ...source } })).data.executionId;
  };
  const waiting = await start();
  const failed = await start();
  for (const id of [waiting, failed]) await it.pawl.readUntil(id, ({ waitingFor }) => waitingFor !== null);
  await client.answerExecution({
    body: { jobExecutionId: failed, approve: true, comment: script, answers: { [script]: link } },
  });
  await it.pawl.ended(failed);
  const connection = await client.upsertConnection({
    body: {
      name: script.slice(0, 200),
      connectionType: "rest-api",
      description: `${turned} ${endless}`.slice(0, 4000),
      variables: { baseUrl: "https://example.com", token: script, "x-note": link },
    },
  });
  const variable = await client.upsertVariable({
    body: { name: "hostile", description: script, value: { [script]: [link] } },
  });
  const server = await client.registerMcpServer({
    body: {
      name: `${script} s`.slice(0, 100),
      url: "https://example.com/mcp",
      description: script,
      tags: [link],
    },
  });
  await client.createPrincipal({ body: { name: script.slice(0, 100), authorities: [] } });
  places.push(
    ["home", "/ui/"],
    ["jobs", "/ui/jobs"],
    ["a job", `/ui/jobs/${job}`],
    ["a job of one long word", `/ui/jobs/${others.data.id}`],
    ["start", `/ui/jobs/${job}/start`],
    ["executions of a job", `/ui/jobs/${job}/runs`],
    ["versions", `/ui/jobs/${job}/versions`],
    ["editor", `/ui/jobs/${job}/edit`],
    ["executions", "/ui/executions"],
    ["an execution that waits", `/ui/executions/${waiting}?step=two`],
    ["an execution that failed", `/ui/executions/${failed}?step=one`],
    ["its error", `/ui/executions/${failed}?step=three`],
    ["approvals", "/ui/approvals"],
    ["connections", "/ui/connections"],
    ["a connection", `/ui/connections/${connection.data.id}`],
    ["variables", "/ui/variables"],
    ["a variable", `/ui/variables/${variable.data.id}`],
    ["MCP servers", "/ui/mcp-servers"],
    ["an MCP server", `/ui/mcp-servers/${server.data.id}`],
    ["administration", "/ui/admin"],
    [
      "an address",
      `/ui/jobs?q=${encodeURIComponent(script)}&f=${encodeURIComponent(JSON.stringify([["name", "equals", script]]))}`,
    ],
    ["an address that is none", `/ui/${encodeURIComponent(script)}`],
  );
});
afterEach((test) => it?.leavePages(test));
after(() => it?.close());

describe("names that mean harm", () => {
  test("are text wherever they show: nothing runs, nothing is fetched, nothing sticks out of a phone", async () => {
    const page = await it.open("/ui/", { viewport: phone, afresh: true });
    page.on("dialog", (dialog) => page.troubles.push(`a dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(it.pawl.url)) page.troubles.push(`a request to ${request.url()}`);
    });
    const found: Record<string, unknown> = {};
    let shown = 0;
    for (const [name, path] of places) {
      await page.goto(path);
      await page
        .getByRole("heading", { level: 1 })
        .or(page.getByRole("heading", { level: 3 }))
        .first()
        .waitFor();
      await page.locator("main .mantine-Skeleton-root").first().waitFor({ state: "detached" });
      if ((await page.locator("body").textContent())?.includes("onerror=")) shown++;
      const fault = await harmOf(page);
      if (fault !== null || page.troubles.length > 0) found[name] = [fault, ...page.troubles.splice(0)];
    }
    assert.deepEqual(found, {});
    assert.ok(shown > 12, `only ${shown} pages showed such a name at all`);
  });
});

/** What of the names came to life on the page. Text, since it is of the browser and not of Node. */
function harmOf(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    if (window.taken) return "a script ran: " + window.taken;
    const made = document.querySelector("main img[src='x'], main script, main iframe, a[href^='javascript:' i]");
    if (made) return "it became " + made.outerHTML.slice(0, 200);
    const { clientWidth, scrollWidth } = document.documentElement;
    return scrollWidth > clientWidth ? "it is " + scrollWidth + " px wide" : null;
  })()`);
}
