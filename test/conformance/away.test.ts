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
    // The one is asked of the journal's lane that was told to refuse, the others of both.
    assert.equal(await answerOf(() => engine.pause({ executionId: id, actor })), "INVALID_STATE");
    for (let i = 0; i < 8; i++) assert.equal(await answerOf(() => engine.start(on.executionOf(job))), true);
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
    const quick = await on.jobOf({ run: async () => ({ output: null }) });
    let away = false;
    const engine = await on.open({
      url: way.url,
      async loadJob(jobId) {
        if (away) way.cut();
        return jobId === job.jobId ? job : quick;
      },
    });
    // Enough of them that one is written where the execution is.
    const others = await Promise.all(
      Array.from({ length: 16 }, async () => (await on.runToEnd(engine, quick)).id),
    );
    const { id, ended } = await on.begin(engine, job);
    await step.reached;
    await engine.pause({ executionId: id, actor });
    step.open();
    while ((await on.resultsOf(id)).length === 0) await new Promise((resolve) => setImmediate(resolve));
    away = true;
    await engine.resume({ executionId: id, actor });
    // Whoever waits for an answer is told that the database is away.
    await Promise.all(
      others.map((executionId) =>
        assert.rejects(engine.pause({ executionId, actor }), { code: "STORE_UNAVAILABLE" }),
      ),
    );
    away = false;
    way.mend();
    assert.equal((await ended).status, "COMPLETED");
    engine.check();
    await on.close(engine);
  });
});

/** What is answered once the database is known to be back. */
async function answerOf(ask: () => Promise<unknown>): Promise<unknown> {
  const limit = performance.now() + 5_000;
  for (;;) {
    const answer = await ask().catch((error: { code?: string }) => error.code);
    if (answer !== "STORE_UNAVAILABLE" || performance.now() > limit) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
