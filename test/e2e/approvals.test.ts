import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { JobInput } from "../../src/contract/job.ts";
import { lookOver, phone, sticksOut, violations } from "./helpers/look-over.ts";
import { type Opened, type PawlInBrowser, startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

let it: PawlInBrowser;
let job: string;

const form = {
  type: "object",
  required: ["account"],
  properties: {
    account: { type: "string", title: "Account", enum: ["4400 Revenue", "4410 Export"] },
    amount: { type: "integer", title: "Amount", minimum: 1, default: 12 },
  },
};
const steps: JobInput["steps"] = [
  { key: "total", name: "Add them up", type: "set", input: { values: { total: 14_065 } } },
  {
    key: "look",
    name: "Let finance look",
    type: "approval",
    input: { message: "Book {{ params.day }}?", form },
  },
  {
    key: "book",
    name: "Book the day",
    type: "set",
    input: { values: { by: "{{ steps.look.output.account }}" } },
  },
];

before(async () => {
  it = await startPawlInBrowser();
  job = (await it.pawl.client.createJob({ body: { name: "nightly", steps } })).data.id;
});
afterEach((test) => it?.leavePages(test));
after(() => it?.close());

/** An execution that waits for its decision. */
async function waiting(day: string, jobId = job): Promise<string> {
  const { data } = await it.pawl.client.startJob({ body: { jobId, parameters: { day } } });
  await it.pawl.readUntil(data.executionId, ({ waitingFor }) => waitingFor !== null);
  return data.executionId;
}

const inbox = (page: Opened) => page.getByRole("list", { name: "What waits for a decision" });
const decision = (page: Opened) => page.getByRole("region", { name: "Decision" });

describe("the inbox", () => {
  test("says so when nothing waits, shows what comes by itself, and decides with the form and what is needed for it", async () => {
    const page = await it.open("/ui/approvals");
    await page.getByText("Nothing waits for a decision").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await lookOver(page, "an empty inbox");
    const id = await waiting("Monday");
    await inbox(page).getByRole("link", { name: "Book Monday?" }).click();
    await decision(page).getByText("14065").waitFor();
    await decision(page).getByText("Approved, the execution goes on with the step “Book the day”.").waitFor();
    await lookOver(page, "the inbox");

    await decision(page).getByRole("button", { name: "Approve", exact: true }).click();
    await decision(page).getByRole("alert").getByText("Account").first().waitFor();
    await decision(page).getByRole("combobox", { name: "Account" }).click();
    await page.getByRole("option", { name: "4410 Export" }).click();
    await decision(page).getByLabel("Comment").fill("As agreed");
    await decision(page).getByRole("button", { name: "Approve", exact: true }).click();
    await decision(page).getByText("You approved it: the execution goes on").waitFor();
    await decision(page).getByText("As agreed").waitFor();
    const { stepExecutions } = await it.pawl.ended(id);
    assert.deepEqual(stepExecutions[2]!.output, { by: "4410 Export" });
    assert.equal((stepExecutions[1]!.output as { amount: number }).amount, 12, "a default of the form");
    await page.getByText("Nothing else waits for a decision.").waitFor();
  });

  test("tells who was first to whoever is second, and offers no decision to those who may not make it", async () => {
    const others = (
      await it.pawl.client.createJob({
        body: {
          name: "for finance",
          steps: [
            { key: "ok", type: "approval", input: { message: "Only finance?", principals: ["finance"] } },
          ],
        },
      })
    ).data.id;
    const foreign = await waiting("Sunday", others);
    const id = await waiting("Tuesday");
    const page = await it.open(`/ui/approvals?execution=${id}`);
    await decision(page).getByRole("button", { name: "Reject instead" }).click();
    await decision(page)
      .getByText("Rejected, the execution is stopped, and 1 step after this one will not run.")
      .waitFor();
    const { client, name } = await it.pawl.principal(["JobService:*:*"]);
    await client.answerExecution({
      body: { jobExecutionId: id, approve: true, answers: { account: "4400 Revenue" }, comment: "Mine" },
    });
    await decision(page).getByText("There is nothing to decide any more").waitFor();
    await decision(page).getByText(`Approved by ${name}`).waitFor();
    await decision(page).getByText("Mine").waitFor();
    await page.goto(`/ui/approvals?execution=${foreign}`);
    await decision(page).getByText("You may not decide this.").waitFor();
    await decision(page).getByText("Left to finance.").waitFor();
    assert.equal(
      await decision(page)
        .getByRole("button", { name: /Approve|Reject|links/ })
        .count(),
      0,
    );
  });
});

describe("a link to decide", () => {
  test("from a request of a browser leads to the dialog of the execution, with the choice at hand", async () => {
    const id = await waiting("Wednesday");
    const page = await it.open(`/api/v2/job/job-resume?jobExecutionId=${id}&approve=false`);
    const dialog = page.getByRole("dialog", { name: "Your decision" });
    await dialog.getByText("Book Wednesday?").waitFor();
    await dialog.getByText("Rejected, the execution is stopped").waitFor();
    assert.equal(
      (await it.pawl.client.getExecution({ params: { id } })).data.status,
      "PAUSED",
      "looking decides nothing",
    );
    await lookOver(page, "the dialog of a decision");
    await dialog.getByLabel("Comment").fill("Too late");
    await dialog.getByRole("button", { name: "Reject", exact: true }).click();
    await page.getByRole("region", { name: "Stopped" }).getByText("Too late").waitFor();
    assert.equal(new URL(page.url()).search, "", "the decision is made, and not asked for again");
    await page.getByText("Rejected by admin").first().waitFor();
  });

  test("that was made for somebody without an account shows what is asked, decides once, and then says who did", async () => {
    const id = await waiting("Thursday");
    const page = await it.open(`/ui/approvals?execution=${id}`);
    await page.getByRole("button", { name: "Make links to decide …" }).click();
    await page.getByRole("dialog").getByText("once, in your name").waitFor();
    await lookOver(page, "what links are");
    await page.getByRole("button", { name: "Make the links" }).click();
    const approve = await page.getByLabel("To approve", { exact: true }).inputValue();
    const reject = await page.getByLabel("To reject", { exact: true }).inputValue();

    const guest = await it.newPage();
    await guest.goto(approve);
    await guest.getByText("Book Thursday?").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await guest.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(guest), [], colorScheme);
    }
    await guest.getByLabel("Account").selectOption("4400 Revenue");
    await guest.getByLabel("Amount").fill("0");
    await guest.getByLabel("Comment (optional)").fill("By phone");
    await guest.getByRole("button", { name: "Approve" }).click();
    await guest.locator(".fault").first().waitFor();
    assert.equal(
      await guest.getByLabel("Comment (optional)").inputValue(),
      "By phone",
      "what was typed is kept",
    );
    await guest.getByLabel("Amount").fill("7");
    await guest.getByRole("button", { name: "Approve" }).click();
    await guest.getByText("The execution goes on.").waitFor();
    const { actions } = await it.pawl.ended(id);
    assert.deepEqual([actions[0]!.actor, actions[0]!.reason], ["admin (approval link)", "By phone"]);
    const late = await it.newPage();
    await late.goto(reject);
    await late.getByText("It was approved by admin (approval link)").waitFor();
    assert.deepEqual(late.troubles, []);
  });
});

test("what people wrote is text in every dialog and on the page of a link", async () => {
  const script = `<img src=x onerror="window.taken=1"><script>window.taken=2</script>`;
  const body = {
    name: script,
    steps: [
      {
        key: "one",
        name: script,
        type: "script",
        input: { source: `console.log(${JSON.stringify(script)}); return 1;` },
      },
      {
        key: "two",
        name: `${script} two`,
        type: "approval",
        input: {
          message: `${script} \u202etxet ${"x".repeat(3500)}`,
          form: {
            type: "object",
            properties: { [script]: { type: "string", title: script, default: script } },
          },
        },
      },
      { key: "three", name: "y".repeat(200), type: "log", input: { message: script } },
    ],
  };
  const hostile = (await it.pawl.client.createJob({ body })).data.id;
  const id = await waiting("x", hostile);
  const { data: links } = await it.pawl.client.createApprovalLinks({ params: { id }, body: {} });
  const page = await it.open("/ui/", { viewport: phone, afresh: true });
  page.on("dialog", (dialog) => page.troubles.push(`a dialog: ${dialog.message()}`));
  const looked: [path: string, shows: string][] = [
    [`/ui/approvals?execution=${id}`, "Decision"],
    [`/ui/executions/${id}?decide=approve`, "dialog"],
    [`/ui/executions/${id}?step=one&view=log`, "log"],
    [`/ui/executions/${id}?step=two&view=input`, "dialog"],
    [links.approveUrl, "main"],
  ];
  for (const [path, shows] of looked) {
    await page.goto(path);
    const place =
      shows === "dialog" || shows === "log" || shows === "main"
        ? page.getByRole(shows).first()
        : page.getByRole("region", { name: shows });
    await place.getByText("<script>window.taken=2</script>").first().waitFor();
    // The form comes after the question, and what a choice leads to with it.
    if (path.startsWith("/ui/approvals") || path.includes("decide="))
      await place.getByText("goes on with the step “yyyy").waitFor();
    const harm = await page.evaluate(
      `window.taken || document.querySelector("img[src='x']")?.outerHTML || null`,
    );
    assert.equal(harm, null, path);
    assert.equal(await sticksOut(page), null, `${path} sticks out`);
  }
  await page.goto(`/ui/executions/${id}`);
  await page.getByRole("main").getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill(script);
  await page.getByRole("button", { name: "Stop it" }).click();
  await page.getByRole("region", { name: "Stopped" }).getByText(script).waitFor();
  await page.getByRole("main").getByRole("button", { name: "Restart …" }).click();
  await page.getByRole("dialog").getByText("Restart 2 steps").waitFor();
  assert.deepEqual([await page.evaluate("window.taken ?? null"), ...page.troubles], [null]);
});
