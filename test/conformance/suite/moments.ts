import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { UnderTest } from "../engine.ts";
import type { CodeStep } from "../fixture.ts";
import { actor, begin, endOf, puppet, type Try, until } from "../scene.ts";

const waitMs = 150;

/** Control at each moment of a step: its code runs, it waits for a time, it waits for a retry. */
export function moments(under: UnderTest): void {
  const kinds = ["runs", "waits for a time", "waits for a retry"] as const;

  describe("while a step", () => {
    for (const kind of kinds) {
      /** Brings an execution there. `finish` lets the step come to its result. */
      async function there() {
        const { on, engine } = under;
        const code = puppet();
        const step: CodeStep = {
          run: code.run,
          retry: { maxAttempts: 2, initialDelayMs: waitMs, factor: 1, maxDelayMs: waitMs },
        };
        const begun: string[] = [];
        const job = await on.jobOf(step, {
          run: async ({ scope }) => {
            begun.push("s1");
            return { output: [scope.steps.s0!.output, "after"] };
          },
        });
        const { id, ended } = await begin(on, engine, job);
        const first = await code.next();
        let last: Try | undefined = first;
        const dueAt = Date.now() + waitMs;
        if (kind === "waits for a time") first.answer({ output: "done", until: dueAt });
        if (kind === "waits for a retry") first.fail(new Error("not yet"));
        if (kind !== "runs") await until(on, id, ({ parked }) => parked);

        return {
          id,
          ended,
          begun,
          dueAt,
          signal: first.call.signal,
          late: () => first.answer({ output: "late" }),
          async finish() {
            if (kind === "waits for a time") return;
            if (kind === "waits for a retry") last = await code.next();
            last!.answer({ output: "done" });
          },
          /** After a restart of the engine or of the execution its code begins anew. */
          async finishAnew() {
            last = await code.next();
            last.answer({ output: "done" });
          },
          unseen: code.unseen,
        };
      }
      const past = async (time: number): Promise<void> => {
        while (Date.now() <= time + 10) await new Promise((resolve) => setImmediate(resolve));
      };

      test(`${kind}: pause keeps what comes of it, resume goes on`, async () => {
        const { on, engine } = under;
        const scene = await there();
        await engine.pause({ executionId: scene.id, actor });
        if (kind === "runs") {
          await scene.finish();
          await until(on, scene.id, ({ draining }) => !draining);
        } else {
          await past(scene.dueAt);
          assert.equal(scene.unseen(), 0, "what falls due while paused waits for the resume");
        }
        assert.equal((await on.find(scene.id))?.status, "PAUSED");
        assert.deepEqual(scene.begun, []);
        await engine.resume({ executionId: scene.id, actor });
        if (kind !== "runs") await scene.finish();
        assert.deepEqual((await scene.ended).output, ["done", "after"]);
        assert.deepEqual(scene.begun, ["s1"]);
      });

      test(`${kind}: pause and resume at once disturb nothing`, async () => {
        const { engine } = under;
        const scene = await there();
        for (let i = 0; i < 3; i++) {
          await engine.pause({ executionId: scene.id, actor });
          await engine.resume({ executionId: scene.id, actor });
        }
        await scene.finish();
        assert.deepEqual((await scene.ended).output, ["done", "after"]);
        // A retry is drawn from the upper half of its delay.
        if (kind !== "runs") assert.ok(Date.now() >= scene.dueAt - waitMs / 2, "no wait is cut short");
        assert.equal(scene.unseen(), 0);
      });

      test(`${kind}: stop ends it now, and what it answers later is discarded`, async () => {
        const { on, engine } = under;
        const scene = await there();
        await engine.stop({ executionId: scene.id, actor, reason: "enough" });
        assert.equal((await scene.ended).status, "STOPPED");
        if (kind === "runs") assert.equal(scene.signal.aborted, true);
        scene.late();
        await past(scene.dueAt);
        assert.deepEqual(
          (await on.resultsOf(scene.id)).map((row) => [row.position, row.status, row.output]),
          [[0, "STOPPED", null]],
        );
        assert.equal((await on.find(scene.id))?.status, "STOPPED");
        assert.equal(scene.unseen(), 0);
        assert.deepEqual(scene.begun, []);
      });

      test(`${kind}: stop and restart begin it anew`, async () => {
        const { on, engine } = under;
        const scene = await there();
        await engine.stop({ executionId: scene.id, actor });
        await scene.ended;
        const again = endOf(engine, scene.id);
        await engine.restart({ executionId: scene.id, actor });
        scene.late();
        await scene.finishAnew();
        assert.deepEqual((await again).output, ["done", "after"]);
        assert.deepEqual(
          (await on.resultsOf(scene.id)).map((row) => [row.run, row.position, row.status]),
          [
            [1, 0, "STOPPED"],
            [2, 0, "COMPLETED"],
            [2, 1, "COMPLETED"],
          ],
        );
      });

      test(`${kind}: a restart of the engine goes on with it`, async () => {
        const scene = await there();
        await under.reopen();
        const ended = endOf(under.engine, scene.id);
        scene.late();
        if (kind === "runs") await scene.finishAnew();
        else await scene.finish();
        const done = (await under.on.find(scene.id))?.status === "COMPLETED";
        if (!done) assert.deepEqual((await ended).output, ["done", "after"]);
        assert.deepEqual(
          (await under.on.resultsOf(scene.id)).map((row) => [row.position, row.status, row.output]),
          [
            [0, "COMPLETED", '"done"'],
            [1, "COMPLETED", '["done","after"]'],
          ],
        );
      });

      test(`${kind}: a pause outlasts a restart of the engine`, async () => {
        const scene = await there();
        await under.engine.pause({ executionId: scene.id, actor });
        await under.reopen();
        const { on, engine } = under;
        scene.late();
        await past(scene.dueAt);
        const kept = await on.find(scene.id);
        assert.deepEqual([kept?.status, kept?.draining], ["PAUSED", false]);
        assert.equal(scene.unseen(), 0);
        const ended = endOf(engine, scene.id);
        await engine.resume({ executionId: scene.id, actor });
        if (kind === "runs") await scene.finishAnew();
        else await scene.finish();
        assert.deepEqual((await ended).output, ["done", "after"]);
      });
    }
  });
}
