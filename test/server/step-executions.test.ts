import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ClientError } from "../../src/client/error.ts";
import { gate } from "../helpers/gate.ts";
import { httpServer } from "../helpers/http-server.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl();
});
after(() => pawl.close());

type Steps = Parameters<RunningPawl["client"]["createJob"]>[0]["body"]["steps"];

async function run(
  name: string,
  steps: Steps,
  more: { schema?: object; parameters?: Record<string, unknown> } = {},
) {
  const body = {
    name,
    steps,
    ...(more.schema ? { parameters: more.schema as Record<string, unknown> } : {}),
  };
  const jobId = (await pawl.client.createJob({ body })).data.id;
  const { data } = await pawl.client.startJob({
    body: { jobId, async: false, parameters: more.parameters ?? {} },
  });
  return data.executionId;
}

const read = async (id: string, step: string, query: { run?: number } = {}, client = pawl.client) =>
  (await client.getStepExecution({ params: { id, step }, query })).data;

describe("one step of an execution", () => {
  test("has its input, computed anew from the parameters and the results before it", async () => {
    const id = await run(
      "adds",
      [
        { key: "first", type: "set", input: { values: { list: [1, 2], day: "{{ params.day }}" } } },
        { key: "never", type: "set", when: "false", input: { values: {} } },
        {
          key: "second",
          type: "set",
          input: { values: { of: "{{ steps.first.output.list }}", by: "{{ job.name }}" } },
        },
      ],
      { parameters: { day: "today" } },
    );
    const second = await read(id, "second");
    assert.deepEqual(second.input, { values: { of: [1, 2], by: "adds" } });
    assert.deepEqual(second.output, { of: [1, 2], by: "adds" });
    assert.equal(second.inputNote, null);
    assert.deepEqual(await read(id, second.stepId.toUpperCase()), second, "by id as by key");
    const skipped = await read(id, "never");
    assert.equal(skipped.input, null);
    assert.match(skipped.inputNote!, /skipped/);
    await assert.rejects(
      read(id, "none"),
      (error: ClientError) => error.code === "NOT_FOUND" && /'none'/.test(error.message),
    );
    await assert.rejects(read(id, "second", { run: 2 }), { code: "NOT_FOUND" });
  });

  test("says why there is no input where it can't be computed", async () => {
    const id = await run("fails early", [
      { key: "empty", type: "set", input: { values: {} } },
      { key: "reads", type: "set", input: { values: { x: "{{ steps.empty.output.missing.deep }}" } } },
      { key: "after", type: "set", input: { values: {} } },
    ]);
    const reads = await read(id, "reads");
    assert.equal(reads.status, "FAILED");
    assert.equal(reads.input, null);
    assert.match(reads.inputNote!, /^It can't be computed: /);
    assert.match((await read(id, "after")).inputNote!, /when the step begins/);
  });

  test("shows no secret parameter, and variables only to those who may read them", async () => {
    await pawl.client.upsertVariable({ body: { name: "region", value: "north-4711" } });
    await pawl.client.upsertVariable({ body: { name: "pin", value: "very-secret-pin", secret: true } });
    const id = await run(
      "uses secrets",
      [
        {
          key: "uses",
          type: "set",
          input: {
            values: {
              length: "{{ size(params.password) }}",
              text: "{{ params.password }} {{ vars.pin }} {{ vars.region }}",
            },
          },
        },
      ],
      {
        schema: { type: "object", properties: { password: { type: "string", secret: true } } },
        parameters: { password: "hunter2hunter2" },
      },
    );
    const whole = await read(id, "uses");
    assert.deepEqual(whole.input, { values: { length: 3, text: "*** *** north-4711" } });
    assert.match(whole.inputNote!, /masked.*value of now/);
    const reader = await pawl.principal(["JobService:JobExecution:read"]);
    const seen = await read(id, "uses", {}, reader.client);
    assert.deepEqual(seen.input, { values: { length: 3, text: "*** *** ***" } });
    const other = await pawl.principal(["JobService:Job:read"]);
    await assert.rejects(read(id, "uses", {}, other.client), { code: "FORBIDDEN" });
  });

  test("tells each try that failed, and the log says when the next one came", async () => {
    await using server = await httpServer(
      (_request, response) => void response.writeHead(503).end("no luck"),
    );
    const id = await run("tries", [
      {
        key: "flaky",
        type: "http",
        retry: { maxAttempts: 3, initialDelayMs: 1 },
        input: { method: "GET", url: server.url },
      },
    ]);
    const { attempts, tries, startTime, endTime } = await read(id, "flaky");
    assert.equal(attempts, 3);
    assert.deepEqual(
      tries.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
    assert.equal(tries[0]!.startTime, startTime);
    assert.equal(tries[2]!.endTime, endTime);
    assert.equal(tries[2]!.message, null);
    const times = tries.flatMap((one) => [one.startTime, one.endTime]);
    assert.deepEqual(times.toSorted(), times);
    assert.match(tries[1]!.message!, /^Try 2 of 3 failed, and the next begins in \d+ ms: .*503/);
    const { data } = await pawl.client.getExecutionLogs({ params: { id } });
    const lines = data.map(({ attempt, message }) => `${attempt} ${message.split(",")[0]}`);
    assert.deepEqual(
      lines.filter((line) => line.includes("Try")),
      ["1 Try 1 of 3 failed", "2 Try 2 of 3 begins.", "2 Try 2 of 3 failed", "3 Try 3 of 3 begins."],
    );
  });

  test("runs again once its next try was due, and its log is told a try at a time", async () => {
    await using door = await gate();
    const knock: Steps[number] = {
      key: "knock",
      type: "http",
      retry: { maxAttempts: 3, initialDelayMs: 1 },
      input: { method: "GET", url: door.url },
    };
    const { data: job } = await pawl.client.createJob({ body: { name: "knocks", steps: [knock] } });
    const started = await pawl.client.startJob({ body: { jobId: job.id } });
    const id = started.data.executionId;
    for (let i = 0; i < 2; i++) (await door.asked()).writeHead(503).end();
    const third = await door.asked();
    const { status, attempts, waitingUntil } = await read(id, "knock");
    assert.deepEqual([status, attempts, waitingUntil], ["RUNNING", 3, null]);
    third.writeHead(200).end();
    const { waiting } = await pawl.ended(id);
    assert.equal(waiting, null);
    const query = { step: "knock", try: 2, size: 1 };
    const { data, meta } = await pawl.client.getExecutionLogs({ params: { id }, query });
    assert.equal(meta.totalElements, 2);
    assert.deepEqual([data[0]!.attempt, data[0]!.message], [2, "Try 2 of 3 begins."]);
  });
});

describe("an execution without the outputs of its steps", () => {
  test("has all else, the executions that steps started included, and so has its stream", async () => {
    const inner = (
      await pawl.client.createJob({
        body: { name: "inner", steps: [{ key: "in", type: "set", input: { values: { a: 1 } } }] },
      })
    ).data;
    const id = await run("outer", [
      { key: "big", type: "set", input: { values: { text: "x".repeat(1000) } } },
      { key: "child", type: "job", input: { jobId: inner.id } },
    ]);
    const whole = (await pawl.client.getExecution({ params: { id } })).data;
    const light = (await pawl.client.getExecution({ params: { id }, query: { outputs: false } })).data;
    const without = {
      ...whole,
      stepExecutions: whole.stepExecutions.map((step) => ({ ...step, output: null })),
    };
    assert.ok(whole.stepExecutions[1]!.childExecutionId);
    assert.deepEqual(light, without);
    for await (const event of pawl.client.watchExecution({ params: { id }, query: { outputs: false } })) {
      assert.deepEqual(event, { event: "snapshot", id: event.id, data: without });
      break;
    }
  });
});
