import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import type { ExecutionStatus } from "../../contract/execution.ts";
import type {
  CompiledJob,
  ControlOutcome,
  ControlRequest,
  Ending,
  EngineEvent,
} from "../../engine/engine.ts";
import type { Turn } from "../../engine/journal/lane.ts";
import { next, type Trigger, transitions } from "../../engine/transitions.ts";
import { newId } from "../../lib/ids.ts";
import type { RunState } from "./context.ts";
import { type ActionName, findAction, type Locked, lockExecution, recordAction } from "./control-store.ts";

/** What the engine does with a committed action: at once, before any later record of the execution is sent. */
export interface Effects {
  /** The run in memory, if it is there. */
  stateOf(executionId: string): RunState | undefined;
  held(executionId: string, actAt: number | undefined): void;
  released(executionId: string, runnable: { dueAt: number | undefined; deadline: number | undefined }): void;
  ended(execution: { id: string; jobId: string; waiting: boolean }, ending: Ending): void;
  restarted(executionId: string, jobId: string): void;
  /** The status of an execution changed. */
  changed(event: EngineEvent): void;
  loadJob(jobId: string, version: number): Promise<CompiledJob | undefined>;
}

/** A locked look at the execution, its transition by the table, its record in the history: what every action has in common. */
export function controlTurn(
  request: ControlRequest,
  action: ActionName,
  trigger: Trigger,
  effects: Effects,
  own: {
    change(client: pg.ClientBase, locked: Locked, at: number): Promise<void>;
    effect(at: number, locked: Locked): void;
    outcome?: () => Partial<ControlOutcome>;
    /** What an earlier turn with the same action id answered, beside its status. */
    earlierOutcome?(client: pg.ClientBase, run: number): Promise<Partial<ControlOutcome>>;
  },
): Turn<ControlOutcome> {
  const { executionId, actor, reason } = request;
  const id = request.actionId ?? newId();
  let at = Date.now();
  let found: Locked | undefined;
  let status: ExecutionStatus | undefined;
  return {
    executionId,
    async work(client) {
      const locked = await lockExecution(client, executionId);
      if (!locked) throw new ApiError("NOT_FOUND", `There is no execution ${executionId}.`);
      const earlier = request.actionId && (await findAction(client, executionId, id));
      if (earlier) {
        // Its effects came with it, or with the recovery since.
        found = undefined;
        const { status, at, run } = earlier;
        return { status, at, ...(await own.earlierOutcome?.(client, run)) };
      }
      const to = next(locked.status, trigger);
      if (!to) throw notAllowed(locked.status, action);
      at = Date.now();
      found = locked;
      status = to;
      await own.change(client, locked, at);
      await recordAction(client, locked, { id, action, actor, reason, at, to });
      return { status: to, at, ...own.outcome?.() };
    },
    async recall(client) {
      const action = await findAction(client, executionId, id);
      if (!action) throw new Error("A committed action has left no trace.");
      const outcome = found ? own.outcome?.() : await own.earlierOutcome?.(client, action.run);
      return { status: action.status, at: action.at, ...outcome };
    },
    onCommit() {
      if (!found || !status) return;
      own.effect(at, found);
      effects.changed({ executionId, jobId: found.jobId, at, status });
    },
  };
}

const verbs: Partial<Record<Trigger, string>> = {
  pause: "pause",
  resume: "resume",
  stop: "stop",
  restart: "restart",
};

export function notAllowed(status: ExecutionStatus, action: string): ApiError {
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
