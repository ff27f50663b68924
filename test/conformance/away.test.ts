import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { cuttable } from "../helpers/cuttable.ts";
import { type EngineFixture, engineFixture, gate } from "../helpers/engine-fixture.ts";

const actor = "ada";

describe("the embedded engine, when the journal's database was away for long", () => {
  let on: EngineFixture;
  before(async () => {
    on = await engineFixture();
  });
  after(() => on.dispose());

  test("takes starts and actions again, also if the first thing it did was to refuse one", async () => {
    await using way = await cuttable(on.url);
    const engine = await on.open({ url: way.url });
    const job = await on.jobOf({ run: async () => ({ output: 1 }) });
    const { id } = await on.runToEnd(engine, job);
    way.cut();
    await assert.rejects(engine.pause({ executionId: id, actor }), { code: "STORE_UNAVAILABLE" });
    await assert.rejects(engine.start(on.executionOf(job)), { code: "STORE_UNAVAILABLE" });
    way.mend();
    const limit = performance.now() + 10_000;
    for (;;) {
      const made = await engine.start(on.executionOf(job)).catch((error: { code?: string }) => {
        assert.equal(error.code, "STORE_UNAVAILABLE");
        assert.ok(performance.now() < limit, "the database is back, and starts are refused as if it weren't");
        return false;
      });
      if (made) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await assert.rejects(engine.pause({ executionId: id, actor }), { code: "INVALID_STATE" });
    await on.close(engine);
  });

  test("ends what was to end meanwhile", async () => {
    await using way = await cuttable(on.url);
    const step = gate();
    const job = await on.jobOf({
      run: async () => {
        await step.pass();
        return { output: "kept" };
      },
    });
    let away = false;
    const engine = await on.open({
      url: way.url,
      async loadJob(jobId) {
        assert.equal(jobId, job.jobId);
        if (away) way.cut();
        return job;
      },
    });
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    await engine.pause({ executionId: id, actor });
    step.open();
    while ((await on.resultsOf(id)).length === 0) await new Promise((resolve) => setImmediate(resolve));
    away = true;
    await engine.resume({ executionId: id, actor });
    // Somebody else is told that the database is away.
    await assert.rejects(engine.pause({ executionId: id, actor }), { code: "STORE_UNAVAILABLE" });
    away = false;
    way.mend();
    assert.equal((await ended).status, "COMPLETED");
    engine.check();
    await on.close(engine);
  });
});
