import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { JobExecution } from "../../src/contract/execution.ts";
import { newId } from "../../src/lib/ids.ts";
import { gate } from "../helpers/gate.ts";
import { type Raw, type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl({ PAWL_PUBLIC_URL: "https://pawl.example/base/" });
});
after(() => pawl.close());

let jobs = 0;
const set = (key: string, values: object = { key }) => ({ key, type: "set", input: { values } });
const fails = {
  key: "burst",
  name: "Burst",
  type: "script",
  input: { source: "throw new Error('no coffee')" },
};
const wait = (duration = "1h") => ({ key: "long", type: "wait", input: { duration } });

async function makeJob(steps: object[], more: object = {}) {
  const name = `job ${++jobs}`;
  return (await pawl.client.createJob({ body: { name, steps: steps as [ReturnType<typeof set>], ...more } }))
    .data;
}

/** Starts it, and answers its id once what is asked holds of it. */
async function begin(steps: object[], until: (execution: JobExecution) => boolean, more: object = {}) {
  const job = await makeJob(steps, more);
  const { data } = await pawl.client.startJob({ body: { jobId: job.id } });
  await pawl.readUntil(data.executionId, until);
  return { job, id: data.executionId, workflowId: data.workflowId };
}

const read = async (id: string) => (await pawl.client.getExecution({ params: { id } })).data;
const has = (status: JobExecution["status"]) => (execution: JobExecution) => execution.status === status;
const waits = (execution: JobExecution) => execution.stepExecutions.some((step) => step.status === "WAITING");

function control(action: string, id: string, more: object = {}, token?: string) {
  const body = { jobExecutionId: id, ...more };
  return pawl.send({ method: "POST", path: `/api/v2/job/${action}`, body, token });
}

function decide(id: string, approve: boolean, more: Partial<Raw> & { comment?: string } = {}) {
  const { comment, ...raw } = more;
  const query = new URLSearchParams({
    jobExecutionId: id,
    approve: String(approve),
    ...(comment ? { comment } : {}),
  });
  return pawl.send({ method: "GET", path: `/api/v2/job/job-resume?${query}`, ...raw });
}

/** The seed's five fields, bare, and nothing else. */
function assertAction(
  answer: Awaited<ReturnType<typeof control>>,
  action: string,
  status: string,
  id: string,
) {
  assert.equal(answer.status, 200, answer.text);
  const { message, timestamp, ...rest } = answer.json;
  assert.deepEqual(rest, { executionId: id, action, status });
  assert.match(message, /^[A-Z].*\.$/s);
  assert.match(timestamp, ISO);
}

function assertRefused(
  answer: { status: number; json: { error: { code: string }; message: string }; text: string },
  status: number,
  code: string,
  message = /./,
) {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.error.code, code);
  assert.match(answer.json.message, message);
}

describe("pause and resume", () => {
  test("pause is PAUSED at once with draining: true until the step has finished, keeps its result and starts nothing further", async () => {
    await using held = await gate();
    const { id } = await begin(
      [{ key: "ask", type: "http", input: { url: held.url } }, set("next")],
      (execution) => execution.stepExecutions[0]!.status === "RUNNING",
    );
    const response = await held.asked();
    assertAction(await control("pause", id, { reason: "for lunch" }), "PAUSE", "PAUSED", id);
    const draining = await read(id);
    assert.deepEqual(
      [draining.status, draining.draining, draining.stepExecutions.map((step) => step.status)],
      ["PAUSED", true, ["RUNNING", "PENDING"]],
    );
    response.end();
    const drained = await pawl.readUntil(id, (execution) => !execution.draining);
    assert.deepEqual(
      [drained.status, drained.stepExecutions.map((step) => step.status)],
      ["PAUSED", ["COMPLETED", "PENDING"]],
    );
    assertAction(await control("resume", id), "RESUME", "RUNNING", id);
    const ended = await pawl.ended(id);
    assert.equal(ended.status, "COMPLETED");
    assert.deepEqual(
      ended.actions.map(({ action, actor, reason, fromStatus, toStatus }) => [
        action,
        actor,
        reason,
        fromStatus,
        toStatus,
      ]),
      [
        ["PAUSE", "admin", "for lunch", "RUNNING", "PAUSED"],
        ["RESUME", "admin", null, "PAUSED", "RUNNING"],
      ],
    );
    assert.ok(ended.pausedMs > 0);
    assert.equal(ended.durationMs, ended.activeDurationMs + ended.pausedMs);
    const [, next] = ended.stepExecutions;
    const resumed = ended.actions[1]!.at;
    assert.ok(next!.startTime! >= resumed, `began before the resume: ${next!.startTime} ${resumed}`);
  });

  test("paused time counts towards neither the timeout nor activeDurationMs, and durationMs stays end minus start", async () => {
    await using held = await gate();
    const ask = { key: "ask", type: "http", input: { url: held.url } };
    const running = (execution: JobExecution) => execution.stepExecutions[0]!.status === "RUNNING";
    const { id } = await begin([ask, set("next")], running, { timeoutMs: 1_000 });
    const response = await held.asked();
    await control("pause", id);
    await delay(1_200);
    const paused = await read(id);
    assert.ok(paused.pausedMs >= 1_100 && paused.activeDurationMs < 1_000);
    response.end();
    await pawl.readUntil(id, (execution) => !execution.draining);
    await control("resume", id);
    const ended = await pawl.ended(id);
    assert.equal(ended.status, "COMPLETED", ended.error?.message);
    assert.ok(ended.durationMs! >= 1_200 && ended.activeDurationMs < 1_000);
    assert.equal(ended.durationMs, Date.parse(ended.endTime!) - Date.parse(ended.startTime));
    assert.equal(ended.durationMs, ended.activeDurationMs + ended.pausedMs);
  });

  test("an optional resumeAt is shown, and resumes by itself", async () => {
    const { id } = await begin([wait("800ms"), set("next")], waits);
    const resumeAt = new Date(Date.now() + 400).toISOString();
    const answer = await control("pause", id, { resumeAt });
    assert.match(answer.json.message, new RegExp(resumeAt));
    assert.equal((await read(id)).resumeAt, resumeAt);
    const ended = await pawl.ended(id);
    assert.equal(ended.status, "COMPLETED");
    assert.ok(ended.actions[1]!.at >= resumeAt);
    assert.equal(ended.actions[1]!.action, "RESUME");
  });

  test("a step that waits is WAITING while it is paused, and one that has not begun PENDING", async () => {
    const { id } = await begin([wait()], waits);
    await control("pause", id);
    assert.equal((await read(id)).stepExecutions[0]!.status, "WAITING");
    await control("stop", id);
    assert.equal((await read(id)).stepExecutions[0]!.status, "STOPPED");
  });
});

test("an execution that waits for a place among those of its job has begun no step", async () => {
  const first = await begin([wait()], waits, { concurrency: { limit: 1, onLimit: "queue" } });
  const { data } = await pawl.client.startJob({ body: { jobId: first.job.id } });
  const queued = await read(data.executionId);
  assert.equal(queued.stepExecutions[0]!.status, "PENDING");
  assert.deepEqual(
    [queued.status, queued.waiting!.reason, queued.waiting!.until],
    ["RUNNING", "place", null],
  );
  assert.match(queued.waiting!.message, /place.*allows 1 at a time/);
  const running = await read(first.id);
  assert.deepEqual(
    [running.waiting!.reason, running.waiting!.until],
    ["time", running.stepExecutions[0]!.waitingUntil],
  );
  await control("stop", first.id);
  await pawl.readUntil(data.executionId, waits);
  await control("stop", data.executionId);
});

describe("stop", () => {
  for (const paused of [false, true]) {
    test(`ends ${paused ? "a paused one" : "the step under way"} for good, with the reason`, async () => {
      const { id } = await begin([set("first"), wait(), set("last")], waits);
      if (paused) await control("pause", id);
      assertAction(await control("stop", id, { reason: "wrong day" }), "STOP", "STOPPED", id);
      const { status, stepExecutions, error, actions, endTime } = await read(id);
      assert.deepEqual(
        [status, stepExecutions.map((step) => step.status)],
        ["STOPPED", ["COMPLETED", "STOPPED", "PENDING"]],
      );
      assert.match(error!.message, /Stopped by admin: wrong day/);
      assert.equal(actions.at(-1)!.reason, "wrong day");
      assert.equal(actions.at(-1)!.at, endTime);
      assertRefused(await control("stop", id), 409, "INVALID_STATE", /STOPPED.*Allowed now: restart/);
      assertRefused(await control("pause", id), 409, "INVALID_STATE", /restart/);
      assertRefused(await control("resume", id), 409, "INVALID_STATE", /restart/);
      assertRefused(await decide(id, true), 409, "INVALID_STATE");
    });
  }
});

describe("restart", () => {
  test("goes on from the failed step, names it, keeps results byte for byte and the attempt before", async () => {
    await using held = await gate();
    const { id, workflowId, job } = await begin(
      [set("first", { n: 1 }), { key: "ask", name: "Ask", type: "http", input: { url: held.url } }],
      (execution) => execution.stepExecutions[1]!.status === "RUNNING",
    );
    (await held.asked()).writeHead(404).end();
    const failed = await pawl.ended(id);
    assert.equal(failed.status, "FAILED");
    const answer = await control("restart", id);
    assertAction(answer, "RESTART", "RUNNING", id);
    assert.match(answer.json.message, /'Ask' \(ask\)/);
    (await held.asked()).end();
    const ended = await pawl.ended(id);
    assert.equal(ended.status, "COMPLETED");
    assert.notEqual(ended.workflowId, workflowId);
    assert.deepEqual(ended.stepExecutions[0], failed.stepExecutions[0]);
    assert.deepEqual(
      ended.stepExecutions.map((step) => step.run),
      [1, 2],
    );
    assert.deepEqual(
      ended.attempts.map(({ run, status, workflowId, fromStep }) => [run, status, workflowId, fromStep?.key]),
      [
        [1, "FAILED", workflowId, undefined],
        [2, "COMPLETED", ended.workflowId, "ask"],
      ],
    );
    assert.deepEqual(ended.attempts[0]!.error, failed.error);
    assert.equal(ended.durationMs, Date.parse(ended.endTime!) - Date.parse(failed.startTime));
    const between = Date.parse(ended.attempts[1]!.startTime) - Date.parse(failed.endTime!);
    assert.equal(ended.activeDurationMs, ended.durationMs! - between);

    const { data: before } = await pawl.client.getExecution({ params: { id }, query: { run: 1 } });
    assert.deepEqual(
      [before.status, before.workflowId, before.error, before.endTime, before.stepExecutions],
      ["FAILED", workflowId, failed.error, failed.endTime, failed.stepExecutions],
    );
    const { data: summary } = await pawl.client.getExecutionSummary({ params: { jobId: job.id } });
    assert.deepEqual(
      [summary.totalExecutions, summary.successCount, summary.failureCount, summary.successRate],
      [1, 1, 0, 100],
    );
    assert.equal(summary.avgDurationMs, ended.durationMs);
  });

  test("takes a step by id or key, and refuses one that is not there or comes too late", async () => {
    const { id, job } = await begin([set("first"), fails, set("last")], has("FAILED"));
    for (const fromStepId of ["first", job.steps[0]!.id]) {
      const answer = await control("restart", id, { fromStepId });
      assert.match(answer.json.message, /'first'/);
      await pawl.ended(id);
    }
    assertRefused(
      await control("restart", id, { fromStepId: "nope" }),
      400,
      "VALIDATION_FAILED",
      /nope.*first/s,
    );
    assertRefused(await control("restart", id, { fromStepId: "last" }), 400, "VALIDATION_FAILED", /burst/);
    const { attempts, run } = await read(id);
    assert.deepEqual([run, attempts.map((attempt) => attempt.run)], [3, [1, 2, 3]]);
  });

  test("keeps the logs of each attempt", async () => {
    const log = { key: "say", type: "log", input: { message: "hello" } };
    const { id } = await begin([log, fails], has("FAILED"));
    await control("restart", id);
    await pawl.ended(id);
    const of = async (run?: number) =>
      (await pawl.client.getExecutionLogs({ params: { id }, query: run ? { run } : {} })).data;
    assert.deepEqual(
      (await of(1)).map((line) => [line.run, line.message]),
      [[1, "hello"]],
    );
    assert.deepEqual(await of(), []);
    assertRefused(
      await pawl.send({ method: "GET", path: `/jobExecution/${id}/logs?run=3` }),
      404,
      "NOT_FOUND",
    );
  });
});

const form = {
  type: "object",
  required: ["amount"],
  properties: { amount: { type: "integer" }, note: { type: "string", default: "none" } },
  additionalProperties: false,
};
const approval = (input: object = {}) => ({
  key: "ok",
  type: "approval",
  input: { message: "May <it>?", ...input },
});
const asked = (input: object = {}) => begin([set("first"), approval(input), set("last")], has("PAUSED"));

describe("approval", () => {
  test("tells what it waits for, and resume does not lift it", async () => {
    const { id, job } = await asked({ form, principals: ["ana"], deadline: "1h", onDeadline: "fail" });
    const { waitingFor, stepExecutions } = await read(id);
    const { deadline, ...rest } = waitingFor!;
    assert.deepEqual(rest, {
      kind: "decision",
      stepExecutionId: stepExecutions[1]!.id,
      stepId: job.steps[1]!.id,
      stepKey: "ok",
      message: "May <it>?",
      form,
      authorities: [],
      principals: ["ana"],
      onDeadline: "fail",
    });
    const [, step] = stepExecutions;
    assert.deepEqual([step!.status, step!.attempts, step!.waitingUntil], ["WAITING", 1, deadline]);
    assertRefused(await control("resume", id), 409, "INVALID_STATE", /waits for a decision/);
    await control("stop", id);
    assert.equal((await read(id)).waitingFor, null);
  });

  test("approve goes on, reject stops, and a second decision is refused", async () => {
    for (const approve of [true, false]) {
      const { id } = await asked();
      const answer = await decide(id, approve, { comment: "as agreed" });
      assertAction(answer, approve ? "RESUME" : "STOP", approve ? "RUNNING" : "STOPPED", id);
      const ended = await pawl.ended(id);
      assert.equal(ended.status, approve ? "COMPLETED" : "STOPPED");
      const [{ action, reason }] = ended.actions as [(typeof ended.actions)[0]];
      assert.deepEqual([action, reason], [approve ? "APPROVE" : "REJECT", "as agreed"]);
      assertRefused(await decide(id, approve), 409, "INVALID_STATE");
      if (!approve) assert.match(ended.error!.message, /Rejected by admin: as agreed/);
    }
  });

  test("HEAD and prefetches decide nothing", async () => {
    const { id } = await asked();
    assert.equal((await decide(id, true, { method: "HEAD" })).status, 405);
    for (const headers of [
      { "sec-purpose": "prefetch" },
      { "sec-purpose": "prefetch;prerender" },
      { purpose: "prefetch" },
      { "x-moz": "prefetch" },
    ]) {
      assertRefused(
        await decide(id, true, { headers: headers as never }),
        400,
        "VALIDATION_FAILED",
        /prefetch/,
      );
    }
    assert.equal((await read(id)).status, "PAUSED");
    assert.equal((await decide(id, false)).status, 200);
  });

  test("answers are checked against the form, all faults are listed, and they become the output", async () => {
    const { id } = await asked({ form });
    assertRefused(await decide(id, true), 400, "VALIDATION_FAILED", /POST/);
    const wrong = await control("job-resume", id, { approve: true, answers: { amount: "x", nope: 1 } });
    assertRefused(wrong, 400, "VALIDATION_FAILED");
    assert.deepEqual(wrong.json.error.details.map((fault: { path: string }) => fault.path).sort(), [
      "/answers/amount",
      "/answers/nope",
    ]);
    const rejected = await control("job-resume", id, { approve: false, answers: { amount: 1 } });
    assertRefused(rejected, 400, "VALIDATION_FAILED");
    assert.equal((await control("job-resume", id, { approve: true, answers: { amount: 3 } })).status, 200);
    const { stepExecutions } = await pawl.ended(id);
    const output = stepExecutions[1]!.output as Record<string, unknown>;
    assert.deepEqual(
      [output.amount, output.note, output.approved, output.decidedBy],
      [3, "none", true, "admin"],
    );
  });

  test("only those whom the step names may decide, by name or by authority", async () => {
    const approve = "JobService:JobExecution:approve";
    const ana = await pawl.principal([approve]);
    const boss = await pawl.principal([approve, "Shop:Order:approve"]);
    const other = await pawl.principal([approve]);
    for (const who of [ana, boss]) {
      const { id } = await asked({ principals: [ana.name], authorities: ["Shop:Order:approve"] });
      for (const attempt of [
        await decide(id, true, { token: other.token }),
        await control("job-resume", id, { approve: true }, other.token),
        await pawl.send({
          method: "POST",
          path: `/jobExecution/${id}/approval-links`,
          body: {},
          token: other.token,
        }),
      ]) {
        assertRefused(attempt, 403, "FORBIDDEN", /may not decide.*Shop:Order:approve/);
      }
      assert.equal((await decide(id, true, { token: who.token })).status, 200);
      assert.equal((await pawl.ended(id)).actions[0]!.actor, who.name);
    }
  });

  test("job-resume moves one that was paused by hand, for those who may control it", async () => {
    const approver = await pawl.principal(["JobService:JobExecution:approve"]);
    for (const approve of [true, false]) {
      const { id } = await begin([wait()], waits);
      await control("pause", id);
      assertRefused(await decide(id, approve, { token: approver.token }), 403, "FORBIDDEN", /control/);
      const answer = await decide(id, approve);
      assertAction(answer, approve ? "RESUME" : "STOP", approve ? "RUNNING" : "STOPPED", id);
      if (approve) await control("stop", id);
    }
  });
});

describe("approval links", () => {
  const links = async (id: string, body: object = {}) => {
    const made = await pawl.send({ method: "POST", path: `/jobExecution/${id}/approval-links`, body });
    assert.equal(made.status, 201, made.text);
    const path = (url: string) => new URL(url).pathname.replace("/base", "");
    const { approveUrl, rejectUrl, expiresAt } = made.json.data;
    assert.ok(approveUrl.startsWith("https://pawl.example/base/approval/"));
    return { approve: path(approveUrl), reject: path(rejectUrl), expiresAt };
  };
  const open = (path: string, more: Partial<Raw> = {}) =>
    pawl.send({ method: "GET", path, token: null, headers: { accept: "text/html" }, ...more });
  const press = (path: string, body = "", accept = "text/html") =>
    pawl.send({
      method: "POST",
      path,
      token: null,
      body,
      headers: { accept, "content-type": "application/x-www-form-urlencoded" },
    });

  test("show a page without script that escapes what it shows, and looking decides nothing", async () => {
    const { id } = await asked({ form });
    const { approve, reject } = await links(id);
    for (const path of [approve, reject]) {
      for (const more of [{}, { headers: { "sec-purpose": "prefetch" } }, { method: "HEAD" }]) {
        const page = await open(path, more);
        assert.equal(page.status, 200, page.text);
        assert.match(String(page.headers["content-type"]), /^text\/html/);
        const policy = String(page.headers["content-security-policy"]);
        assert.match(policy, /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
        assert.doesNotMatch(policy, /unsafe|script/);
        assert.equal(page.headers["referrer-policy"], "no-referrer");
        assert.doesNotMatch(page.text, /<script|<it>/);
      }
    }
    assert.match((await open(approve)).text, /May &#60;it&#62;\?/);
    assert.match((await open(approve)).text, /name="answers.amount" type="number"/);
    assert.doesNotMatch((await open(reject)).text, /answers/);
    assert.equal((await read(id)).status, "PAUSED");
    await control("stop", id);
  });

  test("decide once: the other of the pair serves no more either", async () => {
    const { id } = await asked({ form });
    const { approve, reject } = await links(id);
    const wrong = await press(approve, "answers.amount=much");
    assert.deepEqual([wrong.status, /class="fault">amount must/i.test(wrong.text)], [400, true]);
    assert.match(wrong.text, /value="much"/, "what was typed is not lost");
    const done = await press(approve, "answers.amount=7&comment=fine");
    assert.equal(done.status, 200, done.text);
    const { status, actions, stepExecutions } = await pawl.ended(id);
    assert.equal(status, "COMPLETED");
    assert.deepEqual([actions[0]!.actor, actions[0]!.reason], ["admin (approval link)", "fine"]);
    assert.equal((stepExecutions[1]!.output as { amount: number }).amount, 7);
    for (const path of [approve, reject]) {
      const again = await press(path);
      assert.equal(again.status, 409);
      assert.match(again.text, /<h1>.*approved by admin \(approval link\) on \d{4}-/s);
      assertRefused(await press(path, "", "application/json"), 409, "INVALID_STATE", /used before/);
      assert.equal((await open(path)).status, 409);
    }
  });

  test("are pressed by many at once, and one decides", async () => {
    const { id } = await asked();
    const { approve, reject } = await links(id);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => press(i % 2 ? approve : reject)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)]);
    assert.equal((await pawl.ended(id)).actions.length, 1);
  });

  test("are worth nothing once it was decided otherwise, or for another attempt", async () => {
    const { id } = await asked();
    const { approve } = await links(id);
    await decide(id, false);
    const second = await press(approve);
    assert.equal(second.status, 409);
    assert.match(second.text, /rejected by admin on /);
    await control("restart", id, { fromStepId: "first" });
    await pawl.readUntil(id, has("PAUSED"));
    const late = await press(approve);
    assert.equal(late.status, 409);
    assert.match(late.text, /not wait for this decision any more/);
    assert.equal((await decide(id, true)).status, 200);
  });

  test("do not outlive the step's deadline, and need a decision to wait for", async () => {
    const { id } = await asked({ deadline: "2h" });
    const { expiresAt } = await links(id);
    assert.equal(expiresAt, (await read(id)).waitingFor!.deadline);
    await decide(id, true);
    const made = await pawl.send({ method: "POST", path: `/jobExecution/${id}/approval-links`, body: {} });
    assertRefused(made, 409, "INVALID_STATE");
    assertRefused(await press(`/approval/${"A".repeat(43)}`, "", "*/*"), 404, "NOT_FOUND");
  });
});

describe("who may control", () => {
  test("nobody without the authority, nor of a foreign job", async () => {
    const { id } = await begin([wait()], waits);
    const reader = await pawl.principal(["JobService:JobExecution:read", "JobService:JobExecution:approve"]);
    const foreign = await pawl.principal(["*:*:*"], { ids: [newId()] });
    for (const action of ["stop", "pause", "resume", "restart"]) {
      assertRefused(await control(action, id, {}, reader.token), 403, "FORBIDDEN", /JobExecution:control/);
      assertRefused(await control(action, id, {}, foreign.token), 404, "NOT_FOUND");
      assertRefused(await control(action, newId()), 404, "NOT_FOUND");
      assertRefused(await control(action, id, { nope: 1 }), 400, "VALIDATION_FAILED");
      const anybody = await pawl.send({
        method: "POST",
        path: `/api/v2/job/${action}`,
        body: {},
        token: null,
      });
      assertRefused(anybody, 401, "UNAUTHENTICATED");
    }
    assertRefused(await decide(id, true, { token: foreign.token }), 404, "NOT_FOUND");
    const decided = await decide(id, true);
    assertRefused(decided, 409, "INVALID_STATE", /RUNNING/);
    assert.deepEqual((await read(id)).actions, []);
    await control("stop", id);
  });
});

describe("bulk", () => {
  const bulk = (body: object, token?: string) =>
    pawl.send({ method: "POST", path: "/jobExecution/bulk", body, token });
  const ofJob = (id: string, more: object = {}) => ({
    filters: { jobId: { operator: "and", constraints: [{ value: id, matchMode: "equals" }] }, ...more },
  });

  test("counts, then acts on all that may be acted on, and tells what became of each", async () => {
    const job = await makeJob([wait()]);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push((await pawl.client.startJob({ body: { jobId: job.id } })).data.executionId);
    }
    const other = await begin([wait()], waits);
    await control("stop", ids[4]!);
    const filter = ofJob(job.id);
    const dry = await bulk({ action: "PAUSE", filter, dryRun: true });
    assert.deepEqual([dry.json.data.matched, dry.json.data.outcomes], [4, []]);
    assert.equal((await read(ids[0]!)).status, "RUNNING");

    const first = await bulk({ action: "PAUSE", filter, reason: "storm", limit: 3 });
    assert.equal(first.status, 200, first.text);
    const { matched, done, failed, remaining, next, outcomes } = first.json.data;
    assert.deepEqual([matched, done, failed, remaining, next], [4, 3, 0, 1, ids[2]]);
    assert.deepEqual(
      outcomes.map((one: { executionId: string; status: string }) => [one.executionId, one.status]),
      ids.slice(0, 3).map((id) => [id, "PAUSED"]),
    );
    const second = await bulk({ action: "PAUSE", filter, limit: 3, after: next });
    assert.deepEqual(
      [second.json.data.done, second.json.data.remaining, second.json.data.next],
      [1, 0, null],
    );
    assert.equal((await read(ids[0]!)).actions[0]!.reason, "storm");
    assert.equal((await read(other.id)).status, "RUNNING");

    const resumed = await bulk({ action: "RESUME", filter: { ...filter, page: 3, size: 1 } });
    assert.equal(resumed.json.data.done, 4);
    const foreign = await pawl.principal(["*:*:*"], { ids: [other.job.id] });
    assert.equal((await bulk({ action: "STOP", filter }, foreign.token)).json.data.matched, 0);
    assert.equal((await bulk({ action: "STOP", filter: {} }, foreign.token)).json.data.done, 1);
    assert.equal((await bulk({ action: "STOP", filter })).json.data.done, 4);
    assert.equal((await bulk({ action: "STOP", filter })).json.data.matched, 0);
    const again = await bulk({ action: "RESTART", filter });
    assert.equal(again.json.data.done, 5);
    assert.match(again.json.data.outcomes[0].message, /Restarted from step 'long'/);
    await bulk({ action: "STOP", filter });
  });
});
