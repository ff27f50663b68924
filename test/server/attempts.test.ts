import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { JobInput } from "../../src/contract/job.ts";
import { createPool } from "../../src/db/pool.ts";
import { readLogs } from "../../src/executions/read.ts";
import { executionStore } from "../../src/executions/store.ts";
import { gate } from "../helpers/gate.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl({ PAWL_PUBLIC_URL: "https://pawl.example" });
});
after(() => pawl.close());

type Step = JobInput["steps"][number];

let jobs = 0;
const set = (key: string, values: object = { key }): Step => ({ key, type: "set", input: { values } });
const fails: Step = { key: "burst", type: "script", input: { source: "throw new Error('no coffee')" } };
const asks = (key: string, more: object = {}): Step => ({
  key,
  type: "approval",
  input: { message: `${key}?`, ...more },
});

async function makeJob(steps: Step[], more: Partial<JobInput> = {}) {
  return (await pawl.client.createJob({ body: { name: `job ${++jobs}`, steps, ...more } })).data;
}

async function begin(jobId: string, parameters: Record<string, unknown> = {}): Promise<string> {
  return (await pawl.client.startJob({ body: { jobId, parameters } })).data.executionId;
}

const read = async (id: string) => (await pawl.client.getExecution({ params: { id } })).data;
const post = (path: string, body: object, token?: string) => pawl.send({ method: "POST", path, body, token });
const restart = (jobExecutionId: string, more: object = {}, token?: string) =>
  post("/api/v2/job/restart", { jobExecutionId, ...more }, token);
const decide = (jobExecutionId: string, more: object) =>
  post("/api/v2/job/job-resume", { jobExecutionId, ...more });

describe("a restart with the newest version", () => {
  test("keeps results of steps that are the same by key and type, and runs the rest as they are now", async () => {
    const job = await makeJob([set("first", { n: 1 }), fails, set("last")]);
    const id = await begin(job.id);
    const failed = await pawl.ended(id);
    const mended = [set("first", { n: 2 }), { ...fails, input: { source: "return 'tea'" } }, set("other")];
    await pawl.client.replaceJob({ params: { id: job.id }, body: { name: "mended", steps: mended } });

    const same = await restart(id);
    assert.equal(same.status, 200, same.text);
    assert.equal((await pawl.ended(id)).status, "FAILED", "without it the version stays");

    const answer = await restart(id, { version: "latest" });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.json.message, /'burst'/);
    const ended = await pawl.ended(id);
    assert.deepEqual([ended.status, ended.jobVersion, ended.jobName], ["COMPLETED", 2, "mended"]);
    assert.deepEqual(ended.stepExecutions[0], failed.stepExecutions[0], "kept as it was");
    assert.deepEqual(
      ended.stepExecutions.map((step) => [step.stepKey, step.output]),
      [
        ["first", { n: 1 }],
        ["burst", "tea"],
        ["other", { key: "other" }],
      ],
    );
    assert.deepEqual(
      ended.attempts.map(({ run, jobVersion, status, fromStep }) => [run, jobVersion, status, fromStep?.key]),
      [
        [1, 1, "FAILED", undefined],
        [2, 1, "FAILED", "burst"],
        [3, 2, "COMPLETED", "burst"],
      ],
    );
    const { data: first } = await pawl.client.getExecution({ params: { id }, query: { run: 1 } });
    assert.deepEqual(
      first.stepExecutions.map((step) => step.stepKey),
      ["first", "burst", "last"],
    );
    assert.deepEqual(first.attempts, ended.attempts, "every reading lists all of them");
  });

  test("lists the kept steps that no longer match, and does nothing", async () => {
    const job = await makeJob([set("a"), set("b"), set("c"), fails]);
    const id = await begin(job.id);
    await pawl.ended(id);
    const change = (steps: Step[]) =>
      pawl.client.replaceJob({ params: { id: job.id }, body: { name: job.name, steps } });

    await change([set("a"), { key: "b", type: "log", input: { message: "b" } }, set("new"), set("c"), fails]);
    const refused = await restart(id, { version: "latest" });
    assert.deepEqual([refused.status, refused.json.error.code], [409, "CONFLICT"]);
    assert.match(refused.json.message, /'b', 'new', 'c', no longer match|'b', 'new', 'c' no longer match/);
    assert.match(refused.json.message, /Restart from 'b'/);
    assert.deepEqual(refused.json.error.details, [
      { path: "/steps/b", message: "was of type set, and is of type log now." },
      { path: "/steps/new", message: "is new in version 2, and has no result." },
      { path: "/steps/c", message: "was step 3, and is step 4 now." },
    ]);
    await change([set("a")]);
    const gone = await restart(id, { version: "latest" });
    assert.equal(gone.status, 409);
    assert.match(gone.json.message, /has no step 'burst'.*Name the step to begin with: a\./);
    assert.equal((await read(id)).run, 1);
    const whole = await restart(id, { version: "latest", fromStepId: "a" });
    assert.equal(whole.status, 200, whole.text);
    assert.equal((await pawl.ended(id)).status, "COMPLETED");
  });

  test("is refused once the job is deleted, and to those who may not start it", async () => {
    const job = await makeJob([fails]);
    const id = await begin(job.id);
    await pawl.ended(id);
    const controller = await pawl.principal(["JobService:JobExecution:control"]);
    for (const more of [{ version: "latest" }, { parameters: {} }]) {
      const refused = await restart(id, more, controller.token);
      assert.deepEqual([refused.status, refused.json.error.code], [403, "FORBIDDEN"]);
    }
    await pawl.client.deleteJob({ params: { id: job.id } });
    const refused = await restart(id, { version: "latest" });
    assert.deepEqual([refused.status, refused.json.error.code], [409, "CONFLICT"]);
    assert.match(refused.json.message, /deleted/);
  });
});

describe("a restart with other parameters", () => {
  const parameters = {
    type: "object",
    required: ["n"],
    properties: { n: { type: "integer" }, unit: { type: "string", default: "kg" } },
  };
  const shows = set("show", { n: "{{ params.n }}" });

  test("runs with them; each attempt shows its own", async () => {
    const job = await makeJob([set("first", { n: "{{ params.n }}" }), fails, shows], { parameters });
    const id = await begin(job.id, { n: 1 });
    await pawl.ended(id);
    await pawl.client.replaceJob({
      params: { id: job.id },
      body: { name: job.name, parameters, steps: [set("first"), set("burst"), shows] },
    });
    // The step that it begins with may be of another type: it has no result that is kept.
    const answer = await restart(id, { version: "latest", parameters: { n: 2 } });
    assert.equal(answer.status, 200, answer.text);
    const ended = await pawl.ended(id);
    assert.deepEqual(ended.parameters, { n: 2, unit: "kg" });
    assert.deepEqual(
      [ended.stepExecutions[0]!.output, ended.stepExecutions[2]!.output],
      [{ n: 1 }, { n: 2 }],
    );
    assert.deepEqual(
      ended.attempts.map((attempt) => attempt.parameters),
      [
        { n: 1, unit: "kg" },
        { n: 2, unit: "kg" },
      ],
    );
    const { data: first } = await pawl.client.getExecution({ params: { id }, query: { run: 1 } });
    assert.deepEqual(first.parameters, { n: 1, unit: "kg" });
  });

  test("lists what does not fit the version, also of those that it had", async () => {
    const job = await makeJob([fails], { parameters });
    const id = await begin(job.id, { n: 1 });
    await pawl.ended(id);
    const wrong = await restart(id, { parameters: { n: "x", unit: 3 } });
    assert.deepEqual([wrong.status, wrong.json.error.code], [400, "VALIDATION_FAILED"]);
    assert.deepEqual(wrong.json.error.details.map((fault: { path: string }) => fault.path).sort(), [
      "/parameters/n",
      "/parameters/unit",
    ]);
    await pawl.client.replaceJob({
      params: { id: job.id },
      body: {
        name: job.name,
        steps: [fails],
        parameters: { type: "object", required: ["day"], properties: { day: { type: "string" } } },
      },
    });
    const unfit = await restart(id, { version: "latest" });
    assert.equal(unfit.status, 400, unfit.text);
    assert.match(unfit.json.message, /parameters of the execution don't fit version 2/);
    assert.equal((await read(id)).run, 1);
  });
});

describe("a decision that names its question", () => {
  test("is refused when the execution waits for another by now, and answers nothing", async () => {
    const job = await makeJob([asks("one"), asks("two")]);
    const id = await begin(job.id);
    const waits = (key: string) => pawl.readUntil(id, ({ waitingFor }) => waitingFor?.stepKey === key);
    const first = (await waits("one")).waitingFor!.stepExecutionId;
    assert.equal((await decide(id, { approve: true, stepExecutionId: first })).status, 200);
    const second = (await waits("two")).waitingFor!.stepExecutionId;
    assert.notEqual(second, first);
    for (const approve of [true, false]) {
      const late = await decide(id, { approve, stepExecutionId: first });
      assert.deepEqual([late.status, late.json.error.code], [409, "INVALID_STATE"]);
      const query = `jobExecutionId=${id}&approve=${approve}&stepExecutionId=${first}`;
      assert.equal((await pawl.send({ method: "GET", path: `/api/v2/job/job-resume?${query}` })).status, 409);
    }
    assert.equal((await read(id)).waitingFor!.stepKey, "two");

    // The same step in another attempt is another question.
    await decide(id, { approve: false, stepExecutionId: second });
    assert.equal((await decide(id, { approve: true, stepExecutionId: second })).status, 409);
    await restart(id, { fromStepId: "two" });
    const third = (await waits("two")).waitingFor!.stepExecutionId;
    assert.equal((await decide(id, { approve: true, stepExecutionId: second })).status, 409);
    assert.equal((await decide(id, { approve: true, stepExecutionId: third })).status, 200);
    assert.equal((await pawl.ended(id)).status, "COMPLETED");
  });

  test("is refused while the execution is paused by hand", async () => {
    const job = await makeJob([{ key: "long", type: "wait", input: { duration: "1h" } }]);
    const id = await begin(job.id);
    await post("/api/v2/job/pause", { jobExecutionId: id });
    const { stepExecutions } = await read(id);
    const answer = await decide(id, { approve: true, stepExecutionId: stepExecutions[0]!.id });
    assert.equal(answer.status, 409);
    assert.equal((await read(id)).status, "PAUSED");
    await post("/api/v2/job/stop", { jobExecutionId: id });
  });
});

describe("approval links", () => {
  const press = (url: string) =>
    pawl.send({
      method: "POST",
      path: new URL(url).pathname,
      body: "",
      token: null,
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
    });

  test("belong to one question: the next one is not answered by them", async () => {
    const job = await makeJob([asks("one"), asks("two")]);
    const id = await begin(job.id);
    await pawl.readUntil(id, ({ waitingFor }) => waitingFor?.stepKey === "one");
    const { data } = await pawl.client.createApprovalLinks({ params: { id }, body: {} });
    await decide(id, { approve: true });
    await pawl.readUntil(id, ({ waitingFor }) => waitingFor?.stepKey === "two");
    for (const url of [data.approveUrl, data.rejectUrl]) {
      const late = await press(url);
      assert.equal(late.status, 409);
      assert.match(late.text, /not wait for this decision any more/);
    }
    assert.equal((await read(id)).status, "PAUSED");
    await decide(id, { approve: false });
  });

  test("decide only as long as who made them may: authority, limits and the step's own rule are looked at again", async () => {
    const job = await makeJob([asks("one", { principals: ["ana", "bo"] })], { tags: ["ours"] });
    const rights = {
      kind: "user" as const,
      authorities: ["JobService:JobExecution:approve", "JobService:JobExecution:read"],
      jobs: { tags: ["ours"] },
    };
    const made = await pawl.client.createPrincipal({ body: { name: "ana", ...rights } });
    const { data: token } = await pawl.client.createToken({
      body: { principalId: made.data.id, name: "links" },
    });
    const id = await begin(job.id);
    await pawl.readUntil(id, ({ waitingFor }) => waitingFor !== null);
    const { data: links } = await pawl.as(token.token).createApprovalLinks({ params: { id }, body: {} });
    const change = (more: object) =>
      pawl.client.replacePrincipal({
        params: { id: made.data.id },
        body: { name: "ana", ...rights, ...more },
      });
    for (const less of [
      { authorities: ["JobService:JobExecution:read"] },
      { jobs: { tags: ["theirs"] } },
      { name: "nobody that the step names" },
    ]) {
      await change(less);
      const answer = await press(links.approveUrl);
      assert.equal(answer.status, 409, JSON.stringify(less));
      assert.match(answer.text, /may not decide this any more/);
    }
    await change({});
    assert.equal((await press(links.approveUrl)).status, 200);
    assert.equal((await pawl.ended(id)).actions[0]!.actor, "ana (approval link)");
  });
});

describe("a step that runs a job", () => {
  test("names the execution that it started while that runs, and afterwards, however it ended", async () => {
    await using held = await gate();
    const inner = await makeJob([{ key: "ask", type: "http", input: { url: held.url } }]);
    const outer = await makeJob([{ key: "run", type: "job", input: { jobId: inner.id } }]);
    const childOf = async (id: string) => (await read(id)).stepExecutions[0]!.childExecutionId!;
    for (const [end, status] of [
      [200, "COMPLETED"],
      [404, "FAILED"],
      [undefined, "STOPPED"],
    ] as const) {
      const id = await begin(outer.id);
      const response = await held.asked();
      const while_ = await pawl.readUntil(
        id,
        ({ stepExecutions }) => stepExecutions[0]!.status === "WAITING",
      );
      assert.equal(while_.waiting!.reason, "job");
      const child = await childOf(id);
      assert.equal((await read(child)).status, "RUNNING");
      if (end) response.writeHead(end).end();
      else await post("/api/v2/job/stop", { jobExecutionId: id });
      const ended = await pawl.ended(id);
      assert.equal(ended.status, status);
      assert.equal(ended.stepExecutions[0]!.childExecutionId, child);
      assert.equal((await pawl.ended(child)).status, status);
    }
  });
});

describe("the summary after a restart", () => {
  const summary = async (jobId: string) =>
    (await pawl.client.getExecutionSummary({ params: { jobId } })).data;

  test("has the shortest, the longest and the last of the executions as they are, not as they were", async () => {
    await using held = await gate();
    const job = await makeJob([{ key: "ask", type: "http", input: { url: held.url } }]);
    const ids: string[] = [];
    for (const status of [404, 200]) {
      ids.push(await begin(job.id));
      (await held.asked()).writeHead(status).end();
      await pawl.ended(ids.at(-1)!);
    }
    const durations = async () => (await Promise.all(ids.map(read))).map(({ durationMs }) => durationMs!);
    const before = await durations();
    const { minDurationMs, maxDurationMs, lastStatus } = await summary(job.id);
    assert.deepEqual([minDurationMs, maxDurationMs], [Math.min(...before), Math.max(...before)]);
    assert.equal(lastStatus, "COMPLETED");

    await restart(ids[0]!);
    const response = await held.asked();
    const during = await summary(job.id);
    assert.deepEqual([during.minDurationMs, during.maxDurationMs], [before[1], before[1]]);
    assert.equal(during.lastStatus, "COMPLETED", "the last is the one that was started last");
    response.writeHead(404).end();
    await pawl.ended(ids[0]!);
    for (let time = 0; time < 2; time++) {
      const now = await durations();
      const after = await summary(job.id);
      assert.deepEqual([after.minDurationMs, after.maxDurationMs], [Math.min(...now), Math.max(...now)]);
      assert.deepEqual([after.totalExecutions, after.failureCount], [2, 1]);
    }
    await post("/api/v2/job/restart", { jobExecutionId: ids[0]! });
    (await held.asked()).end();
    await pawl.ended(ids[0]!);
    const now = await durations();
    const after = await summary(job.id);
    assert.deepEqual([after.minDurationMs, after.maxDurationMs], [Math.min(...now), Math.max(...now)]);
  });
});

test("the logs of an execution are read without the outputs of its steps", async () => {
  const job = await makeJob([
    { key: "say", type: "log", input: { message: "hello" } },
    set("large", { text: "x".repeat(10_000) }),
  ]);
  const id = await begin(job.id);
  await pawl.ended(id);
  const pool = createPool({ url: pawl.databaseUrl, max: 1 });
  try {
    const asked: string[] = [];
    const spy = {
      query(...given: unknown[]) {
        asked.push(JSON.stringify(given[0]));
        return pool.query(...(given as [string]));
      },
      connect: () => assert.fail("reads the whole execution"),
    };
    const store = executionStore(spy as unknown as typeof pool);
    const principal = { id: "", name: "admin", authorities: ["*:*:*"], jobs: null, tokenId: "" };
    const { data } = await readLogs(store, principal, id, {});
    assert.deepEqual(
      data.map(({ stepKey, message }) => [stepKey, message]),
      [["say", "hello"]],
    );
    assert.ok(
      asked.every((text) => !/\boutput\b|step_execution/.test(text)),
      asked.join("\n"),
    );
  } finally {
    await pool.end();
  }
});
