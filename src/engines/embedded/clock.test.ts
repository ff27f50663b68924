import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Code, type EngineFixture, engineFixture, gate } from "../../../test/helpers/engine-fixture.ts";
import type { Ending, Engine } from "../../engine/engine.ts";

const actor = "ada";
const hourMs = 3_600_000;
const now = Date.now;

describe("when the clock is set back by an hour meanwhile, nothing ends before it begins:", () => {
  let on: EngineFixture;
  let engine: Engine;

  before(async () => {
    on = await engineFixture();
    engine = await on.open();
  });
  after(async () => {
    Date.now = now;
    await on.dispose();
  });

  const setBack = () => {
    Date.now = () => now() - hourMs;
  };
  const answer: Code = async () => ({ output: 1 });

  /** What is recorded, and what those who wait are told of the end. */
  async function assertTimely(id: string, told: Ending): Promise<void> {
    const { rows } = await on.pool.query(
      `select 'run' as what, run, run_started_at as begun, ended_at from execution where id = $1 and ended_at < coalesce(run_started_at, started_at)
       union all select 'execution', run, started_at, ended_at from execution where id = $1 and ended_at < started_at
       union all select 'attempt', run, started_at, ended_at from execution_run where execution_id = $1 and ended_at < started_at
       union all select 'step', run, started_at, ended_at from step_execution where execution_id = $1 and ended_at < started_at`,
      [id],
    );
    assert.deepEqual(rows, []);
    const execution = await on.pool.query<{ ended_at: Date; begun: Date }>(
      "select ended_at, coalesce(run_started_at, started_at) as begun from execution where id = $1",
      [id],
    );
    const { ended_at, begun } = execution.rows[0]!;
    assert.equal(told.endedAt, ended_at.getTime(), "they are told what is recorded");
    assert.ok(told.endedAt >= begun.getTime());
  }

  /** An execution whose step waits at a gate; the clock is set back while it does. */
  async function midway(then: Code = answer) {
    Date.now = now;
    const step = gate();
    const job = await on.jobOf({ run: (call) => step.pass().then(() => then(call)) }, { run: answer });
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    setBack();
    return { id, ended, open: step.open };
  }

  test("an execution whose last step begins after that", async () => {
    const { id, ended, open } = await midway();
    open();
    await assertTimely(id, await ended);
  });

  test("one that is stopped, and one whose pause is lifted", async () => {
    const stopped = await midway();
    await engine.stop({ executionId: stopped.id, actor });
    await assertTimely(stopped.id, await stopped.ended);
    const paused = await midway();
    await engine.pause({ executionId: paused.id, actor });
    paused.open();
    await engine.resume({ executionId: paused.id, actor });
    await assertTimely(paused.id, await paused.ended);
  });

  test("one that is approved or rejected", async () => {
    for (const approve of [true, false]) {
      const { id, ended, open } = await midway(async () => ({ output: null, decision: { message: "?" } }));
      open();
      while ((await on.statusOf(id)) === "RUNNING") await new Promise((resolve) => setImmediate(resolve));
      await engine.decide({ executionId: id, actor, approve });
      await assertTimely(id, await ended);
    }
  });

  test("an attempt that a restart began, and the one before it", async () => {
    const { id, ended, open } = await midway();
    await engine.stop({ executionId: id, actor });
    await ended;
    open();
    const again = on.endOf(engine, id);
    await engine.restart({ executionId: id, actor });
    await assertTimely(id, await again);
  });

  test("one that ran a job, and the job", async () => {
    Date.now = now;
    const inner = gate();
    const child = await on.jobOf({ run: () => inner.pass().then(() => ({ output: 1 })) });
    const parent = await on.jobOf({
      run: async () => ({ output: null, child: { jobId: child.jobId, parameters: {} } }),
    });
    const { id, ended } = await on.begin(engine, parent);
    await inner.reached;
    setBack();
    inner.open();
    await assertTimely(id, await ended);
    const { rows } = await on.pool.query(
      "select ended_at >= started_at as timely from execution where parent_id = $1",
      [id],
    );
    assert.deepEqual(rows, [{ timely: true }]);
  });
});
