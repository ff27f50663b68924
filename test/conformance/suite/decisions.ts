import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { UnderTest } from "../engine.ts";
import { actor, begin, endOf, puppet, snapshot, until } from "../scene.ts";

/** An execution that waits for somebody's decision is PAUSED, and only a decision or a stop moves it. */
export function decisions(under: UnderTest): void {
  describe("a decision", () => {
    async function waiting() {
      const { on, engine } = under;
      const next = puppet();
      const job = await on.jobOf(
        { run: async () => ({ output: null, decision: { message: "Go on?" } }) },
        { run: next.run },
      );
      const begun = await begin(on, engine, job);
      await until(on, begun.id, ({ status }) => status === "PAUSED");
      return { ...begun, job, next };
    }

    test("holds the execution: nothing further begins, and only deciding or stopping is allowed", async () => {
      const { on, engine } = under;
      const { id, execution, job, next } = await waiting();
      const was = await snapshot(on, id, job.jobId);
      const request = { executionId: id, actor };
      assert.equal(await engine.start(execution), false);
      await assert.rejects(engine.pause(request), { code: "INVALID_STATE" });
      await assert.rejects(engine.resume(request), {
        code: "INVALID_STATE",
        message: /waits for a decision/,
      });
      await assert.rejects(engine.restart(request), { code: "INVALID_STATE" });
      assert.deepEqual(await snapshot(on, id, job.jobId), was);
      assert.equal(next.unseen(), 0);
      assert.equal((await engine.stop(request)).status, "STOPPED");
    });

    for (const reopened of [false, true]) {
      const when = reopened ? " also after a restart of the engine" : "";

      test(`approved goes on with the next step${when}`, async () => {
        const { id, next } = await waiting();
        if (reopened) await under.reopen();
        const { on, engine } = under;
        const ended = endOf(engine, id);
        const outcome = await engine.decide({ executionId: id, actor, approve: true, reason: "fine" });
        assert.equal(outcome.status, "RUNNING");
        (await next.next()).answer({ output: "after" });
        assert.equal((await ended).status, "COMPLETED");
        const { from, to, reason } = (await on.actionsOf(id)).at(-1)!;
        assert.deepEqual({ from, to, reason }, { from: "PAUSED", to: "RUNNING", reason: "fine" });
        assert.equal((await on.resultsOf(id)).length, 2);
      });

      test(`rejected stops the execution${when}`, async () => {
        const { id, job, next } = await waiting();
        if (reopened) await under.reopen();
        const { on, engine } = under;
        const outcome = await engine.decide({ executionId: id, actor, approve: false, reason: "no" });
        assert.equal(outcome.status, "STOPPED");
        const kept = await on.find(id);
        assert.deepEqual([kept?.status, kept?.ended, kept?.live], ["STOPPED", true, false]);
        const { from, to, reason } = (await on.actionsOf(id)).at(-1)!;
        assert.deepEqual({ from, to, reason }, { from: "PAUSED", to: "STOPPED", reason: "no" });
        assert.equal(next.unseen(), 0);
        const { kept: counts, recount } = await on.countsOf(job.jobId);
        assert.deepEqual(counts, recount);
      });
    }

    test("is made once: the second is refused, of many at once exactly one counts", async () => {
      const { on, engine } = under;
      const { id } = await waiting();
      const made = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          engine.decide({ executionId: id, actor: `client ${i}`, approve: i % 2 === 0 }),
        ),
      );
      assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
      for (const one of made) {
        if (one.status === "rejected") assert.equal(one.reason.code, "INVALID_STATE");
      }
      const status = (await on.find(id))?.status;
      if (status === "RUNNING") await engine.stop({ executionId: id, actor });
      else assert.equal(status, "STOPPED");
    });
  });
}
