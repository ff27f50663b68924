import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { JobInput } from "../../src/contract/job.ts";
import { gate } from "../helpers/gate.ts";
import { lookOver, phone } from "./helpers/look-over.ts";
import { type Opened, type PawlInBrowser, startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

let it: PawlInBrowser;
let door: Awaited<ReturnType<typeof gate>>;

before(async () => {
  it = await startPawlInBrowser();
  door = await gate();
});
afterEach((test) => it?.leavePages(test));
after(async () => {
  await it?.close();
  await door?.[Symbol.asyncDispose]();
});

type Step = JobInput["steps"][number];

/** A step that stands still until the test lets it go on. */
const ask = (key: string, name: string, more: Partial<Step> = {}): Step => ({
  key,
  name,
  type: "http",
  input: { method: "GET", url: door.url },
  ...more,
});
const set = (key: string, values: object): Step => ({ key, type: "set", input: { values } });

async function make(name: string, steps: Step[], more: Partial<JobInput> = {}) {
  return (await it.pawl.client.createJob({ body: { name, steps, ...more } })).data.id;
}

async function start(jobId: string, parameters: Record<string, unknown> = {}) {
  return (await it.pawl.client.startJob({ body: { jobId, parameters } })).data.executionId;
}

/** A step in the timeline; `status`: once it has that. */
const stepRow = (page: Opened, name: string, status = "") =>
  page.getByRole("list", { name: "Steps" }).getByRole("link", { name: new RegExp(`${name}.*${status}`) });
/** The page's own action, not that of a dialog. */
const action = (page: Opened, name: string) =>
  page.getByRole("main").getByRole("button", { name, exact: true });
const dialog = (page: Opened) => page.getByRole("dialog");

describe("an execution", () => {
  test("is watched live, held, let go on, stopped, and run again from a step", async () => {
    const job = await make("month-end", [
      set("gather", { rows: 12 }),
      ask("shop", "Ask the shop"),
      ask("ledger", "Ask the ledger"),
      { key: "tell", name: "Tell", type: "log", input: { message: "{{ steps.gather.output.rows }} rows" } },
    ]);
    const id = await start(job);
    const shop = await door.asked();
    const page = await it.open(`/ui/executions/${id}`);
    await stepRow(page, "Ask the shop", "Running").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await lookOver(page, "an execution that runs");

    await action(page, "Pause").click();
    await dialog(page)
      .getByText("The step “Ask the shop” goes on to its end, and its result is kept.")
      .waitFor();
    await dialog(page).getByLabel("Reason").fill("The shop is slow");
    await lookOver(page, "what pausing means");
    await dialog(page).getByRole("button", { name: "Pause" }).click();
    await page.getByRole("region", { name: "Paused" }).getByText("admin").waitFor();
    await page.getByText("The step under way goes on to its end.").waitFor();
    shop.writeHead(200, { "content-type": "application/json" }).end('{"orders":[{"id":1,"paid":true}]}');
    await stepRow(page, "Ask the shop", "Completed").waitFor();
    await stepRow(page, "Ask the ledger", "Pending").waitFor();

    await action(page, "Resume").click();
    await dialog(page).getByText("It goes on with the step “Ask the ledger”.").waitFor();
    await dialog(page).getByRole("button", { name: "Resume" }).click();
    const ledger = await door.asked();
    await stepRow(page, "Ask the ledger", "Running").waitFor();

    await action(page, "Stop").click();
    await dialog(page).getByText("2 steps of 4 will not run").waitFor();
    await dialog(page).getByLabel("Reason").fill("The wrong month");
    await dialog(page).getByRole("button", { name: "Stop it" }).click();
    await page.getByRole("region", { name: "Stopped" }).getByText("The wrong month").waitFor();
    await door.gone(ledger);
    await lookOver(page, "an execution that was stopped");

    await stepRow(page, "Ask the shop").click();
    await page.getByRole("button", { name: "Restart from here" }).click();
    await dialog(page)
      .getByText("The result of the step before it is kept as it is. 3 steps run again.")
      .waitFor();
    await lookOver(page, "what restarting means");
    await dialog(page).getByRole("button", { name: "Restart 3 steps" }).click();
    (await door.asked()).writeHead(200, { "content-type": "application/json" }).end('{"orders":[]}');
    (await door.asked()).writeHead(200).end("fine");
    await page.getByRole("main").getByText("Completed", { exact: true }).first().waitFor();
    await page.getByText("kept from attempt 1").first().waitFor();

    // Attempts side by side, in the address too.
    await page.getByRole("link", { name: "Attempts" }).click();
    const attempts = page.getByRole("region", { name: "Attempts side by side" });
    await attempts.getByText("Attempt 2").waitFor();
    await attempts.getByText("1 item").waitFor();
    assert.match(page.url(), /step=shop&view=attempts/);
    await lookOver(page, "attempts side by side");
    await page.getByRole("button", { name: "Close the step" }).click();
    const history = page.getByRole("region", { name: "About the execution" });
    for (const said of [
      "Restarted by admin · attempt 2",
      "Stopped by admin",
      "The wrong month",
      "Resumed by admin",
      "The shop is slow",
    ])
      await history.getByText(said).waitFor();
    await page.getByLabel("Attempt", { exact: true }).selectOption("1");
    await page.getByText("This is attempt 1, as the restart after it left it").waitFor();
    await stepRow(page, "Ask the ledger", "Stopped").waitFor();
  });

  test("shows of each step what it was given, what it answered, failed with and said; a link shows a colleague the same", async () => {
    const job = await make(
      "import",
      [
        set("read", { list: [{ deep: { number: 7 } }] }),
        { ...ask("flaky", "Ask twice"), retry: { maxAttempts: 2, initialDelayMs: 1 } },
        {
          key: "bad",
          name: "Fail",
          type: "script",
          input: {
            source:
              "for (let i = 0; i < 300; i++) console.log('row ' + i); console.warn('row 300 is <b>odd</b>'); throw new Error('no ' + params.day)",
          },
        },
      ],
      {
        parameters: {
          type: "object",
          properties: { day: { type: "string" }, pin: { type: "string", secret: true } },
        },
      },
    );
    const id = await start(job, { day: "Monday", pin: "4711-4711" });
    (await door.asked()).writeHead(503).end();
    (await door.asked()).writeHead(200).end("at last");
    await it.pawl.ended(id);
    const page = await it.open(`/ui/executions/${id}`);
    await page.getByRole("region", { name: "Error" }).getByText("no Monday").waitFor();
    await page.getByRole("link", { name: "at the step Fail" }).click();
    assert.match(page.url(), /step=bad&view=error/);
    await lookOver(page, "a step that failed");

    await page.getByRole("link", { name: "Log", exact: true }).click();
    const log = page.getByRole("log", { name: "Log" });
    await log.getByText("row 0", { exact: true }).waitFor();
    assert.ok((await log.getByText(/^row \d+$/).count()) < 100, "what is out of sight is not drawn");
    await page.getByLabel("Search the log").fill("odd");
    await log.getByText("row 300 is <b>odd</b>").waitFor();
    await page.getByText("1 of 301 lines").waitFor();
    await lookOver(page, "a log");

    await stepRow(page, "Ask twice").click();
    await page.getByText("2 tries").first().waitFor();
    await page.getByRole("link", { name: "Input" }).click();
    await page.getByText(`"${door.url}`).waitFor();
    await stepRow(page, "read").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("region", { name: "Step flaky" }).waitFor();
    await page.keyboard.press("ArrowUp");
    const read = page.getByRole("region", { name: "Step read" });
    await read.getByText('"list"').waitFor();
    await read.getByRole("button", { name: "Unfold steps.read.output.list[0]" }).click();
    await read.getByText('"deep"').hover();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await read.getByText('"deep"').locator("..").getByRole("button", { name: "copy path" }).click();
    await read.getByText("copied").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), "steps.read.output.list[0].deep");

    const onPhone = await it.open(`/ui/executions/${id}?step=bad`, { viewport: phone });
    await onPhone.getByRole("dialog", { name: "Step bad" }).getByText("no Monday").waitFor();
    await lookOver(onPhone, "a step on a phone");

    const { token } = await it.pawl.principal(["JobService:JobExecution:read"]);
    const colleague = await it.open(new URL(page.url()).pathname + new URL(page.url()).search, { token });
    await colleague.getByRole("region", { name: "Step read" }).getByText('"list"').waitFor();
    const buttons = await colleague.getByRole("main").getByRole("button").allInnerTexts();
    assert.deepEqual(
      buttons.filter((name) => /Restart|Start|Stop|Pause|Resume/.test(name)),
      [],
      "what one may not do is not offered",
    );
    assert.doesNotMatch(await colleague.content(), /4711-4711/);
  });

  test("is run again with the newest version and other parameters, and held until a time", async () => {
    const parameters = {
      type: "object",
      required: ["day"],
      properties: { day: { type: "string", title: "Day" } },
    };
    const bad: Step = {
      key: "bad",
      type: "script",
      input: { source: "throw new Error('closed on ' + params.day)" },
    };
    const job = await make("closed", [bad], { parameters });
    const id = await start(job, { day: "Monday" });
    await it.pawl.ended(id);
    const body = {
      name: "closed",
      parameters,
      steps: [ask("bad", "Ask instead"), set("day", { of: "{{ params.day }}" })],
    };
    await it.pawl.client.replaceJob({ params: { id: job }, body });
    const page = await it.open(`/ui/executions/${id}`);
    await action(page, "Restart …").click();
    await dialog(page).getByLabel("2, the newest").check();
    await dialog(page).getByLabel("Other parameters").check();
    await dialog(page).getByLabel("Day").fill("Tuesday");
    await dialog(page).getByText("2 steps of the newest version run again.").waitFor();
    await dialog(page).getByRole("button", { name: "Restart 2 steps" }).click();
    const asked = await door.asked();
    await stepRow(page, "Ask instead", "Running").waitFor();
    await action(page, "Pause").click();
    await dialog(page).getByLabel("Resume by itself at").fill("2099-01-01T08:00");
    await dialog(page).getByRole("button", { name: "Pause" }).click();
    await page.getByText("It goes on by itself").waitFor();
    asked.writeHead(200).end();
    await stepRow(page, "day", "Pending").waitFor();
    await action(page, "Resume").click();
    await dialog(page).getByRole("button", { name: "Resume" }).click();
    const { stepExecutions, attempts } = await it.pawl.ended(id);
    assert.deepEqual(stepExecutions[1]!.output, { of: "Tuesday" });
    assert.deepEqual(
      attempts.map(({ jobVersion }) => jobVersion),
      [1, 2],
    );
  });

  test("of 500 steps draws what is in sight, reads no outputs for it, and finds the step that a link names", async (t) => {
    const steps = Array.from({ length: 500 }, (_, i) => set(`s${i}`, { text: "x".repeat(2000) }));
    const id = await start(await make("long", steps));
    await it.pawl.ended(id);
    const page = await it.open("/ui/");
    const began = performance.now();
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes(`/jobExecution/${id}?`)),
      page.goto(`/ui/executions/${id}?step=s450`),
    ]);
    assert.ok(!(await answer.text()).includes("xxxxxxxxxx"));
    await stepRow(page, "s450").waitFor();
    t.diagnostic(`an execution of 500 steps showed after ${Math.round(performance.now() - began)} ms`);
    assert.equal(await stepRow(page, "s450").getAttribute("aria-current"), "page");
    await page.getByText("500 of 500 done").waitFor();
    assert.ok((await page.getByRole("list", { name: "Steps" }).getByRole("listitem").count()) < 80);
    await lookOver(page, "500 steps");
  });

  test("links the executions that its steps start, and says what it waits for", async () => {
    const inner = await make("inner", [ask("in", "Inside")]);
    const outer = await make(
      "outer",
      [{ key: "sub", name: "Run the other", type: "job", input: { jobId: inner } }],
      {
        concurrency: { limit: 1, onLimit: "queue" },
      },
    );
    const id = await start(outer);
    const asked = await door.asked();
    const queued = await start(outer);
    const page = await it.open(`/ui/executions/${queued}`);
    await page.getByRole("region", { name: "Waiting" }).getByText("the job allows 1 at a time").waitFor();
    await page.goto(`/ui/executions/${id}?step=sub`);
    await page.getByRole("link", { name: "The execution that it started" }).click();
    await page.getByRole("heading", { level: 1, name: "inner" }).waitFor();
    asked.writeHead(200).end();
    await stepRow(page, "Inside", "Completed").waitFor();
    (await door.asked()).writeHead(200).end();
    await it.pawl.ended(queued);
    await page.goto("/ui/executions/019c0000-0000-7000-8000-000000000000");
    await page.getByRole("alert").getByText("There is no execution").waitFor();
    await page.getByRole("button", { name: /^Request / }).waitFor();
  });
});

describe("the list of executions", () => {
  test("shows what comes by itself, filters by the address, and acts on all that it shows after a count", async () => {
    const job = await make("bulky", [ask("hold", "Hold")]);
    const page = await it.open(
      `/ui/executions?f=${encodeURIComponent(JSON.stringify([["jobName", "equals", "bulky"]]))}`,
    );
    await page.getByText("No execution fits").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const ids = await Promise.all([start(job), start(job), start(job)]);
    const doors = [await door.asked(), await door.asked(), await door.asked()];
    const rows = page.getByRole("table", { name: "Executions" }).getByRole("row");
    await rows.nth(3).getByText("Running").waitFor();
    await lookOver(page, "the list of executions");

    await page.getByRole("button", { name: "All of these" }).click();
    await page.getByRole("menuitem", { name: "Resume all …" }).click();
    await dialog(page).getByText("None of those that the list shows is paused by hand").waitFor();
    await dialog(page).getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("button", { name: "All of these" }).click();
    await page.getByRole("menuitem", { name: "Stop all …" }).click();
    await dialog(page).getByText("3 executions").first().waitFor();
    assert.equal(
      (await it.pawl.client.getExecution({ params: { id: ids[0]! } })).data.status,
      "RUNNING",
      "nothing is done yet",
    );
    await lookOver(page, "a count before a bulk action");
    await dialog(page).getByLabel("Reason").fill("The supplier is down");
    await dialog(page).getByRole("button", { name: "Stop 3 executions" }).click();
    await dialog(page).getByText("3 executions stopped.").waitFor();
    await dialog(page).getByRole("button", { name: "Close" }).last().click();
    for (const id of ids) assert.equal((await it.pawl.ended(id)).actions[0]!.reason, "The supplier is down");
    await rows.nth(3).getByText("Stopped").waitFor();
    for (const one of doors) await door.gone(one);
  });
});

describe("home", () => {
  test("says what to do first while nothing has run, and nothing of it to those who may not see what runs", async () => {
    const { token } = await it.pawl.principal(["JobService:Job:read"]);
    const page = await it.open("/ui/", { token });
    await page.getByRole("link", { name: "See the jobs" }).waitFor();
    assert.equal(await page.getByText("Running").count(), 0);
    await lookOver(page, "home of somebody who sees no executions");
  });

  test("has every number lead to what it counts", async () => {
    const job = await make("lately", [
      { key: "bad", type: "script", input: { source: "throw new Error('as planned')" } },
    ]);
    await it.pawl.ended(await start(job));
    const page = await it.open("/ui/");
    await page.getByRole("link", { name: "lately" }).first().waitFor();
    await page.getByText("as planned").first().waitFor();
    await page.locator(".recharts-surface").first().waitFor();
    await lookOver(page, "home");
    await page.getByText("30 days").click();
    await page.getByText("last 30 days").first().waitFor();
    assert.match(page.url(), /range=month/);
    const failed = page.getByRole("main").getByRole("link", { name: "Failed", exact: true });
    // The number itself, and not what stands in for it while it is on its way.
    const figure = failed.locator("..").locator("div").filter({ hasText: /^\d+$/ });
    const count = Number(await figure.first().textContent());
    await failed.click();
    await page.getByRole("heading", { level: 1, name: "Executions" }).waitFor();
    await page.getByRole("row").nth(count).getByText("Failed").waitFor();
    assert.equal(await page.getByRole("row").count(), count + 1);

    await page.goBack();
    const bar = page.locator(".recharts-bar-rectangle").last();
    await bar.hover();
    const counts = page
      .locator(".recharts-tooltip-wrapper")
      .getByRole("row")
      .filter({ hasNotText: "Success" });
    await counts.nth(3).waitFor();
    const counted = (await counts.getByRole("cell").allInnerTexts()).filter((text) => /^\d+$/.test(text));
    assert.equal(counted.length, 4, "completed, failed, stopped, not over");
    const all = counted.reduce((sum, text) => sum + Number(text), 0);
    // A piece of a bar leads to its outcome; Enter, once the arrows are at the last stretch, to all of its time.
    await page.locator("svg.recharts-surface[tabindex]").focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator(`table[aria-rowcount="${all + 1}"]`).waitFor();
    assert.match(decodeURIComponent(page.url()), /\["startTime","between",/);
  });
});
