import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type EngineFixture, engineFixture, gate } from "../../../test/helpers/engine-fixture.ts";
import type { CompiledJob, Engine } from "../../engine/engine.ts";

describe("places of a job", () => {
  let on: EngineFixture;
  let engine: Engine;

  before(async () => {
    on = await engineFixture();
    engine = await on.open();
  });
  after(() => on.dispose());

  /** A job whose one step waits at a gate of its own, in the order in which its executions came to run. */
  async function gated(concurrency: NonNullable<CompiledJob["concurrency"]>) {
    const gates: { id: string; gate: ReturnType<typeof gate> }[] = [];
    const came: (() => void)[] = [];
    const job = await on.jobOf({
      run: async ({ scope }) => {
        const own = { id: String(scope.execution.id), gate: gate() };
        gates.push(own);
        came.shift()?.();
        await own.gate.pass();
        return { output: null };
      },
    });
    job.concurrency = concurrency;
    return {
      job,
      gates,
      /** Resolves when so many executions have come to run. */
      async reached(count: number) {
        while (gates.length < count) await new Promise<void>((resolve) => came.push(resolve));
      },
    };
  }

  test("run so many at a time and the rest in order, priority first", async () => {
    const { job, gates, reached } = await gated({ limit: 2, onLimit: "queue" });
    const starts = [5, 5, 1, 9, 5].map((priority) => ({ ...on.executionOf(job), priority }));
    const ends = starts.map(({ id }) => on.endOf(engine, id));
    for (const execution of starts) assert.equal(await engine.start(execution), true);
    await reached(2);
    assert.equal(engine.stats().running, 2);
    for (let i = 0; i < 5; i++) {
      await reached(i + 1);
      gates[i]!.gate.open();
    }
    await Promise.all(ends);
    const order = gates.map(({ id }) => starts.findIndex((execution) => execution.id === id));
    assert.deepEqual(order, [0, 1, 3, 4, 2]);
  });

  test("refuse a start beyond the limit when the job says so, and take one again afterwards", async () => {
    const { job, gates, reached } = await gated({ limit: 1, onLimit: "reject" });
    const first = await on.begin(engine, job);
    await reached(1);
    await assert.rejects(engine.start(on.executionOf(job)), { code: "CONFLICT" });
    gates[0]!.gate.open();
    await first.ended;
    const second = await on.begin(engine, job);
    await reached(2);
    gates[1]!.gate.open();
    assert.equal((await second.ended).status, "COMPLETED");
  });

  test("are given on when an execution is stopped; one that waits can be stopped too", async () => {
    const { job, gates, reached } = await gated({ limit: 1, onLimit: "queue" });
    const [first, second, third] = [
      await on.begin(engine, job),
      await on.begin(engine, job),
      await on.begin(engine, job),
    ];
    await reached(1);
    await engine.stop({ executionId: second!.id, actor: "ada" });
    await engine.stop({ executionId: first!.id, actor: "ada" });
    await reached(2);
    assert.equal(gates[1]!.id, third!.id);
    gates[1]!.gate.open();
    assert.equal((await third!.ended).status, "COMPLETED");
  });

  test("are kept by what is paused, and outlast a restart of the server", async () => {
    const { job, gates, reached } = await gated({ limit: 1, onLimit: "queue" });
    const first = await on.begin(engine, job);
    const second = await on.begin(engine, job);
    await reached(1);
    await engine.pause({ executionId: first.id, actor: "ada" });
    await on.close(engine);
    engine = await on.open();
    assert.deepEqual(engine.stats(), { running: 0, queued: 0 });
    const ends = [on.endOf(engine, first.id), on.endOf(engine, second.id)];
    await engine.resume({ executionId: first.id, actor: "ada" });
    await reached(2);
    assert.equal(gates[1]!.id, first.id);
    gates[1]!.gate.open();
    await reached(3);
    gates[2]!.gate.open();
    await Promise.all(ends);
  });

  test("are never lost or doubled by many starts at once", async () => {
    let under = 0;
    let most = 0;
    const job = await on.jobOf({
      run: async () => {
        most = Math.max(most, ++under);
        await new Promise((resolve) => setImmediate(resolve));
        under--;
        return { output: null };
      },
    });
    job.concurrency = { limit: 3, onLimit: "queue" };
    const runs = await Promise.all(Array.from({ length: 100 }, () => on.begin(engine, job)));
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    assert.ok(ends.every(({ status }) => status === "COMPLETED"));
    assert.ok(most <= 3, `${most} ran at once`);
  });
});
