import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { ClientError } from "../../src/client/error.ts";
import type { HistoryItem, HistoryRequest, StartRequest } from "../../src/contract/execution.ts";
import { newId } from "../../src/lib/ids.ts";
import { gate } from "../helpers/gate.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUIDV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl({ PAWL_SYNC_WAIT_LIMIT: "1s" });
});
after(() => pawl.close());

let jobs = 0;
const ok = { key: "only", type: "set", input: { values: { n: 1 } } };
const fails = {
  key: "burst",
  name: "Burst",
  type: "script",
  input: { source: "throw new Error('no coffee')" },
};

async function makeJob(steps: object[] = [ok], more: object = {}) {
  const name = `job ${++jobs}`;
  return (await pawl.client.createJob({ body: { name, steps: steps as [typeof ok], ...more } })).data;
}

const start = (body: object, headers: Record<string, string> = {}) =>
  pawl.send({ method: "POST", path: "/api/v2/job/start", body, headers });

async function refused(call: Promise<unknown>): Promise<ClientError> {
  return call.then(
    () => assert.fail("It was not refused."),
    (error: ClientError) => error,
  );
}

describe("POST /api/v2/job/start", () => {
  test("answers the start response, bare, as soon as the start is durable", async () => {
    await using held = await gate();
    const job = await makeJob([{ key: "ask", type: "http", input: { url: held.url } }]);
    const { status, json } = await start({ jobId: job.id });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json).sort(), ["executionId", "jobId", "startedAt", "status", "workflowId"]);
    assert.equal(json.jobId, job.id);
    assert.equal(json.status, "RUNNING");
    assert.match(json.startedAt, ISO);
    assert.match(json.executionId, UUIDV7);
    assert.match(json.workflowId, UUIDV7);
    const response = await held.asked();
    const { data } = await pawl.client.getExecution({ params: { id: json.executionId } });
    assert.deepEqual(
      [data.status, data.workflowId, data.startTime, data.endTime, data.durationMs],
      ["RUNNING", json.workflowId, json.startedAt, null, null],
    );
    response.end();
    assert.equal((await pawl.ended(json.executionId)).status, "COMPLETED");
  });

  test("does not wait for the end unless async is false: true is the default", async () => {
    await using held = await gate();
    const job = await makeJob([{ key: "ask", type: "http", input: { url: held.url } }]);
    for (const body of [{ jobId: job.id }, { jobId: job.id, async: true }]) {
      const { json } = await start(body);
      assert.equal(json.status, "RUNNING");
      (await held.asked()).end();
      await pawl.ended(json.executionId);
    }
  });

  test("with async false answers how it ended besides, and the output of the last step", async () => {
    const job = await makeJob([
      ok,
      { key: "last", type: "set", input: { values: { m: "{{ steps.only.output.n + 1 }}" } } },
    ]);
    const { status, json } = await start({ jobId: job.id, async: false });
    assert.equal(status, 200);
    const { executionId, workflowId, startedAt, endTime, durationMs, ...rest } = json;
    assert.deepEqual(rest, { jobId: job.id, status: "COMPLETED", output: { m: 2 }, error: null });
    assert.equal(Date.parse(endTime) - Date.parse(startedAt), durationMs);
    const { data } = await pawl.client.getExecution({ params: { id: executionId } });
    assert.deepEqual(
      [data.workflowId, data.startTime, data.endTime, data.durationMs],
      [workflowId, startedAt, endTime, durationMs],
    );
  });

  test("with async false tells of a failure with 200, the step and a sentence", async () => {
    const job = await makeJob([ok, fails]);
    const { status, json } = await start({ jobId: job.id, async: false });
    assert.equal(status, 200);
    assert.equal(json.status, "FAILED");
    assert.equal(json.output, null);
    assert.deepEqual(json.error, {
      code: "SCRIPT_FAILED",
      message: "The script failed: Error: no coffee (line 1).",
      stepId: job.steps[1]!.id,
      stepKey: "burst",
    });
  });

  test("with async false answers 202 RUNNING when the wait has its limit, and the execution goes on", async () => {
    await using held = await gate();
    const job = await makeJob([{ key: "ask", type: "http", input: { url: held.url } }]);
    const { status, json } = await start({ jobId: job.id, async: false });
    assert.equal(status, 202);
    assert.deepEqual(Object.keys(json).sort(), ["executionId", "jobId", "startedAt", "status", "workflowId"]);
    assert.equal(json.status, "RUNNING");
    (await held.asked()).end();
    assert.equal((await pawl.ended(json.executionId)).status, "COMPLETED");
  });

  test("goes on with the execution when the client that waits goes away", async () => {
    await using held = await gate();
    const job = await makeJob([{ key: "ask", type: "http", input: { url: held.url } }]);
    const client = request(`${pawl.url}/api/v2/job/start`, {
      method: "POST",
      headers: { authorization: `Bearer ${pawl.admin}`, "content-type": "application/json" },
    });
    client.on("error", () => {});
    client.end(JSON.stringify({ jobId: job.id, async: false }));
    const response = await held.asked();
    const closed = new Promise((resolve) => client.once("close", resolve));
    client.destroy();
    await closed;
    response.end();
    const { id } = (await pawl.client.getLastExecution({ params: { jobId: job.id } })).data;
    assert.equal((await pawl.ended(id)).status, "COMPLETED");
  });

  test("keeps triggeredBy and triggerSource, api and nothing when they are left out", async () => {
    const job = await makeJob([
      {
        key: "see",
        type: "set",
        input: { values: { by: "{{ execution.triggeredBy }}", from: "{{ execution.triggerSource }}" } },
      },
    ]);
    const given = [
      [{}, "api", null],
      [{ triggeredBy: "schedule", triggerSource: "cron" }, "schedule", "cron"],
      [{ triggeredBy: "manual" }, "manual", null],
      [
        { triggeredBy: "Ünïcode 🐎", triggerSource: "x'; drop table job --" },
        "Ünïcode 🐎",
        "x'; drop table job --",
      ],
    ] as const;
    for (const [more, by, from] of given) {
      const { json } = await start({ jobId: job.id, async: false, ...more });
      assert.deepEqual(json.output, { by, from });
      const { data } = await pawl.client.getExecution({ params: { id: json.executionId } });
      assert.deepEqual([data.triggeredBy, data.triggerSource], [by, from]);
    }
  });

  test("names who started it", async () => {
    const { name, client } = await pawl.principal(["JobService:Job:execute"]);
    const job = await makeJob();
    const { data } = await client.startJob({ body: { jobId: job.id, async: false } });
    assert.equal((await pawl.client.getExecution({ params: { id: data.executionId } })).data.startedBy, name);
  });

  test("refuses a job that is not there, or no more", async () => {
    const job = await makeJob();
    await pawl.client.deleteJob({ params: { id: job.id } });
    for (const jobId of [newId(), job.id]) {
      for (const async of [true, false]) {
        const { status, json } = await start({ jobId, async });
        assert.deepEqual([status, json.error.code], [404, "NOT_FOUND"]);
      }
    }
  });
});

describe("an Idempotency-Key", () => {
  const key = (value: string) => ({ "idempotency-key": value });
  const total = async (jobId: string) =>
    (await pawl.client.getExecutionSummary({ params: { jobId } })).data.totalExecutions;

  test("with the same body starts once, and answers the same start", async () => {
    const job = await makeJob();
    const body = { jobId: job.id, parameters: { a: [1, { b: null }] } };
    const first = (await start(body, key("once"))).json;
    await pawl.ended(first.executionId);
    for (let i = 0; i < 3; i++) {
      const { status, json } = await start(body, key("once"));
      assert.equal(status, 200);
      assert.deepEqual({ ...json, status: "RUNNING" }, first);
    }
    assert.equal(await total(job.id), 1);
  });

  test("answers how it ended to a repeated start that waits", async () => {
    const job = await makeJob([ok]);
    const body = { jobId: job.id, async: false };
    const first = (await start(body, key("ended"))).json;
    assert.equal(first.status, "COMPLETED");
    assert.deepEqual((await start(body, key("ended"))).json, first);
    const failing = { jobId: (await makeJob([fails])).id, async: false };
    const failed = (await start(failing, key("failed"))).json;
    assert.deepEqual((await start(failing, key("failed"))).json, failed);
  });

  test("lets a repeated start wait for the one that runs", async () => {
    await using held = await gate();
    const job = await makeJob([{ key: "ask", type: "http", input: { url: held.url, responseType: "text" } }]);
    const body = { jobId: job.id, async: false };
    const first = start(body, key("running"));
    const response = await held.asked();
    const second = start(body, key("running"));
    response.end();
    const [one, other] = await Promise.all([first, second]);
    assert.equal(one.json.executionId, other.json.executionId);
    assert.equal(await total(job.id), 1);
  });

  test("with another body is refused with the execution that it stands for", async () => {
    const job = await makeJob();
    const first = (await start({ jobId: job.id }, key("body"))).json;
    for (const more of [{ parameters: { a: 1 } }, { triggeredBy: "manual" }, { async: false }]) {
      const { status, json } = await start({ jobId: job.id, ...more }, key("body"));
      assert.deepEqual([status, json.error.code], [409, "IDEMPOTENCY_CONFLICT"]);
      assert.ok(json.message.includes(first.executionId), json.message);
    }
    assert.equal(await total(job.id), 1);
  });

  test("sent fifty times at once starts once", async () => {
    for (const async of [true, false]) {
      const job = await makeJob();
      const body = { jobId: job.id, async };
      const answers = await Promise.all(Array.from({ length: 50 }, () => start(body, key(`fifty ${async}`))));
      assert.deepEqual([...new Set(answers.map(({ status, text }) => (status === 200 ? 200 : text)))], [200]);
      assert.equal(new Set(answers.map(({ json }) => json.executionId)).size, 1);
      assert.equal(new Set(answers.map(({ json }) => json.workflowId)).size, 1);
      assert.equal(await total(job.id), 1);
    }
  });

  test("sent at once with different bodies starts one of them", async () => {
    const job = await makeJob();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => start({ jobId: job.id, parameters: { n } }, key("mixed"))),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(19).fill(409)]);
    assert.equal(await total(job.id), 1);
  });

  test("waits for the one before it, be the database as slow as it may", async () => {
    const job = await makeJob();
    const send = () => start({ jobId: job.id }, key("slow"));
    const holder = new pg.Client({ connectionString: pawl.databaseUrl });
    await holder.connect();
    try {
      await holder.query("begin");
      await holder.query("select from journal_lane for update");
      const first = send();
      let answered = false;
      void first.finally(() => {
        answered = true;
      });
      const blocked = "select from pg_locks where not granted";
      while (!answered && (await holder.query(blocked)).rowCount === 0) await delay(2);
      assert.equal(answered, false, "the start waits for the journal's row");
      const second = send();
      // What came after it on other connections has been answered: it has had its chance.
      for (let i = 0; i < 30; i++) await pawl.client.getJob({ params: { id: job.id } });
      await holder.query("rollback");
      const [one, other] = await Promise.all([first, second]);
      assert.deepEqual([one.status, other.status], [200, 200], other.text);
      assert.equal(one.json.executionId, other.json.executionId);
    } finally {
      await holder.end();
    }
  });

  test("is a principal's own", async () => {
    const job = await makeJob();
    const other = await pawl.principal(["JobService:Job:execute"]);
    const first = (await start({ jobId: job.id }, key("shared"))).json;
    const second = await other.client.startJob({ body: { jobId: job.id }, headers: key("shared") });
    assert.notEqual(first.executionId, second.data.executionId);
  });

  test("is not used up by a start that was refused", async () => {
    const job = await makeJob([ok], { parameters: { type: "object", required: ["a"] } });
    assert.equal((await start({ jobId: job.id }, key("refused"))).status, 400);
    assert.equal((await start({ jobId: job.id, parameters: { a: 1 } }, key("refused"))).status, 200);
  });

  test("answers the same start when the job has changed since, or is deleted", async () => {
    const job = await makeJob();
    const body = { jobId: job.id, parameters: { a: 1 } };
    const first = (await start(body, key("changed"))).json;
    await pawl.ended(first.executionId);
    const parameters = { type: "object", properties: {}, additionalProperties: false };
    await pawl.client.replaceJob({
      params: { id: job.id },
      body: { name: job.name, steps: [ok], parameters },
    });
    assert.equal((await start(body)).status, 400);
    const again = await start(body, key("changed"));
    assert.deepEqual([again.status, again.json.executionId], [200, first.executionId], again.text);
    await pawl.client.deleteJob({ params: { id: job.id } });
    const afterwards = await start(body, key("changed"));
    assert.deepEqual(
      [afterwards.status, afterwards.json.executionId],
      [200, first.executionId],
      afterwards.text,
    );
    assert.equal(
      (await start({ ...body, async: false }, key("changed"))).json.error.code,
      "IDEMPOTENCY_CONFLICT",
    );
  });
});

test("a repeated start tells nothing of a job that has left the limits of the principal", async () => {
  const job = await makeJob([ok], { tags: ["ours"] });
  const { token } = await pawl.principal(["*:*:*"], { tags: ["ours"] });
  const again = () =>
    pawl.send({
      method: "POST",
      path: "/api/v2/job/start",
      token,
      headers: { "idempotency-key": "left" },
      body: { jobId: job.id, async: false },
    });
  assert.equal((await again()).json.status, "COMPLETED");
  assert.equal((await again()).json.status, "COMPLETED");
  await pawl.client.replaceJob({ params: { id: job.id }, body: { name: job.name, steps: [ok] } });
  assert.equal((await again()).status, 404);
});

describe("parameters", () => {
  const schema = {
    type: "object",
    required: ["day", "count"],
    additionalProperties: false,
    properties: {
      day: { type: "string", format: "date" },
      count: { type: "integer", minimum: 1 },
      mode: { enum: ["fast", "slow"], default: "slow" },
      nested: { type: "object", default: {}, properties: { deep: { type: "number", default: 1.5 } } },
    },
  };

  test("get their defaults, and are kept and seen by the steps with them", async () => {
    const job = await makeJob([{ key: "see", type: "set", input: { values: { params: "{{ params }}" } } }], {
      parameters: schema,
    });
    const { json } = await start({
      jobId: job.id,
      async: false,
      parameters: { day: "2026-01-31", count: 2 },
    });
    const expected = { day: "2026-01-31", count: 2, mode: "slow", nested: { deep: 1.5 } };
    assert.deepEqual(json.output, { params: expected });
    const { data } = await pawl.client.getExecution({ params: { id: json.executionId } });
    assert.deepEqual(data.parameters, expected);
  });

  test("are refused with every fault and its place", async () => {
    const job = await makeJob([ok], { parameters: schema });
    const parameters = { day: "31.01.2026", mode: "medium", nested: { deep: "x" }, cuont: 1 };
    const { status, json } = await start({ jobId: job.id, parameters });
    assert.deepEqual([status, json.error.code], [400, "VALIDATION_FAILED"]);
    assert.ok(json.message.includes(job.name), json.message);
    const paths = json.error.details.map(({ path }: { path: string }) => path).sort();
    assert.deepEqual(paths, [
      "/parameters/count",
      "/parameters/cuont",
      "/parameters/day",
      "/parameters/mode",
      "/parameters/nested/deep",
    ]);
  });

  test("are taken as they are by a job that says nothing of them", async () => {
    const job = await makeJob();
    const parameters = { any: ["thing", { at: "all" }], ключ: "значение", "a b": null, n: -0.5, empty: "" };
    const { json } = await start({ jobId: job.id, async: false, parameters });
    const { data } = await pawl.client.getExecution({ params: { id: json.executionId } });
    assert.deepEqual(data.parameters, parameters);
  });
});

describe("GET /jobExecution", () => {
  test("has every field of the seed, and each step with its times and output", async () => {
    const job = await makeJob([
      ok,
      { key: "skipped", type: "log", when: "false", input: { message: "x" } },
      fails,
      { ...ok, key: "never" },
    ]);
    const { json: started } = await start({ jobId: job.id, async: false, triggerSource: "ui" });
    const { json } = await pawl.send({ method: "GET", path: `/jobExecution/${started.executionId}` });
    assert.deepEqual([json.status, json.error, typeof json.message], ["success", null, "string"]);
    const { data } = json;
    assert.deepEqual(
      [data.id, data.jobId, data.jobName, data.jobVersion, data.status, data.triggeredBy, data.triggerSource],
      [started.executionId, job.id, job.name, 1, "FAILED", "api", "ui"],
    );
    assert.deepEqual(data.parameters, {});
    assert.match(data.startTime, ISO);
    assert.match(data.endTime, ISO);
    assert.equal(data.error.stepKey, "burst");
    const steps = data.stepExecutions;
    assert.deepEqual(
      steps.map((step: { status: string }) => step.status),
      ["COMPLETED", "SKIPPED", "FAILED", "PENDING"],
    );
    assert.deepEqual(
      steps.map((step: { stepId: string }) => step.stepId),
      job.steps.map((step) => step.id),
    );
    assert.deepEqual(
      steps.map((step: { stepName: string }) => step.stepName),
      ["only", "skipped", "Burst", "never"],
    );
    assert.deepEqual(
      steps.map((step: { attempts: number }) => step.attempts),
      [1, 0, 1, 0],
    );
    assert.deepEqual(
      steps.map((step: { output: unknown }) => step.output),
      [{ n: 1 }, null, null, null],
    );
    assert.equal(new Set(steps.map((step: { id: string }) => step.id)).size, 4);
    for (const step of steps.slice(0, 3)) {
      assert.match(step.startTime, ISO);
      assert.equal(Date.parse(step.endTime) - Date.parse(step.startTime), step.durationMs);
    }
    assert.deepEqual([steps[3].startTime, steps[3].endTime, steps[3].durationMs], [null, null, null]);
    const last = await pawl.send({ method: "GET", path: `/jobExecution/last/${job.id}` });
    assert.deepEqual(last.json.data, data);
  });

  test("last is the most recent start, be it over or not", async () => {
    await using held = await gate();
    const job = await makeJob([
      { key: "ask", type: "http", when: "has(params.hold)", input: { url: held.url } },
    ]);
    await start({ jobId: job.id, async: false });
    const { json } = await start({ jobId: job.id, parameters: { hold: true } });
    const response = await held.asked();
    const last = await pawl.client.getLastExecution({ params: { jobId: job.id } });
    assert.deepEqual([last.data.id, last.data.status], [json.executionId, "RUNNING"]);
    assert.equal(last.data.stepExecutions[0]!.status, "RUNNING");
    response.end();
    await pawl.ended(json.executionId);
  });

  test("says of a job that was never started that it has no execution", async () => {
    const job = await makeJob();
    const fault = await refused(pawl.client.getLastExecution({ params: { jobId: job.id } }));
    assert.equal(fault.code, "NOT_FOUND");
    const history = await pawl.client.listExecutions({ params: { jobId: job.id } });
    assert.deepEqual([history.data, history.meta], [[], { totalElements: 0, page: 0, size: 10 }]);
    const { data } = await pawl.client.getExecutionSummary({ params: { jobId: job.id } });
    assert.deepEqual(data, {
      totalExecutions: 0,
      successCount: 0,
      failureCount: 0,
      successRate: 0,
      avgDurationMs: null,
      minDurationMs: null,
      maxDurationMs: null,
      lastExecutedAt: null,
      lastStatus: null,
    });
  });
});

describe("POST /jobExecution/job/{jobId} and the summary", () => {
  const plans: (Partial<StartRequest> & { fail?: boolean; ms?: number })[] = [
    { triggeredBy: "schedule", ms: 60 },
    { triggeredBy: "api" },
    { triggeredBy: "webhook", fail: true },
    { triggeredBy: "manual", ms: 30 },
    { triggeredBy: "Zebra", fail: true, ms: 30 },
    ...Array.from({ length: 8 }, () => ({})),
  ];
  let jobId: string;
  let all: HistoryItem[];

  before(async () => {
    const source =
      "const end = Date.now() + (params.ms ?? 0); while (Date.now() < end); if (params.fail) throw 'planned'";
    jobId = (await makeJob([{ key: "run", type: "script", input: { source } }])).id;
    all = [];
    for (const { fail = false, ms = 0, ...more } of plans) {
      const { json } = await start({ jobId, async: false, parameters: { fail, ms }, ...more });
      const { id, status, startTime, endTime, durationMs, triggeredBy } = await pawl.ended(json.executionId);
      all.push({ id, status, startTime, endTime, durationMs, triggeredBy });
    }
  });

  const history = (body: HistoryRequest) => pawl.client.listExecutions({ params: { jobId }, body });

  test("without a body shows page 0, ten of them, the newest first", async () => {
    const { status, json } = await pawl.send({ method: "POST", path: `/jobExecution/job/${jobId}` });
    assert.equal(status, 200);
    assert.deepEqual(json.data, all.toReversed().slice(0, 10));
    assert.deepEqual(json.meta, { totalElements: all.length, page: 0, size: 10 });
  });

  const fields = ["startTime", "endTime", "durationMs", "status", "triggeredBy", "id"] as const;
  for (const sortField of fields) {
    for (const sortDirection of ["asc", "desc"] as const) {
      test(`sorts by ${sortField} ${sortDirection}, ties by id, and pages without gap or double`, async () => {
        const sign = sortDirection === "asc" ? 1 : -1;
        const by = (a: HistoryItem, b: HistoryItem) =>
          compare(a[sortField], b[sortField]) || compare(a.id, b.id);
        const expected = all.toSorted((a, b) => sign * by(a, b));
        const found: HistoryItem[] = [];
        for (let page = 0; ; page++) {
          const { data, meta } = await history({ page, size: 4, sortField, sortDirection });
          assert.deepEqual(meta, { totalElements: all.length, page, size: 4 });
          if (data.length === 0) break;
          assert.ok(data.length === 4 || page === 3);
          found.push(...data);
        }
        assert.deepEqual(found, expected);
      });
    }
  }

  test("shows nothing beyond the last page", async () => {
    const { data, meta } = await history({ page: 1_000_000, size: 1000 });
    assert.deepEqual([data, meta.totalElements], [[], all.length]);
  });

  test("summarises counts, rate, durations and the last execution", async () => {
    const { data } = await pawl.client.getExecutionSummary({ params: { jobId } });
    const durations = all.map((item) => item.durationMs!);
    const average = durations.reduce((sum, ms) => sum + ms, 0) / durations.length;
    assert.deepEqual(
      { ...data, avgDurationMs: null },
      {
        totalExecutions: 13,
        successCount: 11,
        failureCount: 2,
        successRate: 84.6,
        avgDurationMs: null,
        minDurationMs: Math.min(...durations),
        maxDurationMs: Math.max(...durations),
        lastExecutedAt: all.at(-1)!.startTime,
        lastStatus: "COMPLETED",
      },
    );
    assert.equal(data.avgDurationMs, Math.round(average));
  });

  test("counts one that runs as started, and not for the rate", async () => {
    await using held = await gate();
    const job = await makeJob([{ key: "ask", type: "http", input: { url: held.url, failOnStatus: true } }]);
    const { json } = await start({ jobId: job.id });
    const response = await held.asked();
    const params = { jobId: job.id };
    const { data } = await pawl.client.getExecutionSummary({ params });
    assert.deepEqual(
      [
        data.totalExecutions,
        data.successCount,
        data.failureCount,
        data.successRate,
        data.avgDurationMs,
        data.lastStatus,
      ],
      [1, 0, 0, 0, null, "RUNNING"],
    );
    assert.equal(data.lastExecutedAt, json.startedAt);
    const { data: items } = await pawl.client.listExecutions({ params });
    assert.deepEqual([items[0]!.status, items[0]!.endTime, items[0]!.durationMs], ["RUNNING", null, null]);
    const second = start({ jobId: job.id, async: false });
    (await held.asked()).end();
    const { executionId } = (await second).json;
    const meanwhile = (await pawl.client.getExecutionSummary({ params })).data;
    assert.deepEqual([meanwhile.totalExecutions, meanwhile.successCount, meanwhile.successRate], [2, 1, 100]);
    // What has no end yet comes last, whichever way.
    for (const sortField of ["endTime", "durationMs"] as const) {
      for (const sortDirection of ["asc", "desc"] as const) {
        const sorted = await pawl.client.listExecutions({ params, body: { sortField, sortDirection } });
        assert.deepEqual(
          sorted.data.map((item) => item.id),
          [executionId, json.executionId],
        );
      }
    }
    response.writeHead(400).end();
    await pawl.ended(json.executionId);
    const over = (await pawl.client.getExecutionSummary({ params })).data;
    assert.deepEqual([over.failureCount, over.successRate, over.lastStatus], [1, 50, "COMPLETED"]);
  });
});

function compare(a: string | number | null, b: string | number | null): number {
  return a === b ? 0 : a! < b! ? -1 : 1;
}

describe("GET /jobExecution/{id}/logs", () => {
  test("shows what the steps wrote, in order, by step, page by page", async () => {
    const source =
      "for (let i = 0; i < 5; i++) console[['debug', 'log', 'warn', 'error', 'info'][i]]('line', i, { i })";
    const job = await makeJob([
      { key: "many", type: "script", input: { source } },
      { key: "one", type: "log", input: { message: { a: [1] }, level: "warn" } },
      ok,
    ]);
    const { json } = await start({ jobId: job.id, async: false });
    const logs = (query: object) => pawl.client.getExecutionLogs({ params: { id: json.executionId }, query });
    const everything = await logs({});
    assert.deepEqual(everything.meta, { totalElements: 6, page: 0, size: 100 });
    assert.deepEqual(
      everything.data.map(
        ({ stepKey, attempt, level, message }) => `${stepKey} ${attempt} ${level} ${message}`,
      ),
      [
        'many 1 debug line 0 {"i":0}',
        'many 1 info line 1 {"i":1}',
        'many 1 warn line 2 {"i":2}',
        'many 1 error line 3 {"i":3}',
        'many 1 info line 4 {"i":4}',
        'one 1 warn {"a":[1]}',
      ],
    );
    for (const { at } of everything.data) assert.match(at, ISO);
    assert.deepEqual((await logs({ step: "one" })).data, everything.data.slice(5));
    assert.deepEqual((await logs({ step: "only" })).data, []);
    assert.deepEqual((await logs({ page: 1, size: 4 })).data, everything.data.slice(4));
    const fault = await refused(logs({ step: "none" }));
    assert.equal(fault.code, "NOT_FOUND");
    assert.match(fault.message, /many, one, only/);
  });
});
