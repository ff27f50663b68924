import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StepError } from "../../../src/lib/step-error.ts";
import type { UnderTest } from "../engine.ts";
import { actor, begin, endOf, puppet, until } from "../scene.ts";

/** What is done to an execution can be read afterwards, all of it, in order. */
export function history(under: UnderTest): void {
  describe("the history", () => {
    test("has every action in order, and every attempt with the results that were its own", async () => {
      const { on, engine } = under;
      const middle = puppet();
      const job = await on.jobOf({ run: async () => ({ output: "a" }) }, { run: middle.run });
      const { id, execution, ended } = await begin(on, engine, job);
      const ask = (reason?: string) => ({ executionId: id, actor, reason });

      const first = await middle.next();
      await engine.pause(ask("lunch"));
      await engine.resume(ask());
      first.fail(new StepError("DOWN", "Down.", { retryable: false }));
      assert.equal((await ended).status, "FAILED");

      const second = await engine.restart(ask("try again"));
      await middle.next();
      const stopped = endOf(engine, id);
      await engine.stop(ask("wrong day"));
      await stopped;

      const completed = endOf(engine, id);
      const third = await engine.restart({ ...ask(), fromStep: "s0" });
      (await middle.next()).answer({ output: "b" });
      assert.equal((await completed).status, "COMPLETED");

      assert.deepEqual(
        (await on.actionsOf(id)).map(({ action, from, to, reason }) => `${action} ${from}>${to} ${reason}`),
        [
          "PAUSE RUNNING>PAUSED lunch",
          "RESUME PAUSED>RUNNING null",
          "RESTART FAILED>RUNNING try again",
          "STOP RUNNING>STOPPED wrong day",
          "RESTART STOPPED>RUNNING null",
        ],
      );
      const kept = await on.find(id);
      assert.equal(kept?.run, 3);
      assert.equal(kept.workflowId, third.workflowId);
      assert.deepEqual(kept.earlier, [
        { run: 1, workflowId: execution.workflowId, status: "FAILED" },
        { run: 2, workflowId: second.workflowId, status: "STOPPED" },
      ]);
      assert.deepEqual(
        (await on.resultsOf(id)).map((row) => [row.run, row.position, row.status, row.output ?? row.error]),
        [
          [1, 0, "COMPLETED", '"a"'],
          [1, 1, "FAILED", "DOWN"],
          [2, 1, "STOPPED", "STOPPED"],
          [3, 0, "COMPLETED", '"a"'],
          [3, 1, "COMPLETED", '"b"'],
        ],
      );
      const { kept: counts, recount } = await on.countsOf(job.jobId);
      assert.deepEqual(counts, recount);
    });

    test("names the step that a restart began at, and every attempt has an idempotency key of its own", async () => {
      const { on, engine } = under;
      const step = puppet();
      const job = await on.jobOf({ run: step.run });
      const { id, ended } = await begin(on, engine, job);
      const first = await step.next();
      first.fail(new StepError("BAD", "No.", { retryable: false }));
      await ended;
      const { step: from } = await engine.restart({ executionId: id, actor });
      assert.deepEqual(from, { id: job.steps[0]!.id, key: "s0", name: "s0" });
      const again = await step.next();
      assert.notEqual(again.call.idempotencyKey, first.call.idempotencyKey);
      const done = endOf(engine, id);
      again.answer({ output: 1 });
      await done;
    });

    test("a pause that ends by itself is resumed by Pawl", async () => {
      const { on, engine } = under;
      const step = puppet();
      const job = await on.jobOf({ run: step.run }, { run: async () => ({ output: 2 }) });
      const { id, ended } = await begin(on, engine, job);
      const present = await step.next();
      await engine.pause({ executionId: id, actor, resumeAt: Date.now() + 20 });
      present.answer({ output: 1 });
      assert.equal((await ended).output, 2);
      const [, resumed] = await on.actionsOf(id);
      assert.deepEqual([resumed?.action, resumed?.actor, resumed?.to], ["RESUME", "pawl", "RUNNING"]);
    });

    test("of a hundred actions at once tells exactly those that were answered with success", async () => {
      const { on, engine } = under;
      const job = await on.jobOf(
        { run: async () => ({ output: 1 }) },
        { run: async () => ({ output: 2, until: Date.now() + 5 }) },
        { run: async () => ({ output: 3 }) },
      );
      const { id } = await begin(on, engine, job);
      const answers = await Promise.allSettled(
        Array.from({ length: 100 }, (_, i) => {
          const action = (["stop", "pause", "resume", "restart"] as const)[i % 4]!;
          return engine[action]({ executionId: id, actor: `client ${i}` });
        }),
      );
      for (const answer of answers) {
        if (answer.status === "rejected") assert.equal(answer.reason.code, "INVALID_STATE");
      }
      const made = answers.flatMap((answer, i) => (answer.status === "fulfilled" ? [`client ${i}`] : []));
      const told = (await on.actionsOf(id)).map((row) => row.actor);
      assert.deepEqual(told.toSorted(), made.toSorted());
      let status: string | null = "RUNNING";
      for (const { from, to } of await on.actionsOf(id)) {
        // Between two actions the execution may have ended by itself, which is no action.
        assert.ok(from === status || status === "RUNNING", `${from} follows ${status}`);
        status = to;
      }
      const now = await on.find(id);
      if (now?.status === "PAUSED") await engine.resume({ executionId: id, actor });
      const { ended, live } = await until(on, id, (kept) => kept.ended);
      assert.deepEqual([ended, live], [true, false]);
      const { kept: counts, recount } = await on.countsOf(job.jobId);
      assert.deepEqual(counts, recount);
    });
  });
}
