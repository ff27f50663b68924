import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import type { CompiledStep, ControlRequest, Ending, RestartRequest } from "../../engine/engine.ts";
import type { Turn } from "../../engine/journal/lane.ts";
import { newId } from "../../lib/ids.ts";
import {
  beginRun,
  drained,
  endExecution,
  findRun,
  hold,
  type Locked,
  lockExecution,
  recordResult,
  release,
} from "./control-store.ts";
import { controlTurn, type Effects } from "./control-turn.ts";
import { restartPoint } from "./restart-point.ts";
import { findInForce } from "./store.ts";

export function pauseTurn(request: ControlRequest & { resumeAt?: number | undefined }, effects: Effects) {
  return controlTurn(request, "PAUSE", "pause", effects, {
    async change(client, locked, at) {
      const draining = effects.stateOf(locked.id)?.underWay !== undefined;
      await hold(client, locked.id, { at, draining, actAt: request.resumeAt });
    },
    effect: () => effects.held(request.executionId, request.resumeAt),
  });
}

export function resumeTurn(request: ControlRequest, effects: Effects) {
  let runnable: { dueAt: number | undefined; deadline: number | undefined } | undefined;
  return controlTurn(request, "RESUME", "resume", effects, {
    async change(client, locked, at) {
      if (locked.held === "decision")
        throw new ApiError("INVALID_STATE", "The execution waits for a decision: approve or reject it.");
      runnable = await release(client, locked.id, Math.max(0, at - (locked.heldAt ?? at)));
    },
    effect: () =>
      effects.released(request.executionId, runnable ?? { dueAt: undefined, deadline: undefined }),
  });
}

export function stopTurn(request: ControlRequest, effects: Effects) {
  let ending: Ending | undefined;
  return controlTurn(request, "STOP", "stop", effects, {
    async change(client, locked, at) {
      const error = { code: "STOPPED", message: stopMessage(request) };
      const step = await stepUnderWay(client, locked, effects);
      const child = step?.position === locked.position ? locked.parked?.childId : undefined;
      const ofStep = child === undefined ? error : { ...error, childExecutionId: child };
      if (step) await recordResult(client, locked, { ...step, at, status: "STOPPED", error: ofStep });
      const endedAt = await endExecution(client, locked, { status: "STOPPED", at, error });
      ending = { status: "STOPPED", endedAt, error, output: null };
    },
    effect: (at, locked) => effects.ended(locked, ending ?? { status: "STOPPED", endedAt: at, output: null }),
  });
}

export function restartTurn(request: RestartRequest, effects: Effects) {
  const workflowId = newId();
  let step: CompiledStep | undefined;
  return controlTurn(request, "RESTART", "restart", effects, {
    async change(client, locked, at) {
      const before = await effects.loadJob(locked.jobId, locked.jobVersion);
      const same = request.jobVersion === undefined || request.jobVersion === locked.jobVersion;
      const job = same ? before : await effects.loadJob(locked.jobId, request.jobVersion!);
      if (!before || !job) {
        throw new ApiError("CONFLICT", "The definition that this execution started with is gone.");
      }
      const key = { id: locked.id, run: locked.run, from_position: locked.fromPosition };
      const results = (await findInForce(client, [key])).get(locked.id)!;
      const fromPosition = restartPoint(job, before, results, request.fromStep);
      step = job.steps[fromPosition]!;
      const deadline = job.timeoutMs === undefined ? undefined : at + job.timeoutMs;
      // Not before the end of the attempt that it follows.
      const startedAt = Math.max(at, locked.endedAt ?? at);
      const { parameters } = request;
      await beginRun(client, locked, { at: startedAt, job, parameters, fromPosition, workflowId, deadline });
    },
    effect: (_at, { jobId }) => effects.restarted(request.executionId, jobId),
    outcome: () => ({
      workflowId,
      step: step && { id: step.id, key: step.key, name: step.name },
    }),
    async earlierOutcome(client, run) {
      const begun = await findRun(client, request.executionId, run + 1);
      const job = begun && (await effects.loadJob(begun.jobId, begun.jobVersion));
      const from = begun && job?.steps[begun.fromPosition];
      return {
        workflowId: begun?.workflowId,
        step: from && { id: from.id, key: from.key, name: from.name },
      };
    },
  });
}

/** Ends an execution apart from a step's result: its last one came while it was paused. */
export function endTurn(executionId: string, ending: Ending, effects: Effects): Turn<boolean> {
  const { status, error } = ending;
  let found: Locked | undefined;
  let endedAt = ending.endedAt;
  return {
    executionId,
    lasting: true,
    async work(client) {
      const locked = await lockExecution(client, executionId);
      if (locked?.status !== "RUNNING") return false;
      found = locked;
      endedAt = await endExecution(client, locked, { status, at: Date.now(), error });
      return true;
    },
    recall: async () => found !== undefined,
    onCommit() {
      if (!found) return;
      effects.ended(found, { ...ending, endedAt });
      effects.changed({ executionId, jobId: found.jobId, at: endedAt, status });
    },
  };
}

/** Notes that nothing of a held execution is under way any more. */
export function drainedTurn(executionId: string, jobId: string, effects: Effects): Turn<boolean> {
  return {
    executionId,
    lasting: true,
    work: (client) => drained(client, executionId),
    recall: async () => false,
    onCommit(heldStill) {
      // Who watches looked when the step ended, and found it draining.
      if (heldStill) effects.changed({ executionId, jobId, at: Date.now(), status: "PAUSED" });
    },
  };
}

/** The step that a stop ends: it runs, or it waits; a step that has not begun is left PENDING. */
async function stepUnderWay(client: pg.ClientBase, locked: Locked, effects: Effects) {
  const running = effects.stateOf(locked.id)?.underWay;
  const position = running?.position ?? locked.position;
  if (position === undefined) return undefined;
  const job = await effects.loadJob(locked.jobId, locked.jobVersion);
  const step = job?.steps[position];
  if (!step) return undefined;
  const key = { id: locked.id, run: locked.run, from_position: locked.fromPosition };
  const results = (await findInForce(client, [key])).get(locked.id)!;
  if (results.has(position)) return undefined;
  return {
    stepId: step.id,
    key: step.key,
    position,
    attempts: running?.attempt ?? locked.attempts,
    startedAt:
      (locked.position === position ? locked.stepStartedAt : undefined) ?? running?.startedAt ?? Date.now(),
  };
}

function stopMessage({ actor, reason }: ControlRequest): string {
  return reason ? `Stopped by ${actor}: ${reason}` : `Stopped by ${actor}.`;
}
