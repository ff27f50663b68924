import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StepError } from "../../../src/lib/step-error.ts";
import type { UnderTest } from "../engine.ts";
import { actor, begin, endOf, puppet, until } from "../scene.ts";

/** What an engine left unfinished, the next one on the same store finishes. */
export function recovery(under: UnderTest): void {
  describe("the next engine on the same store", () => {
    test("goes on with what ran, leaves what is held, and touches nothing that is over", async () => {
      const { on, engine } = under;
      const calls = new Map<string, number>();
      const code = puppet();
      const job = await on.jobOf(
        {
          run: async ({ scope }) => {
            const { id } = scope.execution as { id: string };
            calls.set(id, (calls.get(id) ?? 0) + 1);
            return { output: id };
          },
        },
        { run: code.run },
      );
      const ids: string[] = [];
      for (let i = 0; i < 8; i++) {
        const { id, ended } = await begin(on, engine, job);
        ids.push(id);
        const present = await code.next();
        const ask = { executionId: id, actor };
        if (i % 4 === 1) await engine.pause(ask);
        if (i % 4 === 2) await engine.stop(ask);
        if (i % 4 === 3) present.fail(new StepError("BAD", "No.", { retryable: false }));
        if (i % 4 >= 2) await ended;
      }
      const over = await Promise.all(ids.filter((_, i) => i % 4 >= 2).map((id) => on.resultsOf(id)));

      await under.reopen();
      const resumed = ids.filter((_, i) => i % 4 === 0);
      const ends = resumed.map((id) => endOf(under.engine, id));
      for (const _ of resumed) (await code.next()).answer({ output: "done" });
      for (const end of await Promise.all(ends)) assert.equal(end.status, "COMPLETED");
      const statuses = await Promise.all(ids.map(async (id) => (await on.find(id))?.status));
      assert.deepEqual(
        statuses,
        [0, 1].flatMap(() => ["COMPLETED", "PAUSED", "STOPPED", "FAILED"]),
      );
      assert.equal(code.unseen(), 0, "only what ran goes on");
      assert.deepEqual(new Set(calls.values()), new Set([1]), "what is recorded never runs again");
      assert.deepEqual(
        await Promise.all(ids.filter((_, i) => i % 4 >= 2).map((id) => on.resultsOf(id))),
        over,
      );
      for (const [i, id] of ids.entries()) {
        if (i % 4 !== 1) continue;
        const ended = endOf(under.engine, id);
        await under.engine.resume({ executionId: id, actor });
        (await code.next()).answer({ output: "done" });
        assert.equal((await ended).status, "COMPLETED");
      }
      const { kept, recount } = await on.countsOf(job.jobId);
      assert.deepEqual(kept, recount);
    });

    test("ends a resumed execution whose last step finished while it was held", async () => {
      const { on, engine } = under;
      const code = puppet();
      const job = await on.jobOf({ run: code.run });
      const { id } = await begin(on, engine, job);
      const present = await code.next();
      await engine.pause({ executionId: id, actor });
      present.answer({ output: "kept" });
      await until(on, id, ({ draining }) => !draining);
      await under.reopen();
      const ended = endOf(under.engine, id);
      await under.engine.resume({ executionId: id, actor });
      const { status, output } = await ended;
      assert.deepEqual([status, output], ["COMPLETED", "kept"]);
      assert.equal(code.unseen(), 0);
    });

    test("goes on with an attempt that a restart began, at the restart point", async () => {
      const { on, engine } = under;
      const calls: string[] = [];
      const code = puppet();
      const job = await on.jobOf(
        {
          run: async () => {
            calls.push("s0");
            return { output: 0 };
          },
        },
        { run: code.run },
      );
      const { id, ended } = await begin(on, engine, job);
      (await code.next()).fail(new StepError("BAD", "No.", { retryable: false }));
      await ended;
      await engine.restart({ executionId: id, actor });
      await code.next();
      await under.reopen();
      const again = endOf(under.engine, id);
      (await code.next()).answer({ output: 1 });
      assert.equal((await again).status, "COMPLETED");
      assert.deepEqual(calls, ["s0"]);
      assert.deepEqual(
        (await on.resultsOf(id)).map((row) => [row.run, row.position, row.status]),
        [
          [1, 0, "COMPLETED"],
          [1, 1, "FAILED"],
          [2, 1, "COMPLETED"],
        ],
      );
    });
  });
}
