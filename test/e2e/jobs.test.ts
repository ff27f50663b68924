import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import pg from "pg";
import type { Page } from "playwright-core";
import { companyJobs } from "../../src/cli/demo/company-jobs.ts";
import { startOidcProvider } from "../helpers/oidc-provider.ts";
import { startTestPawl } from "../helpers/running-pawl.ts";
import { go } from "./helpers/go.ts";
import { lookOver, phone } from "./helpers/look-over.ts";
import { type PawlInBrowser, startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

let it: PawlInBrowser;

before(async () => {
  it = await startPawlInBrowser();
});
afterEach((test) => it?.leavePages(test));
after(() => it?.close());

describe("the files of the interface", () => {
  test("are served where / leads, under a policy without inline script, and kept as long as they may be", async () => {
    const first = await it.pawl.send({ method: "GET", path: "/", token: null });
    assert.equal(first.status, 302);
    assert.equal(first.headers.location, "/ui/");
    for (const path of ["/ui/", "/ui/jobs/any/deep/page"]) {
      const page = await it.pawl.send({ method: "GET", path, token: null });
      assert.equal(page.status, 200);
      assert.match(String(page.headers["content-type"]), /^text\/html/);
      assert.equal(page.headers["cache-control"], "no-cache");
      const policy = String(page.headers["content-security-policy"]);
      assert.match(policy, /script-src 'self';/);
      assert.doesNotMatch(policy, /script-src[^;]*unsafe/);
      assert.doesNotMatch(page.text, /<script(?![^>]* src=)[^>]*>/, "no inline script");
    }
    const { text } = await it.pawl.send({ method: "GET", path: "/ui/", token: null });
    const script = /src="(\/ui\/assets\/[^"]+\.js)"/.exec(text)![1]!;
    const asset = await it.pawl.send({
      method: "GET",
      path: script,
      token: null,
      headers: { "accept-encoding": "br" },
    });
    assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(asset.headers["content-encoding"], "br");
    const gone = await it.pawl.send({ method: "GET", path: "/ui/assets/gone-123.js", token: null });
    assert.equal(gone.status, 404);
    const posted = await it.pawl.send({ method: "POST", path: "/ui/", token: null });
    assert.equal(posted.status, 404);
  });
});

describe("the first load", () => {
  test("is less than 300 kB of compressed script, on the heaviest pages to come in by too", async () => {
    for (const [path, shown] of [
      ["/ui/", "Nothing has run yet"],
      ["/ui/jobs", "Live"],
      ["/ui/executions", "Live"],
    ] as const) {
      const page = await it.open("/health/live", { afresh: true });
      const sizes = new Map<string, number>();
      page.on("requestfinished", async (request) => {
        const name = request.url().split("/assets/")[1];
        if (name?.endsWith(".js")) sizes.set(name, (await request.sizes()).responseBodySize);
      });
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText(shown, { exact: true }).waitFor();
      // The chart of the home page comes after all else, in a place that is kept for it.
      const needed = [...sizes].filter(([name]) => !name.startsWith("over-time-chart"));
      const total = needed.reduce((sum, [, size]) => sum + size, 0);
      assert.ok(total > 100_000 && total < 300_000, `${path}: ${total} bytes in ${needed.length} files`);
    }
  });
});

describe("signing in", () => {
  test("asks for a token, says what is wrong with one, leads to the page that was wanted, and ends by the account's menu", async () => {
    const page = await it.newPage();
    await page.goto("/ui/executions?q=never");
    await page.getByLabel("API token").fill("pawl_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This is not an API token of Pawl.").waitFor();
    await page.getByLabel("API token").fill(it.pawl.admin);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Executions", exact: true }).waitFor();
    assert.equal(new URL(page.url()).search, "?q=never");
    await page.getByText("No execution fits").waitFor();
    assert.deepEqual(page.troubles, []);
    await page.getByRole("button", { name: "Account of admin" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("API token").waitFor();
    await page.goto("/ui/jobs");
    await page.getByLabel("API token").waitFor();
  });

  test("works once by a link, whose code does not stay in the address", async () => {
    const link = await it.pawl.signInLink();
    const page = await it.newPage();
    await page.goto(link);
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    assert.ok(!page.url().includes("#"));
    const second = await it.newPage();
    await second.goto(link);
    await second.getByText("This link was used before, or has expired").waitFor();
  });

  test("is offered at the identity provider that is configured, and ends with the reason or on the wanted page", async () => {
    const provider = await startOidcProvider({ id: "pawl", secret: "hush" });
    const pawl = await startTestPawl({
      PAWL_OIDC_ISSUER: provider.issuer,
      PAWL_OIDC_CLIENT_ID: "pawl",
      PAWL_OIDC_CLIENT_SECRET: "hush",
      PAWL_OIDC_NAME: "Example Ltd",
    });
    try {
      const page = await it.newPage({ baseURL: pawl.url });
      await page.goto("/ui/jobs?q=x");
      await page.getByRole("link", { name: "Sign in with Example Ltd" }).waitFor();
      await lookOver(page, "the sign-in page");
      await page.getByRole("link", { name: "Sign in with Example Ltd" }).click();
      await page.getByText('Pawl has no principal for "alice"').waitFor();
      assert.ok(!page.url().includes("#"));
      await pawl.client.createPrincipal({
        body: { name: "Alice", externalId: "alice", authorities: ["JobService:Job:read"] },
      });
      await page.goto("/ui/jobs?q=x");
      await page.getByRole("link", { name: "Sign in with Example Ltd" }).click();
      await page.getByText("No job fits").waitFor();
      assert.equal(new URL(page.url()).search, "?q=x");
      await page.getByRole("button", { name: "Account of Alice" }).waitFor();
    } finally {
      await pawl.close();
      await provider.close();
    }
  });
});

const ids: Record<string, string> = {};

describe("jobs", () => {
  before(async () => {
    for (const body of companyJobs) ids[body.name] = (await it.pawl.client.createJob({ body })).data.id;
    const { data } = await it.pawl.client.startJob({ body: { jobId: ids["customer-sync"]! } });
    await it.pawl.ended(data.executionId);
  });

  test("are found by filters that stand in the address, in a table that a phone shows as a list", async () => {
    const page = await it.open("/ui/jobs");
    const rows = page.getByRole("table", { name: "Jobs" }).getByRole("row");
    await page.getByRole("link", { name: "customer-sync" }).waitFor();
    assert.equal(await rows.count(), companyJobs.length + 1);
    await lookOver(page, "jobs");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByLabel("Field", { exact: true }).selectOption("Category");
    await page.getByLabel("Value", { exact: true }).fill("finance");
    await page.getByText("Category contains finance").waitFor();
    await lookOver(page, "the filter");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Name" }).click();
    await page.waitForURL(/sort=-name/);
    await rows.nth(1).getByText("vat-return").waitFor();
    const names = await page.getByRole("table").getByRole("link").allInnerTexts();
    assert.deepEqual(names, ["vat-return", "nightly-orders", "invoice-import"]);
    const other = await it.open(new URL(page.url()).pathname + new URL(page.url()).search, {
      viewport: phone,
    });
    const items = other.getByRole("list", { name: "Jobs" }).getByRole("link");
    await items.first().waitFor();
    assert.deepEqual(await items.allInnerTexts(), names, "a link shows the same to somebody else");
    await other.getByRole("button", { name: "Clear", exact: true }).click();
    await other.getByRole("link", { name: "backup-check" }).waitFor();
    assert.deepEqual(other.troubles, []);
  });

  test("are found from anywhere by keyboard", async () => {
    const page = await it.open("/ui/");
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    const box = page.getByRole("textbox", { name: "Search", exact: true });
    await box.fill("add them");
    await page.getByText("in nightly-orders").waitFor();
    await lookOver(page, "the search box");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "nightly-orders", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await box.fill(ids["customer-sync"]!);
    await page.getByText("Bring the addresses").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "customer-sync", level: 1 }).waitFor();
    assert.deepEqual(page.troubles, []);
  });

  test("are written in the editor: faults stand where they are, names are completed, and a step is a form too", async () => {
    const page = await it.open("/ui/jobs/new");
    const editor = page.getByLabel("The job in YAML");
    await page.getByText("Nothing is wrong with it").waitFor();
    await write(page, "name: greet\nsteps:\n  - key: say\n    type: logg\n");
    await page.getByText("One fault").waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    await page
      .locator(".cm-panel-lint")
      .getByText(/Did you mean "log"/)
      .waitFor();
    await write(
      page,
      "name: greet\nparameters:\n  type: object\n  properties:\n    who: { type: string, default: Ada }\nsteps:\n  - key: say\n    type: lo",
    );
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /^log/ }).click();
    await page.keyboard.press("Enter");
    await page.keyboard.insertText('input: { message: "{{ params.');
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /^who/ }).click();
    await page.keyboard.insertText(' }}" }');
    await page.getByText("Nothing is wrong with it").waitFor();
    await page.getByRole("list", { name: "Steps of the job" }).getByRole("button", { name: "say" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Say it");
    await editor.getByText("name: Say it").waitFor();
    await page.getByRole("button", { name: "Add a step" }).click();
    await page.getByRole("menuitem", { name: /^Set values/ }).click();
    await page.getByLabel("Values").fill('{ "said": 1 }');
    await editor.getByText("said: 1").waitFor();
    await page.getByText("Nothing is wrong with it").waitFor();
    await lookOver(page, "the editor");
    await page.getByRole("button", { name: "Create the job" }).click();
    await page.getByRole("heading", { name: "greet", level: 1 }).waitFor();
    await page.getByText("2 steps").waitFor();
    const { data } = await it.pawl.client.searchJobs({ body: { searchText: "greet" } });
    assert.deepEqual(
      data[0]!.steps.map(({ id: _, ...step }) => step),
      [
        { key: "say", type: "log", name: "Say it", input: { message: "{{ params.who }}" } },
        { key: "set", type: "set", input: { values: { said: 1 } } },
      ].map((step) => ({ ...step, onError: "fail" })),
    );
    ids.greet = data[0]!.id;
    assert.deepEqual(page.troubles, []);
  });

  test("keep what was typed from being lost, and a version of somebody else from being overwritten", async () => {
    const page = await it.open(`/ui/jobs/${ids.greet}/edit`);
    await page.getByText("Nothing is wrong with it").waitFor();
    const { data: job } = await it.pawl.client.getJob({ params: { id: ids.greet! } });
    const { id: _, version, createdAt, createdBy, updatedAt, updatedBy, ...body } = job;
    await it.pawl.client.replaceJob({
      params: { id: ids.greet! },
      body: { ...body, description: "of somebody else" },
    });
    await write(
      page,
      "name: greet\ndescription: of mine\nsteps:\n  - { key: say, type: log, input: { message: hi } }\n",
    );
    await page.getByText("Nothing is wrong with it").waitFor();
    await page.getByRole("navigation", { name: "Job" }).getByRole("link", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Save as a new version" }).click();
    await page.getByText("was changed meanwhile").waitFor();
    await page.getByRole("navigation", { name: "Job" }).getByRole("link", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByText("What changed from version 1 to 2").waitFor();
    await page.getByLabel("What changed", { exact: true }).getByText("of somebody else").waitFor();
    await lookOver(page, "the versions");
    await page.getByRole("button", { name: /^Version 1/ }).click();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("button", { name: "Restore it" }).click();
    await page.getByText("restored from version 1").first().waitFor();
    assert.equal((await it.pawl.client.getJob({ params: { id: ids.greet! } })).data.version, 3);
  });

  test("are started by a form with their defaults, which says what is missing before anything is sent", async () => {
    const page = await it.open(`/ui/jobs/${ids["nightly-orders"]}`);
    await page.getByText("Let finance look", { exact: true }).waitFor();
    await lookOver(page, "a job");
    await page.getByRole("link", { name: "Start", exact: true }).click();
    const limit = page.getByLabel("Largest total without a look");
    await limit.waitFor();
    assert.equal(await limit.inputValue(), "10000");
    assert.equal(await page.getByRole("combobox", { name: "Region" }).inputValue(), "north");
    await lookOver(page, "the start form");
    await page.getByRole("button", { name: "Start nightly-orders" }).click();
    await page.getByRole("alert").getByText("is required").waitFor();
    await page.getByLabel("Day", { exact: false }).first().fill("2026-11-18");
    await limit.fill("90000");
    await page.getByRole("button", { name: "Start nightly-orders" }).click();
    await page.waitForURL(/\/ui\/executions\//);
    const id = page.url().split("/").at(-1)!.split("?")[0]!;
    const { data } = await it.pawl.client.getExecution({ params: { id } });
    assert.deepEqual(data.parameters, { day: "2026-11-18", region: "north", limit: 90000, dryRun: false });
    assert.deepEqual([data.triggeredBy, data.triggerSource], ["manual", "ui"]);
    await page.goto(`/ui/jobs/${ids["nightly-orders"]}/runs`);
    await page.getByRole("table", { name: "Executions of the job" }).getByText("Completed").waitFor();
    await lookOver(page, "the executions of a job");
    await page.getByRole("link", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: "As last time" }).click();
    assert.equal(await page.getByLabel("Day", { exact: false }).first().inputValue(), "2026-11-18");
    assert.deepEqual(page.troubles, []);
  });

  test("come and go as files: exported, dropped on the list, deleted", async () => {
    const page = await it.open(`/ui/jobs/${ids["price-list"]}`);
    await page.getByRole("button", { name: "More" }).click();
    const coming = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Export as YAML" }).click();
    const file = await coming;
    assert.equal(file.suggestedFilename(), "price-list.yaml");
    const text = await readFile((await file.path())!, "utf8");
    assert.match(text, /^name: price-list$/m);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("Executions that run go on to their end").waitFor();
    await page.getByRole("button", { name: "Delete the job" }).click();
    await page.getByText("price-list is deleted").waitFor();
    await page.getByRole("link", { name: "payroll-export" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "price-list" }).count(), 0);
    await drop(page, "price-list.yaml", text);
    await page.getByRole("heading", { name: "price-list", level: 1 }).waitFor();
    await go(page, "Jobs");
    await page.getByRole("link", { name: "payroll-export" }).waitFor();
    await drop(page, "broken.yaml", "name: broken\nsteps: []\n");
    await page.getByText("broken.yaml was not imported").waitFor();
    await page.getByText(/\/steps/).waitFor();
  });

  test("offer those who only read them nothing else", async () => {
    const { token } = await it.pawl.principal(["JobService:Job:read"]);
    const page = await it.open(`/ui/jobs/${ids["nightly-orders"]}`, { token });
    await page.getByText("Let finance look", { exact: true }).waitFor();
    const navigation = page.getByRole("navigation", { name: "Main" });
    assert.deepEqual(await navigation.getByRole("link").allInnerTexts(), ["Home", "Jobs"]);
    const tabs = page.getByRole("navigation", { name: "Job" }).getByRole("link");
    assert.deepEqual(await tabs.allInnerTexts(), ["Overview", "Versions"]);
    assert.equal(await page.getByRole("link", { name: "Start" }).count(), 0);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Export as JSON" }).waitFor();
    assert.equal(await page.getByRole("menuitem", { name: "Delete" }).count(), 0);
    assert.deepEqual(page.troubles, []);
  });
});

describe("a list of 10,000 executions", () => {
  test("holds no more rows than are in sight, and shows each where it is scrolled to", async (t) => {
    const pool = new pg.Pool({ connectionString: it.pawl.databaseUrl, max: 1 });
    await pool.query(
      `insert into execution select (jsonb_populate_record(e, jsonb_build_object('id', uuidv7()))).*
       from execution e, generate_series(1, 10000) where e.job_id = $1 and e.ended_at is not null`,
      [ids["customer-sync"]],
    );
    await pool.end();
    const page = await it.open("/ui/executions");
    const rows = page.getByRole("table", { name: "Executions" }).getByRole("row");
    await rows.getByRole("link").first().waitFor();
    const frames = await page.evaluate<{ rows: number; tookMs: number }[]>(framesWhileScrolling);
    const most = Math.max(...frames.map(({ rows }) => rows));
    assert.ok(most < 80, `${most} rows at a time`);
    // How long a frame takes says more about the machine than about the table: it is told, and not held against it.
    const took = frames.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
    t.diagnostic(
      `a frame of 10,000 executions that scroll: median ${took[took.length >> 1]} ms, longest ${took.at(-1)} ms, ${most} rows drawn at most`,
    );
    await page.keyboard.press("End");
    const last = await page.getByRole("table", { name: "Executions" }).getAttribute("aria-rowcount");
    assert.ok(Number(last) > 10_000, String(last));
    await page.locator(`tr[aria-rowindex="${last}"]`).getByRole("link").waitFor();
    assert.deepEqual(page.troubles, []);
  });
});

/** Scrolls 300 rows down, a frame at a time, and gives what each drew. Text, since it is of the browser. */
const framesWhileScrolling = `new Promise((resolve) => {
  const frames = [];
  let last;
  const next = (now) => {
    if (last !== undefined) {
      frames.push({ rows: document.querySelectorAll("tbody tr").length, tookMs: Math.round(now - last) });
    }
    if (frames.length === 60) return resolve(frames);
    last = now;
    scrollBy(0, 220);
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

/** Replaces all that is in the editor. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel("The job in YAML").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** Drops a file on the list of jobs. Text, since it is of the browser and not of Node. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    const place = document.querySelector("section[aria-label^='Jobs']");
    for (const type of ["dragenter", "dragover", "drop"]) {
      place.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    }
  })()`);
}
