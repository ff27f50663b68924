import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Code, type EngineFixture, engineFixture, gate } from "../../../test/helpers/engine-fixture.ts";
import type { CompiledJob, Engine } from "../../engine/engine.ts";
import { StepError } from "../../lib/step-error.ts";

const actor = "ada";

describe("jobs that run jobs", () => {
  let on: EngineFixture;
  let engine: Engine;

  before(async () => {
    on = await engineFixture();
    engine = await on.open();
  });
  after(() => on.dispose());

  const runs =
    (job: CompiledJob): Code =>
    async () => ({ output: null, child: { jobId: job.jobId, parameters: {} } });

  async function childOf(id: string): Promise<string> {
    for (;;) {
      const { rows } = await on.pool.query("select id::text from execution where parent_id = $1", [id]);
      if (rows[0]) return rows[0].id;
    }
  }

  async function statusIs(id: string, status: string): Promise<void> {
    while ((await on.statusOf(id)) !== status) await new Promise((resolve) => setImmediate(resolve));
  }

  test("wait for its end and get its output, holding nothing in memory meanwhile", async () => {
    const inner = gate();
    const child = await on.jobOf({
      run: async () => {
        await inner.pass();
        return { output: 42 };
      },
    });
    const parent = await on.jobOf(
      { run: runs(child) },
      { run: async ({ scope }) => ({ output: scope.steps.s0!.output }) },
    );
    const { id, ended } = await on.begin(engine, parent);
    await inner.reached;
    const childId = await childOf(id);
    while (engine.stats().running > 1) await new Promise((resolve) => setImmediate(resolve));
    inner.open();
    assert.deepEqual((await ended).output, { executionId: childId, status: "COMPLETED", output: 42 });
  });

  test("fail with it, saying why", async () => {
    const child = await on.jobOf({
      run: async () => {
        throw new StepError("BAD", "The well is dry.", { retryable: false });
      },
    });
    const ending = await on.runToEnd(engine, await on.jobOf({ run: runs(child) }));
    assert.equal(ending.status, "FAILED");
    assert.equal(ending.error?.code, "SUB_JOB_FAILED");
    assert.match(ending.error.message, /FAILED: The well is dry/);
  });

  test("stop it when they are stopped", async () => {
    const inner = gate();
    const child = await on.jobOf({ run: () => inner.pass().then(() => ({ output: null })) });
    const { id, ended } = await on.begin(engine, await on.jobOf({ run: runs(child) }));
    await inner.reached;
    const childId = await childOf(id);
    await engine.stop({ executionId: id, actor, reason: "enough" });
    assert.equal((await ended).status, "STOPPED");
    await statusIs(childId, "STOPPED");
  });

  test("pause it and resume it with them", async () => {
    const inner = gate();
    const child = await on.jobOf(
      { run: () => inner.pass().then(() => ({ output: 1 })) },
      { run: async () => ({ output: 2 }) },
    );
    const { id, ended } = await on.begin(engine, await on.jobOf({ run: runs(child) }));
    await inner.reached;
    const childId = await childOf(id);
    await engine.pause({ executionId: id, actor });
    assert.equal(await on.statusOf(childId), "PAUSED");
    inner.open();
    await engine.resume({ executionId: id, actor });
    assert.equal((await ended).status, "COMPLETED");
    assert.equal(await on.statusOf(childId), "COMPLETED");
  });

  test("fail when the one they run is stopped", async () => {
    const inner = gate();
    const child = await on.jobOf({ run: () => inner.pass().then(() => ({ output: null })) });
    const { id, ended } = await on.begin(engine, await on.jobOf({ run: runs(child) }));
    await inner.reached;
    await engine.stop({ executionId: await childOf(id), actor });
    assert.match((await ended).error!.message, /is STOPPED: Stopped by ada/);
  });

  test("go on across a restart of the server, without starting it twice", async () => {
    const inner = gate();
    const child = await on.jobOf({ run: () => inner.pass().then(() => ({ output: "late" })) });
    const { id } = await on.begin(engine, await on.jobOf({ run: runs(child) }));
    await inner.reached;
    await on.close(engine);
    engine = await on.open();
    const ended = on.endOf(engine, id);
    inner.open();
    assert.equal(((await ended).output as { output: unknown }).output, "late");
    const { rows } = await on.pool.query("select count(*)::int as n from execution where parent_id = $1", [
      id,
    ]);
    assert.equal(rows[0].n, 1);
  });

  test("run no deeper than sixteen: a job that runs itself ends", async () => {
    const looping: CompiledJob = await on.jobOf({
      run: async () => ({ output: null, child: { jobId: looping.jobId, parameters: {} } }),
    });
    const ending = await on.runToEnd(engine, looping);
    assert.equal(ending.status, "FAILED");
    const { rows } = await on.pool.query("select max(depth) as deepest from execution where job_id = $1", [
      looping.jobId,
    ]);
    assert.equal(rows[0].deepest, 16);
  });

  test("fail at their own deadline, and stop what they wait for", async () => {
    const inner = gate();
    const child = await on.jobOf({ run: () => inner.pass().then(() => ({ output: null })) });
    const parent = await on.jobOf({ run: runs(child) });
    parent.timeoutMs = 60;
    const { id, ended } = await on.begin(engine, parent);
    assert.equal((await ended).error?.code, "EXECUTION_TIMEOUT");
    await statusIs(await childOf(id), "STOPPED");
  });
});
