import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Code, type EngineFixture, engineFixture } from "../../../test/helpers/engine-fixture.ts";
import type { Decision, Engine } from "../../engine/engine.ts";

const actor = "ada";

describe("decisions in the embedded engine", () => {
  let on: EngineFixture;
  let engine: Engine;

  before(async () => {
    on = await engineFixture();
    engine = await on.open();
  });
  after(() => on.dispose());

  const ask =
    (decision: Partial<Decision> = {}): Code =>
    async () => ({ output: null, decision: { message: "Ship it?", ...decision } });

  async function asked(id: string): Promise<void> {
    while ((await on.statusOf(id)) === "RUNNING") await new Promise((resolve) => setImmediate(resolve));
  }

  async function begin(decision?: Partial<Decision>) {
    const job = await on.jobOf(
      { run: ask(decision) },
      { run: async ({ scope }) => ({ output: scope.steps.s0?.output }) },
    );
    const { id, ended } = await on.begin(engine, job);
    await asked(id);
    return { id, ended };
  }

  test("holds the execution until somebody approves; who, when and the answers become the step's output", async () => {
    const { id, ended } = await begin();
    const outcome = await engine.decide({
      executionId: id,
      actor,
      reason: "fine",
      approve: true,
      answers: { amount: 7 },
    });
    assert.equal(outcome.status, "RUNNING");
    const output = (await ended).output as Record<string, unknown>;
    assert.equal(output.amount, 7);
    assert.equal(output.approved, true);
    assert.equal(output.decidedBy, "ada");
    assert.equal(output.comment, "fine");
  });

  test("a rejection stops the execution with its reason, and a restart asks again", async () => {
    const { id, ended } = await begin();
    assert.equal(
      (await engine.decide({ executionId: id, actor, reason: "no", approve: false })).status,
      "STOPPED",
    );
    assert.equal((await ended).error?.message, "Rejected by ada: no");
    assert.deepEqual(
      (await on.resultsOf(id)).map((row) => row.status),
      ["STOPPED"],
    );
    assert.equal((await engine.restart({ executionId: id, actor })).step?.key, "s0");
    await asked(id);
    const again = on.endOf(engine, id);
    await engine.decide({ executionId: id, actor, approve: true });
    assert.equal((await again).status, "COMPLETED");
  });

  test("only one of many decisions counts", async () => {
    const { id } = await begin();
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        engine.decide({ executionId: id, actor: `a${i}`, approve: i % 2 === 0 }),
      ),
    );
    assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
    for (const answer of made) {
      if (answer.status === "rejected") assert.equal(answer.reason.code, "INVALID_STATE");
    }
  });

  test("plain resume does not decide, and a decision does not lift a plain pause", async () => {
    const { id } = await begin();
    await assert.rejects(engine.resume({ executionId: id, actor }), /waits for a decision/);
    await engine.stop({ executionId: id, actor });
    const paused = await on.begin(engine, await on.jobOf({ run: () => new Promise(() => {}) }));
    await engine.pause({ executionId: paused.id, actor });
    await assert.rejects(engine.decide({ executionId: paused.id, actor, approve: true }), {
      code: "INVALID_STATE",
    });
    await engine.stop({ executionId: paused.id, actor });
  });

  for (const [onDeadline, status] of [
    ["approve", "COMPLETED"],
    ["reject", "STOPPED"],
    ["fail", "FAILED"],
  ] as const) {
    test(`at the deadline nobody's decision becomes: ${onDeadline}`, async () => {
      const { ended } = await begin({ deadline: Date.now() + 30, onDeadline });
      assert.equal((await ended).status, status);
    });
  }

  test("waits for its decision across a restart of the server", async () => {
    const { id } = await begin();
    await on.close(engine);
    engine = await on.open();
    const ended = on.endOf(engine, id);
    await engine.decide({ executionId: id, actor, approve: true });
    assert.equal((await ended).status, "COMPLETED");
  });

  test("a draining engine begins no further step; what it leaves goes on at the next start", async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const job = await on.jobOf(
      {
        run: async () => {
          await held;
          return { output: 1 };
        },
      },
      { run: async () => ({ output: 2 }) },
    );
    const { id } = await on.begin(engine, job);
    engine.drain();
    await assert.rejects(engine.start(on.executionOf(job)), { code: "STORE_UNAVAILABLE" });
    assert.throws(() => engine.check(), { code: "OVERLOADED" });
    release();
    await on.close(engine);
    engine = await on.open();
    const ending = await new Promise<{ output: unknown }>((resolve) => {
      engine.watch(id, resolve);
    });
    assert.equal(ending.output, 2);
    assert.equal((await on.resultsOf(id)).length, 2);
  });

  test("tells those who watch of every change of status", async () => {
    const seen: string[] = [];
    const stop = engine.subscribe(({ step, status }) => seen.push(step ? `${step.key} ${status}` : status));
    const { id, ended } = await begin();
    await engine.decide({ executionId: id, actor, approve: true });
    await ended;
    stop();
    assert.deepEqual(seen, [
      "RUNNING",
      "s0 RUNNING",
      "PAUSED",
      "RUNNING",
      "s1 RUNNING",
      "s1 COMPLETED",
      "COMPLETED",
    ]);
  });
});
