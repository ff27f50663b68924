import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type pg from "pg";
import { createTestDatabase } from "../../../test/helpers/database.ts";
import { ensurePartitions } from "../../db/partitions.ts";
import { createPool } from "../../db/pool.ts";
import type {
  CompiledJob,
  CompiledStep,
  Ending,
  Engine,
  NewExecution,
  StepCall,
} from "../../engine/engine.ts";
import { newId } from "../../lib/ids.ts";
import { StepError } from "../../lib/step-error.ts";
import { openEmbedded } from "./engine.ts";
import { takeOwnership } from "./ownership.ts";

type Code = (call: StepCall) => Promise<{ output: unknown; until?: number }>;

describe("the embedded engine", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: pg.Pool;
  const jobs = new Map<string, CompiledJob>();
  const code = new Map<string, Code>();
  const engines: Engine[] = [];

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url });
    await ensurePartitions(pool, new Date());
  });
  after(async () => {
    for (const engine of engines) await engine.close(0);
    await pool.end();
    await database.drop();
  });

  async function open(overrides: Partial<Parameters<typeof openEmbedded>[0]> = {}) {
    const ownership = await takeOwnership(database.url, () => {});
    assert.ok(ownership, "the executions of this database belong to nobody else");
    const engine = await openEmbedded({
      pool,
      url: database.url,
      ownership,
      loadJob: async (jobId) => jobs.get(jobId),
      runStep: (call) => code.get(call.type)!(call),
      limits: { outputBytes: 1024, logBytes: 100 },
      maxRunning: 100,
      maxQueued: 100,
      log: { info() {}, warn() {}, error() {} },
      onFenced() {},
      ...overrides,
    });
    engines.push(engine);
    return engine;
  }

  async function close(engine: Engine) {
    engines.splice(engines.indexOf(engine), 1);
    await engine.close(0);
  }

  /** A job whose steps run the given code, one type each. */
  async function jobOf(...steps: (Partial<CompiledStep> & { run: Code })[]): Promise<CompiledJob> {
    const jobId = newId();
    const job: CompiledJob = {
      jobId,
      version: 1,
      name: `job ${jobId}`,
      steps: steps.map(({ run, ...step }, i) => {
        const type = `${jobId}-${i}`;
        code.set(type, run);
        return {
          id: newId(),
          key: `s${i}`,
          name: `s${i}`,
          type,
          input: () => ({}),
          retry: { maxAttempts: 1, initialDelayMs: 1, factor: 1, maxDelayMs: 1 },
          onError: "fail",
          ...step,
        };
      }),
    };
    jobs.set(jobId, job);
    await pool.query(
      "insert into job (id, name, version, created_at, created_by, updated_at, updated_by) values ($1, $2, 1, now(), 'test', now(), 'test')",
      [jobId, job.name],
    );
    return job;
  }

  function executionOf(job: CompiledJob): NewExecution {
    return {
      id: newId(),
      workflowId: newId(),
      jobId: job.jobId,
      jobVersion: job.version,
      jobName: job.name,
      parameters: {},
      triggeredBy: "test",
      triggerSource: null,
      startedBy: "test",
      startedAt: Date.now(),
    };
  }

  async function runToEnd(engine: Engine, job: CompiledJob): Promise<Ending & { id: string }> {
    const execution = executionOf(job);
    const ended = new Promise<Ending>((resolve) => engine.watch(execution.id, resolve));
    assert.equal(await engine.start(execution), true);
    return { ...(await ended), id: execution.id };
  }

  async function resultsOf(id: string) {
    const { rows } = await pool.query(
      "select step_key, status, attempts, output, error from step_execution where execution_id = $1 order by position",
      [id],
    );
    return rows;
  }

  async function statusOf(id: string): Promise<string> {
    const { rows } = await pool.query("select status from execution where id = $1", [id]);
    return rows[0]?.status;
  }

  const answer =
    (output: unknown): Code =>
    async () => ({ output });

  test("runs the steps in order, each seeing the outputs of those before it", async () => {
    const engine = await open();
    const job = await jobOf(
      { run: answer({ n: 1 }) },
      { run: async ({ scope }) => ({ output: { sum: (scope.steps.s0!.output as { n: number }).n + 1 } }) },
    );
    const ending = await runToEnd(engine, job);
    assert.equal(ending.status, "COMPLETED");
    assert.deepEqual(ending.output, { sum: 2 });
    assert.deepEqual(
      (await resultsOf(ending.id)).map((row) => [row.step_key, row.status, row.output]),
      [
        ["s0", "COMPLETED", { n: 1 }],
        ["s1", "COMPLETED", { sum: 2 }],
      ],
    );
    assert.equal(await statusOf(ending.id), "COMPLETED");
    await close(engine);
  });

  test("fails with the step's reason, and begins no further step", async () => {
    const engine = await open();
    const ran: string[] = [];
    const job = await jobOf(
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
    const ending = await runToEnd(engine, job);
    assert.equal(ending.status, "FAILED");
    assert.deepEqual(ending.error, {
      code: "NO_LUCK",
      message: "The dice fell badly.",
      stepId: job.steps[0]!.id,
      stepKey: "s0",
    });
    assert.deepEqual(ran, []);
    await close(engine);
  });

  test("goes on after a failed step that says onError: continue", async () => {
    const engine = await open();
    const job = await jobOf(
      {
        onError: "continue",
        run: async () => {
          throw new Error("broken");
        },
      },
      { run: async ({ scope }) => ({ output: scope.steps.s0!.status }) },
    );
    const ending = await runToEnd(engine, job);
    assert.equal(ending.status, "COMPLETED");
    assert.equal(ending.output, "FAILED");
    await close(engine);
  });

  test("skips a step whose `when` is false, and ends with the last output there is", async () => {
    const engine = await open();
    const job = await jobOf({ run: answer("kept") }, { when: () => false, run: answer("never") });
    const ending = await runToEnd(engine, job);
    assert.equal(ending.status, "COMPLETED");
    assert.equal(ending.output, "kept");
    assert.deepEqual(
      (await resultsOf(ending.id)).map((row) => row.status),
      ["COMPLETED", "SKIPPED"],
    );
    await close(engine);
  });

  test("retries a retryable failure as often as the step says, with one idempotency key", async () => {
    const engine = await open();
    const keys = new Set<string>();
    const job = await jobOf({
      retry: { maxAttempts: 3, initialDelayMs: 5, factor: 2, maxDelayMs: 20 },
      run: async ({ attempt, idempotencyKey }) => {
        keys.add(idempotencyKey);
        if (attempt < 3) throw new StepError("BUSY", "Not yet.");
        return { output: attempt };
      },
    });
    const ending = await runToEnd(engine, job);
    assert.equal(ending.output, 3);
    assert.equal(keys.size, 1);
    assert.equal((await resultsOf(ending.id))[0].attempts, 3);
    await close(engine);
  });

  test("does not retry what can't get better", async () => {
    const engine = await open();
    let tries = 0;
    const job = await jobOf({
      retry: { maxAttempts: 5, initialDelayMs: 1, factor: 1, maxDelayMs: 1 },
      run: async () => {
        tries++;
        throw new StepError("BAD", "Never.", { retryable: false });
      },
    });
    assert.equal((await runToEnd(engine, job)).status, "FAILED");
    assert.equal(tries, 1);
    await close(engine);
  });

  test("parks a step that waits, outside memory, and completes it when its time comes", async () => {
    const engine = await open();
    const job = await jobOf(
      { run: async () => ({ output: "later", until: Date.now() + 40 }) },
      { run: answer("after") },
    );
    const ending = await runToEnd(engine, job);
    assert.equal(ending.output, "after");
    const { rows } = await pool.query(
      "select ended_at - started_at >= interval '39 ms' as waited, attempts from step_execution where execution_id = $1 and position = 0",
      [ending.id],
    );
    assert.deepEqual(rows[0], { waited: true, attempts: 1 });
    await close(engine);
  });

  test("fails a step that takes longer than its timeoutMs, even if it ignores its signal", async () => {
    const engine = await open();
    const job = await jobOf({ timeoutMs: 20, run: () => new Promise(() => {}) });
    const ending = await runToEnd(engine, job);
    assert.equal(ending.error?.code, "STEP_TIMEOUT");
    await close(engine);
  });

  test("fails the execution that takes longer than the job's timeoutMs, running or waiting", async () => {
    const engine = await open();
    const runs = await jobOf({ onError: "continue", run: () => new Promise(() => {}) }, { run: answer(1) });
    runs.timeoutMs = 30;
    const waits = await jobOf({ run: async () => ({ output: null, until: Date.now() + 60_000 }) });
    waits.timeoutMs = 30;
    for (const job of [runs, waits]) {
      const ending = await runToEnd(engine, job);
      assert.equal(ending.status, "FAILED");
      assert.equal(ending.error?.code, "EXECUTION_TIMEOUT");
    }
    await close(engine);
  });

  test("fails a step whose output is too large or not JSON, with a word on what to do", async () => {
    const engine = await open();
    const large = await runToEnd(engine, await jobOf({ run: answer("x".repeat(2000)) }));
    assert.equal(large.error?.code, "OUTPUT_TOO_LARGE");
    assert.match(large.error.message, /2002 bytes.*1024.*PAWL_STEP_OUTPUT_LIMIT/);
    const odd = await runToEnd(engine, await jobOf({ run: answer(1n) }));
    assert.equal(odd.error?.code, "OUTPUT_NOT_JSON");
    await close(engine);
  });

  test("keeps outputs that hold NUL, lone surrogates, quotes and backslashes", async () => {
    const engine = await open();
    const output = { 'a"\\b': ["\u0000", "\ud800", "{NULL,}", "ünï", null, -0.5] };
    const ending = await runToEnd(
      engine,
      await jobOf(
        { run: answer(output) },
        { run: async ({ scope }) => ({ output: scope.steps.s0!.output }) },
      ),
    );
    assert.deepEqual(ending.output, output);
    const { rows } = await pool.query("select output::text from step_execution where execution_id = $1", [
      ending.id,
    ]);
    assert.deepEqual(
      rows.map((row) => JSON.parse(row.output)),
      [output, output],
    );
    await close(engine);
  });

  test("caps a step's log, and keeps its lines in order", async () => {
    const engine = await open();
    const job = await jobOf({
      run: async ({ log }) => {
        for (let i = 0; i < 50; i++) log("info", `line ${i}`);
        return { output: null };
      },
    });
    const { id } = await runToEnd(engine, job);
    const { rows } = await pool.query(
      "select level, message from step_log where execution_id = $1 order by seq",
      [id],
    );
    assert.equal(rows[0].message, "line 0");
    assert.equal(rows.at(-1).level, "warn");
    assert.ok(rows.length < 20);
    await close(engine);
  });

  test("goes on where a former process stopped: recorded steps don't run again, parked ones wake", async () => {
    const first = await open();
    let began: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const ran: string[] = [];
    let stuck = true;
    const job = await jobOf(
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
    const parked = await jobOf({ run: async () => ({ output: "woken", until: Date.now() + 50 }) });
    const execution = executionOf(job);
    const waiting = executionOf(parked);
    await first.start(execution);
    await first.start(waiting);
    await begun;
    await close(first);
    assert.equal(await statusOf(execution.id), "RUNNING");

    stuck = false;
    const ends = new Map<string, Ending>();
    const second = await open();
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
    await close(second);
  });

  test("refuses a start whose job version is no longer current, and one whose id is taken", async () => {
    const engine = await open();
    const job = await jobOf({ run: answer(1) });
    const { id } = await runToEnd(engine, job);
    assert.equal(await engine.start({ ...executionOf(job), id }), false);
    await pool.query("update job set version = 2 where id = $1", [job.jobId]);
    assert.equal(await engine.start(executionOf(job)), false);
    await pool.query("update job set version = 1, deleted_at = now() where id = $1", [job.jobId]);
    assert.equal(await engine.start(executionOf(job)), false);
    await close(engine);
  });

  test("runs an execution once when its start is asked for many times at once", async () => {
    const engine = await open();
    let runs = 0;
    const job = await jobOf({
      run: async () => {
        runs++;
        return { output: null };
      },
    });
    const execution = executionOf(job);
    const ended = new Promise((resolve) => engine.watch(execution.id, resolve));
    const made = await Promise.all(Array.from({ length: 50 }, () => engine.start(execution)));
    await ended;
    assert.equal(made.filter(Boolean).length, 1);
    assert.equal(runs, 1);
    await close(engine);
  });

  test("takes more than it runs at a time, and refuses with OVERLOADED what it can't hold", async () => {
    const engine = await open({ maxRunning: 2, maxQueued: 3 });
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const job = await jobOf({
      run: async () => {
        await gate;
        return { output: null };
      },
    });
    const accepted = Array.from({ length: 5 }, () => executionOf(job));
    const ends = Promise.all(accepted.map(({ id }) => new Promise((resolve) => engine.watch(id, resolve))));
    for (const execution of accepted) assert.equal(await engine.start(execution), true);
    await assert.rejects(engine.start(executionOf(job)), { code: "OVERLOADED", retryAfter: 1 });
    release();
    await ends;
    assert.equal((await runToEnd(engine, job)).status, "COMPLETED");
    await close(engine);
  });

  test("counts in the summary's counters what the rows hold", async () => {
    const engine = await open();
    const good = await jobOf({ run: answer(1) });
    const mixed = await jobOf({
      run: async () => {
        throw new Error("no");
      },
    });
    await Promise.all(Array.from({ length: 20 }, () => runToEnd(engine, good)));
    await Promise.all(Array.from({ length: 5 }, () => runToEnd(engine, mixed)));
    const { rows } = await pool.query(
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
    await close(engine);
  });

  test("gives the executions to one process at a time", async () => {
    const engine = await open();
    assert.equal(await takeOwnership(database.url, () => {}), undefined);
    await close(engine);
    const next = await takeOwnership(database.url, () => {});
    assert.ok(next);
    await next.release();
  });

  test("keeps a former owner from writing", async () => {
    const engine = await open();
    const job = await jobOf({ run: answer(1) });
    await pool.query("update journal_lane set owner = owner + 1");
    await assert.rejects(engine.start(executionOf(job)), { name: "FencedError" });
    await close(engine);
  });

  test("loses and doubles nothing when its connections are cut in the middle of commits", async () => {
    const engine = await open({ maxQueued: 1000 });
    const job = await jobOf({ run: answer(1) }, { run: answer(2) }, { run: answer(3) });
    const runs = Array.from({ length: 300 }, () => runToEnd(engine, job));
    const cut = async () => {
      for (let i = 0; i < 10; i++) {
        await pool.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl-journal' and datname = current_database()",
        );
      }
    };
    const [ends] = await Promise.all([Promise.all(runs), cut()]);
    assert.ok(ends.every(({ status }) => status === "COMPLETED"));
    const { rows } = await pool.query(
      "select count(distinct execution_id)::int as executions, count(*)::int as results from step_execution where execution_id = any($1)",
      [ends.map(({ id }) => id)],
    );
    assert.deepEqual(rows[0], { executions: 300, results: 900 });
    const counter = await pool.query(
      "select sum(started)::int as started, sum(completed)::int as completed from job_counter where job_id = $1",
      [job.jobId],
    );
    assert.deepEqual(counter.rows[0], { started: 300, completed: 300 });
    await close(engine);
  });
});
