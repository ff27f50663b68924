import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import type { ExecutionStatus } from "../../contract/execution.ts";
import type {
  CompiledJob,
  CompiledStep,
  ControlOutcome,
  ControlRequest,
  Ending,
  RestartRequest,
} from "../../engine/engine.ts";
import type { Turn } from "../../engine/journal/lane.ts";
import { next, type Trigger, transitions } from "../../engine/transitions.ts";
import { newId } from "../../lib/ids.ts";
import type { RunState } from "./context.ts";
import {
  beginRun,
  drained,
  endExecution,
  findAction,
  hold,
  type Locked,
  lockExecution,
  recordAction,
  recordStopped,
  release,
} from "./control-store.ts";
import { restartPoint } from "./restart-point.ts";
import { findInForce } from "./store.ts";

/** What the engine does with a committed action: at once, before any later record of the execution is sent. */
export interface Effects {
  /** The run in memory, if it is there. */
  stateOf(executionId: string): RunState | undefined;
  held(executionId: string, actAt: number | undefined): void;
  released(executionId: string, runnable: { dueAt: number | undefined; deadline: number | undefined }): void;
  ended(executionId: string, ending: Ending): void;
  restarted(executionId: string): void;
  loadJob(jobId: string, version: number): Promise<CompiledJob | undefined>;
}

export function pauseTurn(request: ControlRequest & { resumeAt?: number | undefined }, effects: Effects) {
  return turn(request, "PAUSE", "pause", {
    async change(client, locked, at) {
      const draining = effects.stateOf(locked.id)?.underWay !== undefined;
      await hold(client, locked.id, { at, draining, actAt: request.resumeAt });
    },
    effect: () => effects.held(request.executionId, request.resumeAt),
  });
}

export function resumeTurn(request: ControlRequest, effects: Effects) {
  let runnable: { dueAt: number | undefined; deadline: number | undefined } | undefined;
  return turn(request, "RESUME", "resume", {
    async change(client, locked, at) {
      if (locked.held === "decision") throw waitsForDecision();
      runnable = await release(client, locked.id, Math.max(0, at - (locked.heldAt ?? at)));
    },
    effect: () =>
      effects.released(request.executionId, runnable ?? { dueAt: undefined, deadline: undefined }),
  });
}

export function stopTurn(request: ControlRequest, effects: Effects) {
  let ending: Ending | undefined;
  return turn(request, "STOP", "stop", {
    async change(client, locked, at) {
      const error = { code: "STOPPED", message: stopMessage(request) };
      const step = await stepUnderWay(client, locked, effects);
      if (step) await recordStopped(client, locked, { ...step, id: newId(), at, error });
      await endExecution(client, locked, { status: "STOPPED", at, error });
      ending = { status: "STOPPED", endedAt: at, error, output: null };
    },
    effect: (at) =>
      effects.ended(request.executionId, ending ?? { status: "STOPPED", endedAt: at, output: null }),
  });
}

export function restartTurn(request: RestartRequest, effects: Effects) {
  const workflowId = newId();
  let step: CompiledStep | undefined;
  return turn(request, "RESTART", "restart", {
    async change(client, locked, at) {
      const job = await effects.loadJob(locked.jobId, locked.jobVersion);
      if (!job) throw new ApiError("CONFLICT", "The definition that this execution started with is gone.");
      const key = { id: locked.id, run: locked.run, from_position: locked.fromPosition };
      const results = (await findInForce(client, [key])).get(locked.id)!;
      const fromPosition = restartPoint(job, results, request.fromStep);
      step = job.steps[fromPosition]!;
      const deadline = job.timeoutMs === undefined ? undefined : at + job.timeoutMs;
      await beginRun(client, locked, { at, fromPosition, workflowId, deadline });
    },
    effect: () => effects.restarted(request.executionId),
    outcome: () => ({
      workflowId,
      step: step && { id: step.id, key: step.key, name: step.name },
    }),
  });
}

/** Ends an execution apart from a step's result: its last one came while it was paused. */
export function endTurn(executionId: string, ending: Ending, effects: Effects): Turn<boolean> {
  let made = false;
  return {
    executionId,
    async work(client) {
      const locked = await lockExecution(client, executionId);
      if (locked?.status !== "RUNNING") return false;
      await endExecution(client, locked, { status: ending.status, at: Date.now(), error: ending.error });
      made = true;
      return true;
    },
    recall: async () => made,
    onCommit: (ended) => ended && effects.ended(executionId, ending),
  };
}

/** Notes that nothing of a held execution is under way any more. */
export function drainedTurn(executionId: string): Turn<void> {
  return {
    executionId,
    work: (client) => drained(client, executionId),
    recall: async () => {},
    onCommit() {},
  };
}

/** A locked look at the execution, its transition by the table, its record in the history: what every action has in common. */
function turn(
  request: ControlRequest,
  action: "PAUSE" | "RESUME" | "STOP" | "RESTART",
  trigger: Trigger,
  own: {
    change(client: pg.ClientBase, locked: Locked, at: number): Promise<void>;
    effect(at: number): void;
    outcome?: () => Partial<ControlOutcome>;
  },
): Turn<ControlOutcome> {
  const { executionId, actor, reason } = request;
  const id = newId();
  let at = Date.now();
  return {
    executionId,
    async work(client) {
      const locked = await lockExecution(client, executionId);
      if (!locked) throw new ApiError("NOT_FOUND", `There is no execution ${executionId}.`);
      const to = next(locked.status, trigger);
      if (!to) throw notAllowed(locked.status, action);
      at = Date.now();
      await own.change(client, locked, at);
      await recordAction(client, locked, { id, action, actor, reason, at, to });
      return { status: to, at, ...own.outcome?.() };
    },
    async recall(client) {
      const status = await findAction(client, executionId, id);
      if (!status) throw new Error("A committed action has left no trace.");
      return { status, at, ...own.outcome?.() };
    },
    onCommit: () => own.effect(at),
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

function waitsForDecision(): ApiError {
  return new ApiError("INVALID_STATE", "The execution waits for a decision: approve or reject it.");
}

const verbs: Partial<Record<Trigger, string>> = {
  pause: "pause",
  resume: "resume",
  stop: "stop",
  restart: "restart",
};

function notAllowed(status: ExecutionStatus, action: string): ApiError {
  const allowed = transitions
    .filter((row) => row.from === status && verbs[row.trigger])
    .map((row) => verbs[row.trigger]);
  const instead =
    allowed.length === 0 ? "Nothing more can be done with it." : `Allowed now: ${allowed.join(", ")}.`;
  return new ApiError(
    "INVALID_STATE",
    `The execution is ${status}, so it can't ${action.toLowerCase()}. ${instead}`,
  );
}
