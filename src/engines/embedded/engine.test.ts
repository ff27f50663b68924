import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Code, type EngineFixture, engineFixture } from "../../../test/helpers/engine-fixture.ts";
import type { Ending } from "../../engine/engine.ts";
import { StepError } from "../../lib/step-error.ts";
import { takeOwnership } from "./ownership.ts";

describe("the embedded engine", () => {
  let on: EngineFixture;

  before(async () => {
    on = await engineFixture();
  });
  after(() => on.dispose());

  const answer =
    (output: unknown): Code =>
    async () => ({ output });

  test("runs the steps in order, each seeing the outputs of those before it", async () => {
    const engine = await on.open();
    const job = await on.jobOf(
      { run: answer({ n: 1 }) },
      { run: async ({ scope }) => ({ output: { sum: (scope.steps.s0!.output as { n: number }).n + 1 } }) },
    );
    const ending = await on.runToEnd(engine, job);
    assert.equal(ending.status, "COMPLETED");
    assert.deepEqual(ending.output, { sum: 2 });
    assert.deepEqual(
      (await on.resultsOf(ending.id)).map((row) => [row.step_key, row.status, row.output]),
      [
        ["s0", "COMPLETED", { n: 1 }],
        ["s1", "COMPLETED", { sum: 2 }],
      ],
    );
    assert.equal(await on.statusOf(ending.id), "COMPLETED");
    await on.close(engine);
  });

  test("fails with the step's reason, and begins no further step", async () => {
    const engine = await on.open();
    const ran: string[] = [];
    const job = await on.jobOf(
      {
        run: async () => {
          throw new StepError("NO_LUCK", "The dice fell badly.", { retryable: false });
        },
      },
      {
        run: async () => {
          ran.push("s1");
          return { output: null };
        },
      },
    );
    const ending = await on.runToEnd(engine, job);
    assert.equal(ending.status, "FAILED");
    assert.deepEqual(ending.error, {
      code: "NO_LUCK",
      message: "The dice fell badly.",
      stepId: job.steps[0]!.id,
      stepKey: "s0",
    });
    assert.deepEqual(ran, []);
    await on.close(engine);
  });

  test("goes on after a failed step that says onError: continue", async () => {
    const engine = await on.open();
    const job = await on.jobOf(
      {
        onError: "continue",
        run: async () => {
          throw new Error("broken");
        },
      },
      { run: async ({ scope }) => ({ output: scope.steps.s0!.status }) },
    );
    const ending = await on.runToEnd(engine, job);
    assert.equal(ending.status, "COMPLETED");
    assert.equal(ending.output, "FAILED");
    await on.close(engine);
  });

  test("skips a step whose `when` is false, and ends with the last output there is", async () => {
    const engine = await on.open();
    const job = await on.jobOf({ run: answer("kept") }, { when: () => false, run: answer("never") });
    const ending = await on.runToEnd(engine, job);
    assert.equal(ending.status, "COMPLETED");
    assert.equal(ending.output, "kept");
    assert.deepEqual(
      (await on.resultsOf(ending.id)).map((row) => row.status),
      ["COMPLETED", "SKIPPED"],
    );
    await on.close(engine);
  });

  test("retries a retryable failure as often as the step says, with one idempotency key", async () => {
    const engine = await on.open();
    const keys = new Set<string>();
    const job = await on.jobOf({
      retry: { maxAttempts: 3, initialDelayMs: 5, factor: 2, maxDelayMs: 20 },
      run: async ({ attempt, idempotencyKey }) => {
        keys.add(idempotencyKey);
        if (attempt < 3) throw new StepError("BUSY", "Not yet.");
        return { output: attempt };
      },
    });
    const ending = await on.runToEnd(engine, job);
    assert.equal(ending.output, 3);
    assert.equal(keys.size, 1);
    assert.equal((await on.resultsOf(ending.id))[0]!.attempts, 3);
    await on.close(engine);
  });

  test("does not retry what can't get better", async () => {
    const engine = await on.open();
    let tries = 0;
    const job = await on.jobOf({
      retry: { maxAttempts: 5, initialDelayMs: 1, factor: 1, maxDelayMs: 1 },
      run: async () => {
        tries++;
        throw new StepError("BAD", "Never.", { retryable: false });
      },
    });
    assert.equal((await on.runToEnd(engine, job)).status, "FAILED");
    assert.equal(tries, 1);
    await on.close(engine);
  });

  test("parks a step that waits, outside memory, and completes it when its time comes", async () => {
    const engine = await on.open();
    const job = await on.jobOf(
      { run: async () => ({ output: "later", until: Date.now() + 40 }) },
      { run: answer("after") },
    );
    const ending = await on.runToEnd(engine, job);
    assert.equal(ending.output, "after");
    const { rows } = await on.pool.query(
      "select ended_at - started_at >= interval '39 ms' as waited, attempts from step_execution where execution_id = $1 and position = 0",
      [ending.id],
    );
    assert.deepEqual(rows[0], { waited: true, attempts: 1 });
    await on.close(engine);
  });

  test("fails a step that takes longer than its timeoutMs, even if it ignores its signal", async () => {
    const engine = await on.open();
    const job = await on.jobOf({ timeoutMs: 20, run: () => new Promise(() => {}) });
    const ending = await on.runToEnd(engine, job);
    assert.equal(ending.error?.code, "STEP_TIMEOUT");
    await on.close(engine);
  });

  test("fails the execution that takes longer than the job's timeoutMs, running or waiting", async () => {
    const engine = await on.open();
    const runs = await on.jobOf(
      { onError: "continue", run: () => new Promise(() => {}) },
      { run: answer(1) },
    );
    runs.timeoutMs = 30;
    const waits = await on.jobOf({ run: async () => ({ output: null, until: Date.now() + 60_000 }) });
    waits.timeoutMs = 30;
    for (const job of [runs, waits]) {
      const ending = await on.runToEnd(engine, job);
      assert.equal(ending.status, "FAILED");
      assert.equal(ending.error?.code, "EXECUTION_TIMEOUT");
    }
    await on.close(engine);
  });

  test("fails a step whose output is too large or not JSON, with a word on what to do", async () => {
    const engine = await on.open();
    const large = await on.runToEnd(engine, await on.jobOf({ run: answer("x".repeat(2000)) }));
    assert.equal(large.error?.code, "OUTPUT_TOO_LARGE");
    assert.match(large.error.message, /2002 bytes.*1024.*PAWL_STEP_OUTPUT_LIMIT/);
    const odd = await on.runToEnd(engine, await on.jobOf({ run: answer(1n) }));
    assert.equal(odd.error?.code, "OUTPUT_NOT_JSON");
    await on.close(engine);
  });

  test("keeps outputs that hold NUL, lone surrogates, quotes and backslashes", async () => {
    const engine = await on.open();
    const output = { 'a"\\b': ["\u0000", "\ud800", "{NULL,}", "ünï", null, -0.5] };
    const ending = await on.runToEnd(
      engine,
      await on.jobOf(
        { run: answer(output) },
        { run: async ({ scope }) => ({ output: scope.steps.s0!.output }) },
      ),
    );
    assert.deepEqual(ending.output, output);
    const { rows } = await on.pool.query("select output::text from step_execution where execution_id = $1", [
      ending.id,
    ]);
    assert.deepEqual(
      rows.map((row) => JSON.parse(row.output)),
      [output, output],
    );
    await on.close(engine);
  });

  test("caps a step's log, and keeps its lines in order", async () => {
    const engine = await on.open();
    const job = await on.jobOf({
      run: async ({ log }) => {
        for (let i = 0; i < 50; i++) log("info", `line ${i}`);
        return { output: null };
      },
    });
    const { id } = await on.runToEnd(engine, job);
    const { rows } = await on.pool.query(
      "select level, message from step_log where execution_id = $1 order by seq",
      [id],
    );
    assert.equal(rows[0].message, "line 0");
    assert.equal(rows.at(-1).level, "warn");
    assert.ok(rows.length < 20);
    await on.close(engine);
  });

  test("goes on where a former process stopped: recorded steps don't run again, parked ones wake", async () => {
    const first = await on.open();
    let began: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const ran: string[] = [];
    let stuck = true;
    const job = await on.jobOf(
      {
        run: async () => {
          ran.push("s0");
          return { output: { kept: true } };
        },
      },
      {
        run: async () => {
          began();
          if (stuck) await new Promise(() => {});
          ran.push("s1");
          return { output: "done" };
        },
      },
    );
    const parked = await on.jobOf({ run: async () => ({ output: "woken", until: Date.now() + 50 }) });
    const execution = on.executionOf(job);
    const waiting = on.executionOf(parked);
    await first.start(execution);
    await first.start(waiting);
    await begun;
    await on.close(first);
    assert.equal(await on.statusOf(execution.id), "RUNNING");

    stuck = false;
    const ends = new Map<string, Ending>();
    const second = await on.open();
    await new Promise<void>((resolve) => {
      for (const { id } of [execution, waiting]) {
        second.watch(id, (ending) => {
          ends.set(id, ending);
          if (ends.size === 2) resolve();
        });
      }
    });
    assert.equal(ends.get(execution.id)!.output, "done");
    assert.equal(ends.get(waiting.id)!.output, "woken");
    assert.deepEqual(ran, ["s0", "s1"]);
    await on.close(second);
  });

  test("refuses a start whose job version is no longer current, and one whose id is taken", async () => {
    const engine = await on.open();
    const job = await on.jobOf({ run: answer(1) });
    const { id } = await on.runToEnd(engine, job);
    assert.equal(await engine.start({ ...on.executionOf(job), id }), false);
    await on.pool.query("update job set version = 2 where id = $1", [job.jobId]);
    assert.equal(await engine.start(on.executionOf(job)), false);
    await on.pool.query("update job set version = 1, deleted_at = now() where id = $1", [job.jobId]);
    assert.equal(await engine.start(on.executionOf(job)), false);
    await on.close(engine);
  });

  test("runs an execution once when its start is asked for many times at once", async () => {
    const engine = await on.open();
    let runs = 0;
    const job = await on.jobOf({
      run: async () => {
        runs++;
        return { output: null };
      },
    });
    const execution = on.executionOf(job);
    const ended = new Promise((resolve) => engine.watch(execution.id, resolve));
    const made = await Promise.all(Array.from({ length: 50 }, () => engine.start(execution)));
    await ended;
    assert.equal(made.filter(Boolean).length, 1);
    assert.equal(runs, 1);
    await on.close(engine);
  });

  test("takes more than it runs at a time, and refuses with OVERLOADED what it can't hold", async () => {
    const engine = await on.open({ maxRunning: 2, maxQueued: 3 });
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const job = await on.jobOf({
      run: async () => {
        await gate;
        return { output: null };
      },
    });
    const accepted = Array.from({ length: 5 }, () => on.executionOf(job));
    const ends = Promise.all(accepted.map(({ id }) => new Promise((resolve) => engine.watch(id, resolve))));
    for (const execution of accepted) assert.equal(await engine.start(execution), true);
    await assert.rejects(engine.start(on.executionOf(job)), { code: "OVERLOADED", retryAfter: 1 });
    release();
    await ends;
    assert.equal((await on.runToEnd(engine, job)).status, "COMPLETED");
    await on.close(engine);
  });

  test("counts in the summary's counters what the rows hold", async () => {
    const engine = await on.open();
    const good = await on.jobOf({ run: answer(1) });
    const mixed = await on.jobOf({
      run: async () => {
        throw new Error("no");
      },
    });
    await Promise.all(Array.from({ length: 20 }, () => on.runToEnd(engine, good)));
    await Promise.all(Array.from({ length: 5 }, () => on.runToEnd(engine, mixed)));
    const { rows } = await on.pool.query(
      `select j.id::text, sum(c.started)::int as started, sum(c.completed)::int as completed, sum(c.failed)::int as failed
       from job j join job_counter c on c.job_id = j.id where j.id = any($1) group by j.id`,
      [[good.jobId, mixed.jobId]],
    );
    assert.deepEqual(
      new Map(rows.map(({ id, ...counts }) => [id, counts])),
      new Map([
        [good.jobId, { started: 20, completed: 20, failed: 0 }],
        [mixed.jobId, { started: 5, completed: 0, failed: 5 }],
      ]),
    );
    await on.close(engine);
  });

  test("gives the executions to one process at a time", async () => {
    const engine = await on.open();
    assert.equal(await takeOwnership(on.url, () => {}), undefined);
    await on.close(engine);
    const next = await takeOwnership(on.url, () => {});
    assert.ok(next);
    await next.release();
  });

  test("keeps a former owner from writing", async () => {
    const engine = await on.open();
    const job = await on.jobOf({ run: answer(1) });
    await on.pool.query("update journal_lane set owner = owner + 1");
    await assert.rejects(engine.start(on.executionOf(job)), { name: "FencedError" });
    await on.close(engine);
  });

  test("loses and doubles nothing when its connections are cut in the middle of commits", async () => {
    const engine = await on.open({ maxQueued: 1000 });
    const job = await on.jobOf({ run: answer(1) }, { run: answer(2) }, { run: answer(3) });
    const runs = Array.from({ length: 300 }, () => on.runToEnd(engine, job));
    const cut = async () => {
      for (let i = 0; i < 10; i++) {
        await on.pool.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl-journal' and datname = current_database()",
        );
      }
    };
    const [ends] = await Promise.all([Promise.all(runs), cut()]);
    assert.ok(ends.every(({ status }) => status === "COMPLETED"));
    const { rows } = await on.pool.query(
      "select count(distinct execution_id)::int as executions, count(*)::int as results from step_execution where execution_id = any($1)",
      [ends.map(({ id }) => id)],
    );
    assert.deepEqual(rows[0], { executions: 300, results: 900 });
    const counter = await on.pool.query(
      "select sum(started)::int as started, sum(completed)::int as completed from job_counter where job_id = $1",
      [job.jobId],
    );
    assert.deepEqual(counter.rows[0], { started: 300, completed: 300 });
    await on.close(engine);
  });
});
