import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ExecutionStatus } from "../../../src/contract/execution.ts";
import type { CompiledJob, Engine, NewExecution } from "../../../src/engine/engine.ts";
import { newId } from "../../../src/lib/ids.ts";
import { StepError } from "../../../src/lib/step-error.ts";
import type { UnderTest } from "../engine.ts";
import { actor, begin, endOf, puppet, snapshot, type Try, until } from "../scene.ts";

const states = ["none", "RUNNING", "PAUSED", "STOPPED", "COMPLETED", "FAILED"] as const;
const actions = ["start", "pause", "resume", "stop", "restart", "decide"] as const;
type State = (typeof states)[number];
type Action = (typeof actions)[number];

/** What each action answers in each state: the status it leads to, or why it is refused. Written out, not derived. */
const answers: Record<State, Record<Action, ExecutionStatus | "INVALID_STATE" | "NOT_FOUND" | "not made">> = {
  none: {
    start: "RUNNING",
    pause: "NOT_FOUND",
    resume: "NOT_FOUND",
    stop: "NOT_FOUND",
    restart: "NOT_FOUND",
    decide: "NOT_FOUND",
  },
  RUNNING: {
    start: "not made",
    pause: "PAUSED",
    resume: "INVALID_STATE",
    stop: "STOPPED",
    restart: "INVALID_STATE",
    decide: "INVALID_STATE",
  },
  PAUSED: {
    start: "not made",
    pause: "INVALID_STATE",
    resume: "RUNNING",
    stop: "STOPPED",
    restart: "INVALID_STATE",
    decide: "INVALID_STATE",
  },
  STOPPED: {
    start: "not made",
    pause: "INVALID_STATE",
    resume: "INVALID_STATE",
    stop: "INVALID_STATE",
    restart: "RUNNING",
    decide: "INVALID_STATE",
  },
  COMPLETED: {
    start: "not made",
    pause: "INVALID_STATE",
    resume: "INVALID_STATE",
    stop: "INVALID_STATE",
    restart: "INVALID_STATE",
    decide: "INVALID_STATE",
  },
  FAILED: {
    start: "not made",
    pause: "INVALID_STATE",
    resume: "INVALID_STATE",
    stop: "INVALID_STATE",
    restart: "RUNNING",
    decide: "INVALID_STATE",
  },
};

/** Every state with every action: 36 cells, each with its answer, its status and its history. */
export function cells(under: UnderTest): void {
  describe("each action in each state", () => {
    for (const state of states) {
      for (const action of actions) {
        const answer = answers[state][action];
        test(`${action} on ${state} answers ${answer}`, async () => {
          const scene = await sceneIn(under, state);
          const { on, engine } = under;
          const { execution, job } = scene;
          const was = await snapshot(on, execution.id, job.jobId);
          if (answer === "INVALID_STATE" || answer === "NOT_FOUND") {
            await assert.rejects(act(engine, action, execution), { name: "ApiError", code: answer });
          } else if (answer === "not made") {
            assert.equal(await engine.start(execution), false);
          } else {
            assert.equal(await act(engine, action, execution), answer);
            const kept = await on.find(execution.id);
            assert.equal(kept?.status, answer);
            assert.equal(kept.ended, answer === "STOPPED");
            assert.equal(kept.live, answer !== "STOPPED");
            const made = (await on.actionsOf(execution.id)).slice(was.actions.length);
            const entry = { action: action.toUpperCase(), actor, reason: "why", from: state, to: answer };
            assert.deepEqual(made, action === "start" ? [] : [entry]);
            await scene.goesOn(action, answer);
          }
          if (["INVALID_STATE", "NOT_FOUND", "not made"].includes(answer)) {
            assert.deepEqual(await snapshot(on, execution.id, job.jobId), was, "a refusal changes nothing");
            await scene.goesOn("nothing", state);
          }
          const { kept, recount } = await on.countsOf(job.jobId);
          if (state !== "none" || action === "start") assert.deepEqual(kept, recount);
        });
      }
    }
  });
}

/** The status that the action led to. */
async function act(engine: Engine, action: Action, execution: NewExecution): Promise<ExecutionStatus> {
  const request = { executionId: execution.id, actor, reason: "why" };
  if (action === "start") {
    assert.equal(await engine.start(execution), true);
    return "RUNNING";
  }
  const outcome =
    action === "decide" ? await engine.decide({ ...request, approve: true }) : await engine[action](request);
  return outcome.status;
}

interface Scene {
  execution: NewExecution;
  job: CompiledJob;
  /** What is in the state after the action does what that state promises, to its end. */
  goesOn(action: Action | "nothing", status: State): Promise<void>;
}

/** An execution of three steps, whose middle one does what the test says, brought into the state. */
async function sceneIn({ on, engine }: UnderTest, state: State): Promise<Scene> {
  const middle = puppet();
  const last: string[] = [];
  const job = await on.jobOf(
    { run: async () => ({ output: "a" }) },
    { run: middle.run },
    {
      run: async ({ scope }) => {
        last.push("c");
        return { output: `${scope.steps.s0!.output}${scope.steps.s1!.output}c` };
      },
    },
  );
  let execution = on.executionOf(job);
  let present: Try | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  if (state === "none") {
    execution = { ...execution, id: newId() };
  } else {
    const begun = await begin(on, engine, job);
    ({ execution, ended } = begun);
    present = await middle.next();
    const request = { executionId: execution.id, actor, reason: "scene" };
    if (state === "PAUSED") await engine.pause(request);
    if (state === "STOPPED") await engine.stop(request);
    if (state === "COMPLETED") present.answer({ output: "b" });
    if (state === "FAILED") present.fail(new StepError("BAD", "No.", { retryable: false }));
    if (state !== "RUNNING" && state !== "PAUSED") await ended;
  }

  return {
    execution,
    job,
    async goesOn(action, status) {
      if (status === "none") return assert.equal(await on.find(execution.id), undefined);
      if (action === "start" || action === "restart") {
        ended = endOf(engine, execution.id);
        present = await middle.next();
      }
      if (status === "RUNNING") {
        present!.answer({ output: "b" });
        await ended;
        assert.equal((await on.find(execution.id))?.status, "COMPLETED");
        assert.deepEqual(last, ["c"]);
        const results = await on.resultsOf(execution.id);
        assert.equal(results.at(-1)?.output, '"abc"');
        assert.equal(results.filter(({ position }) => position === 0).length, 1, "what was done stays done");
        return;
      }
      if (status === "PAUSED") {
        present!.answer({ output: "b" });
        await until(on, execution.id, ({ draining }) => !draining);
        assert.equal((await on.find(execution.id))?.status, "PAUSED");
        assert.equal((await on.resultsOf(execution.id)).length, 2, "the step under way is kept");
        assert.deepEqual(last, [], "nothing further begins");
        await engine.stop({ executionId: execution.id, actor });
        return;
      }
      present!.answer({ output: "too late" });
      const kept = await on.find(execution.id);
      assert.equal(kept?.status, status);
      assert.ok(!(await on.resultsOf(execution.id)).some(({ output }) => output?.includes("late")));
      assert.equal(middle.unseen(), 0);
      assert.deepEqual(last, status === "COMPLETED" ? ["c"] : []);
    },
  };
}
