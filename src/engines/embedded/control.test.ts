import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Code, type EngineFixture, engineFixture, gate } from "../../../test/helpers/engine-fixture.ts";
import type { Engine } from "../../engine/engine.ts";
import { StepError } from "../../lib/step-error.ts";

const answer =
  (output: unknown): Code =>
  async () => ({ output });
const actor = "ada";

describe("control of the embedded engine", () => {
  let on: EngineFixture;
  let engine: Engine;

  before(async () => {
    on = await engineFixture();
    engine = await on.open();
  });
  after(() => on.dispose());

  async function liveOf(id: string) {
    const { rows } = await on.pool.query(
      "select held, draining, due_at from live_execution where execution_id = $1",
      [id],
    );
    return rows[0];
  }

  async function drained(id: string): Promise<void> {
    while ((await liveOf(id))?.draining) await new Promise((resolve) => setImmediate(resolve));
  }

  async function actionsOf(id: string) {
    const { rows } = await on.pool.query(
      "select action, actor, reason, from_status, to_status from execution_action where execution_id = $1 order by id",
      [id],
    );
    return rows.map(
      (row) => `${row.action} ${row.from_status}>${row.to_status} ${row.actor} ${row.reason ?? "-"}`,
    );
  }

  test("pause lets the step under way finish, keeps its result and begins nothing further until resume", async () => {
    const first = gate();
    const ran: string[] = [];
    const job = await on.jobOf(
      {
        run: async () => {
          await first.pass();
          return { output: "kept" };
        },
      },
      {
        run: async ({ scope }) => {
          ran.push("s1");
          return { output: scope.steps.s0!.output };
        },
      },
    );
    const { id, ended } = await on.begin(engine, job);
    await first.reached;
    const paused = await engine.pause({ executionId: id, actor, reason: "lunch" });
    assert.equal(paused.status, "PAUSED");
    assert.equal(await on.statusOf(id), "PAUSED");
    assert.equal((await liveOf(id)).draining, true);
    first.open();
    await drained(id);
    assert.deepEqual(
      (await on.resultsOf(id)).map((row) => row.output),
      ["kept"],
    );
    assert.deepEqual(ran, []);
    assert.equal((await engine.resume({ executionId: id, actor })).status, "RUNNING");
    assert.equal((await ended).output, "kept");
    assert.deepEqual(await actionsOf(id), ["PAUSE RUNNING>PAUSED ada lunch", "RESUME PAUSED>RUNNING ada -"]);
  });

  test("pause keeps the last step from ending the execution; resume ends it", async () => {
    const last = gate();
    const job = await on.jobOf({
      run: async () => {
        await last.pass();
        return { output: 7 };
      },
    });
    const { id, ended } = await on.begin(engine, job);
    await last.reached;
    await engine.pause({ executionId: id, actor });
    last.open();
    await drained(id);
    assert.equal(await on.statusOf(id), "PAUSED");
    await engine.resume({ executionId: id, actor });
    const ending = await ended;
    assert.equal(ending.status, "COMPLETED");
    assert.equal(ending.output, 7);
    const { rows } = await on.pool.query(
      "select sum(completed)::int as n from job_counter where job_id = $1",
      [job.jobId],
    );
    assert.equal(rows[0].n, 1);
  });

  test("a step that fails while paused fails the execution on resume, not before", async () => {
    const step = gate();
    const job = await on.jobOf({
      run: async () => {
        await step.pass();
        throw new StepError("BAD", "No.", { retryable: false });
      },
    });
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    await engine.pause({ executionId: id, actor });
    step.open();
    await drained(id);
    assert.equal(await on.statusOf(id), "PAUSED");
    await engine.resume({ executionId: id, actor });
    assert.equal((await ended).error?.code, "BAD");
  });

  test("resume while the step still drains goes on without a break", async () => {
    const step = gate();
    const job = await on.jobOf(
      {
        run: async () => {
          await step.pass();
          return { output: 1 };
        },
      },
      { run: answer(2) },
    );
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    await engine.pause({ executionId: id, actor });
    await engine.resume({ executionId: id, actor });
    step.open();
    assert.equal((await ended).output, 2);
    assert.equal((await on.resultsOf(id)).length, 2);
  });

  test("what falls due while paused happens on resume", async () => {
    const job = await on.jobOf({ run: async () => ({ output: "late", until: Date.now() + 150 }) });
    const { id, ended } = await on.begin(engine, job);
    while ((await liveOf(id))?.due_at == null) await new Promise((resolve) => setImmediate(resolve));
    await engine.pause({ executionId: id, actor });
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal(await on.statusOf(id), "PAUSED");
    assert.equal((await on.resultsOf(id)).length, 0);
    await engine.resume({ executionId: id, actor });
    assert.equal((await ended).output, "late");
  });

  test("a pause with a time to resume at ends by itself", async () => {
    const step = gate();
    const job = await on.jobOf(
      {
        run: async () => {
          await step.pass();
          return { output: 1 };
        },
      },
      { run: answer(2) },
    );
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    await engine.pause({ executionId: id, actor, resumeAt: Date.now() + 30 });
    step.open();
    assert.equal((await ended).output, 2);
    assert.match((await actionsOf(id))[1]!, /^RESUME PAUSED>RUNNING pawl/);
  });

  test("a pause made after another's time to resume at is not ended by that time", async () => {
    const step = gate();
    const job = await on.jobOf({
      run: async () => {
        await step.pass();
        return { output: 1 };
      },
    });
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    const resumeAt = Date.now() + 150;
    await engine.pause({ executionId: id, actor, resumeAt });
    const other = await on.pool.connect();
    await other.query("begin");
    await other.query("select from execution where id = $1 for update", [id]);
    // These wait for the row when the time comes, and whatever comes of the time waits for these.
    const changes = [engine.resume({ executionId: id, actor }), engine.pause({ executionId: id, actor })];
    await new Promise((resolve) => setTimeout(resolve, resumeAt - Date.now() + 250));
    await other.query("commit");
    other.release();
    await Promise.all(changes);
    await assert.rejects(engine.pause({ executionId: id, actor }), { code: "INVALID_STATE" });
    assert.deepEqual(await actionsOf(id), [
      "PAUSE RUNNING>PAUSED ada -",
      "RESUME PAUSED>RUNNING ada -",
      "PAUSE RUNNING>PAUSED ada -",
    ]);
    step.open();
    await engine.stop({ executionId: id, actor });
    await ended;
  });

  test("paused time does not count towards the execution's timeout", async () => {
    const step = gate();
    const job = await on.jobOf(
      {
        run: async () => {
          await step.pass();
          return { output: 1 };
        },
      },
      { run: answer("in time") },
    );
    job.timeoutMs = 1_000;
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    await engine.pause({ executionId: id, actor });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    step.open();
    await drained(id);
    await engine.resume({ executionId: id, actor });
    assert.equal((await ended).output, "in time");
  });

  test("stop aborts the step under way, discards what it answers later, and begins nothing further", async () => {
    const step = gate();
    let aborted = false;
    const job = await on.jobOf(
      {
        run: async ({ signal }) => {
          signal.addEventListener("abort", () => {
            aborted = true;
          });
          await step.pass();
          return { output: "too late" };
        },
      },
      { run: answer("never") },
    );
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    const stopped = await engine.stop({ executionId: id, actor, reason: "wrong day" });
    assert.equal(stopped.status, "STOPPED");
    assert.equal((await ended).status, "STOPPED");
    assert.equal(aborted, true);
    step.open();
    const rows = await on.resultsOf(id);
    assert.deepEqual(
      rows.map((row) => [row.step_key, row.status, row.output]),
      [["s0", "STOPPED", null]],
    );
    assert.equal(rows[0]!.error!.message, "Stopped by ada: wrong day");
    assert.equal(await liveOf(id), undefined);
  });

  test("stop abandons a step that ignores its signal after a grace period, and discards its late result", async () => {
    await on.close(engine);
    engine = await on.open({ limits: { outputBytes: 1024, logBytes: 100, graceMs: 120 } });
    const deaf = gate();
    const job = await on.jobOf(
      { run: () => deaf.pass().then(() => ({ output: "late" })) },
      { run: answer(2) },
    );
    const { id, ended } = await on.begin(engine, job);
    await deaf.reached;
    const stoppedAt = performance.now();
    await engine.stop({ executionId: id, actor });
    assert.equal((await ended).status, "STOPPED", "told at once");
    assert.equal(engine.stats().running, 1, "its code has its grace");
    while (engine.stats().running > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(performance.now() - stoppedAt >= 100, "abandoned after the grace, not before");
    deaf.open();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(
      (await on.resultsOf(id)).map((row) => [row.step_key, row.status, row.output]),
      [["s0", "STOPPED", null]],
    );
    assert.equal(await on.statusOf(id), "STOPPED");

    // One that heeds it in time holds nothing up; what it says then is no result either.
    const heeds = await on.jobOf({
      run: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve({ output: "in time" }))),
    });
    const second = await on.begin(engine, heeds);
    while (engine.stats().running === 0) await new Promise((resolve) => setImmediate(resolve));
    await engine.stop({ executionId: second.id, actor });
    const again = on.endOf(engine, second.id);
    await engine.restart({ executionId: second.id, actor });
    while ((await on.statusOf(second.id)) !== "RUNNING")
      await new Promise((resolve) => setImmediate(resolve));
    await engine.stop({ executionId: second.id, actor });
    assert.equal((await again).status, "STOPPED");
    assert.deepEqual(
      (await on.resultsOf(second.id)).filter(({ output }) => output !== null),
      [],
    );
    await on.close(engine);
    engine = await on.open();
  });

  test("stop ends what is paused, what waits for a retry and what waits for a time", async () => {
    const paused = await on.jobOf({ run: () => new Promise(() => {}) });
    const retrying = await on.jobOf({
      retry: { maxAttempts: 3, initialDelayMs: 60_000, factor: 1, maxDelayMs: 60_000 },
      run: async () => {
        throw new Error("again");
      },
    });
    const waiting = await on.jobOf({ run: async () => ({ output: null, until: Date.now() + 60_000 }) });
    for (const job of [paused, retrying, waiting]) {
      const { id, ended } = await on.begin(engine, job);
      if (job === paused) await engine.pause({ executionId: id, actor });
      else while ((await liveOf(id))?.due_at == null) await new Promise((resolve) => setImmediate(resolve));
      await engine.stop({ executionId: id, actor });
      assert.equal((await ended).status, "STOPPED");
      assert.deepEqual(
        (await on.resultsOf(id)).map((row) => row.status),
        ["STOPPED"],
      );
    }
  });

  test("restart keeps the results before the restart point byte for byte and runs the rest again", async () => {
    let healthy = false;
    const ran: string[] = [];
    const step = (key: string, fails = false): { run: Code } => ({
      run: async () => {
        ran.push(key);
        if (fails && !healthy) throw new StepError("DOWN", "Down.", { retryable: false });
        return { output: { key, at: ran.length } };
      },
    });
    const job = await on.jobOf(step("s0"), step("s1"), step("s2", true), step("s3"));
    const failed = await on.runToEnd(engine, job);
    assert.equal(failed.status, "FAILED");
    const before = await on.pool.query(
      "select output::text from step_execution where execution_id = $1 order by position",
      [failed.id],
    );
    healthy = true;
    const ended = on.endOf(engine, failed.id);
    const outcome = await engine.restart({ executionId: failed.id, actor });
    assert.equal(outcome.step?.key, "s2");
    assert.equal((await ended).status, "COMPLETED");
    assert.deepEqual(ran, ["s0", "s1", "s2", "s2", "s3"]);
    const after = await on.pool.query(
      "select output::text, run from step_execution where execution_id = $1 order by run, position",
      [failed.id],
    );
    assert.deepEqual(
      after.rows.slice(0, 2).map((row) => row.output),
      before.rows.slice(0, 2).map((row) => row.output),
    );
    assert.deepEqual(
      after.rows.map((row) => row.run),
      [1, 1, 1, 2, 2],
    );
    const { rows } = await on.pool.query("select workflow_id::text, run from execution where id = $1", [
      failed.id,
    ]);
    assert.deepEqual(rows[0], { workflow_id: outcome.workflowId, run: 2 });
    const counts = await on.pool.query(
      "select sum(started)::int as started, sum(completed)::int as completed, sum(failed)::int as failed from job_counter where job_id = $1",
      [job.jobId],
    );
    assert.deepEqual(counts.rows[0], { started: 1, completed: 1, failed: 0 });
  });

  test("restart takes a step by key or id, earlier than the failed one too, and a restart of a restart keeps what is in force", async () => {
    const ran: string[] = [];
    let fails = true;
    const step = (key: string): { run: Code } => ({
      run: async ({ scope }) => {
        ran.push(key);
        if (key === "s2" && fails) throw new StepError("DOWN", "Down.", { retryable: false });
        return {
          output: `${key}${Object.values(scope.steps)
            .map((done) => done.output)
            .join("")}`,
        };
      },
    });
    const job = await on.jobOf(step("s0"), step("s1"), step("s2"));
    const { id } = await on.runToEnd(engine, job);
    const again = async (fromStep: string) => {
      ran.length = 0;
      const ended = on.endOf(engine, id);
      await engine.restart({ executionId: id, actor, fromStep });
      return ended;
    };
    assert.equal((await again("s1")).status, "FAILED");
    assert.deepEqual(ran, ["s1", "s2"]);
    assert.equal((await again(job.steps[0]!.id)).status, "FAILED");
    assert.deepEqual(ran, ["s0", "s1", "s2"]);
    fails = false;
    const ending = await again("s2");
    assert.deepEqual(ran, ["s2"]);
    assert.equal(ending.output, "s2s0s1s0");
  });

  test("restart of a stopped execution begins at the first step without a result", async () => {
    const stuck = gate();
    let free = false;
    const job = await on.jobOf(
      { run: answer("a") },
      {
        run: async () => {
          if (!free) {
            stuck.pass();
            await new Promise(() => {});
          }
          return { output: "b" };
        },
      },
    );
    const { id, ended } = await on.begin(engine, job);
    await stuck.reached;
    await engine.stop({ executionId: id, actor });
    await ended;
    free = true;
    const again = on.endOf(engine, id);
    assert.equal((await engine.restart({ executionId: id, actor })).step?.key, "s1");
    assert.equal((await again).output, "b");
  });

  test("restart refuses an unknown step and one whose predecessors have no result", async () => {
    const job = await on.jobOf(
      {
        run: async () => {
          throw new StepError("BAD", "No.", { retryable: false });
        },
      },
      { run: answer(1) },
    );
    const { id } = await on.runToEnd(engine, job);
    await assert.rejects(engine.restart({ executionId: id, actor, fromStep: "nowhere" }), {
      code: "VALIDATION_FAILED",
    });
    await assert.rejects(engine.restart({ executionId: id, actor, fromStep: "s1" }), /'s0' has none/);
    assert.equal(await on.statusOf(id), "FAILED");
  });

  test("an action that the table doesn't allow answers INVALID_STATE, names what is allowed and changes nothing", async () => {
    const job = await on.jobOf({ run: answer(1) });
    const done = await on.runToEnd(engine, job);
    for (const action of ["pause", "resume", "stop", "restart"] as const) {
      await assert.rejects(engine[action]({ executionId: done.id, actor }), { code: "INVALID_STATE" });
    }
    const { id } = await on.begin(engine, await on.jobOf({ run: () => new Promise(() => {}) }));
    await assert.rejects(engine.resume({ executionId: id, actor }), /is RUNNING.*Allowed now: pause, stop/);
    await engine.pause({ executionId: id, actor });
    await assert.rejects(engine.pause({ executionId: id, actor }), { code: "INVALID_STATE" });
    await engine.stop({ executionId: id, actor });
    assert.deepEqual(await actionsOf(done.id), []);
  });

  test("a hundred clients at once: every answer is truthful, and there is one terminal state", async () => {
    for (let round = 0; round < 5; round++) {
      const job = await on.jobOf(
        { run: answer(1) },
        { run: async () => ({ output: 2, until: Date.now() + 5 }) },
        { run: answer(3) },
      );
      const { id, ended } = await on.begin(engine, job);
      const answers = await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          const action = (["stop", "pause", "resume", "restart"] as const)[i % 4]!;
          try {
            return { action, outcome: await engine[action]({ executionId: id, actor: `client ${i}` }) };
          } catch (error) {
            assert.equal((error as { code: string }).code, "INVALID_STATE");
            return { action, outcome: undefined };
          }
        }),
      );
      const status = await on.statusOf(id);
      if (status === "PAUSED") {
        await engine.resume({ executionId: id, actor });
        answers.push({ action: "resume", outcome: { status: "RUNNING", at: 0 } });
      }
      if (!["STOPPED", "COMPLETED", "FAILED"].includes(status)) await ended;
      while (!["STOPPED", "COMPLETED", "FAILED"].includes(await on.statusOf(id))) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const made = answers.filter(({ outcome }) => outcome !== undefined);
      assert.equal(
        (await actionsOf(id)).length,
        made.length,
        "every answer of success is one action in the history",
      );
      assert.equal(await liveOf(id), undefined);
    }
  });

  test("a former process's holds stand, and its paused executions are not loaded", async () => {
    const step = gate();
    const job = await on.jobOf(
      { run: answer(1) },
      {
        run: async () => {
          await step.pass();
          return { output: 2 };
        },
      },
    );
    const { id } = await on.begin(engine, job);
    await step.reached;
    await engine.pause({ executionId: id, actor });
    await on.close(engine);
    engine = await on.open();
    assert.deepEqual(engine.stats(), { running: 0, queued: 0 });
    assert.equal((await liveOf(id)).draining, false);
    step.open();
    const ended = on.endOf(engine, id);
    await engine.resume({ executionId: id, actor });
    assert.equal((await ended).output, 2);
  });
});
