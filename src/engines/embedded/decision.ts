import { ApiError } from "../../contract/errors.ts";
import type {
  ControlOutcome,
  ControlRequest,
  Decision,
  DecisionRequest,
  Ending,
} from "../../engine/engine.ts";
import type { Turn } from "../../engine/journal/lane.ts";
import { stepExecutionId } from "../../engine/step-execution-id.ts";
import {
  endExecution,
  holdForDecision,
  type Locked,
  lockExecution,
  recordResult,
  release,
  unpark,
} from "./control-store.ts";
import { controlTurn, type Effects } from "./control-turn.ts";

/** Holds an execution until somebody decides; not when it was stopped or paused meanwhile, then the step asks again. */
export function askTurn(
  executionId: string,
  given: { position: number; attempt: number; startedAt: number; decision: Decision },
  effects: Effects,
): Turn<boolean> {
  let jobId = "";
  const at = Date.now();
  return {
    executionId,
    lasting: true,
    async work(client) {
      const locked = await lockExecution(client, executionId);
      if (locked?.status !== "RUNNING") return false;
      ({ jobId } = locked);
      await holdForDecision(client, executionId, { ...given, at });
      return true;
    },
    recall: async (client) => (await lockExecution(client, executionId))?.held === "decision",
    onCommit(held) {
      if (!held) return;
      effects.held(executionId, given.decision.deadline);
      effects.changed({ executionId, jobId, at, status: "PAUSED" });
    },
  };
}

/** Approves or rejects: the step gets its result, and the execution goes on or ends, in one transaction. */
export function decideTurn(request: DecisionRequest, effects: Effects): Turn<ControlOutcome> {
  return request.approve ? approveTurn(request, effects) : rejectTurn(request, effects);
}

function approveTurn(request: DecisionRequest, effects: Effects): Turn<ControlOutcome> {
  const { executionId, actor, reason, answers } = request;
  let deadline: number | undefined;
  return controlTurn(request, "APPROVE", "approve", effects, {
    async change(client, locked, at) {
      const step = await waitingStep(locked, effects, request.stepExecutionId);
      const output = {
        ...answers,
        approved: true,
        decidedBy: actor,
        decidedAt: new Date(at).toISOString(),
        comment: reason ?? null,
      };
      await recordResult(client, locked, { ...step, at, status: "COMPLETED", output });
      await unpark(client, executionId);
      ({ deadline } = await release(client, executionId, heldMs(locked, at)));
    },
    effect: () => effects.released(executionId, { dueAt: undefined, deadline }),
  });
}

function rejectTurn(request: DecisionRequest, effects: Effects): Turn<ControlOutcome> {
  const { actor, reason } = request;
  const message = reason ? `Rejected by ${actor}: ${reason}` : `Rejected by ${actor}.`;
  return endingTurn(request, "REJECT", "reject", { status: "STOPPED", code: "REJECTED", message }, effects);
}

/** Fails an execution whose decision nobody made in time. */
export function overdueTurn(executionId: string, effects: Effects): Turn<ControlOutcome> {
  const message = "Nobody decided before the deadline.";
  const request = { executionId, actor: "pawl", reason: message };
  return endingTurn(
    request,
    "FAIL",
    "fail",
    { status: "FAILED", code: "DECISION_OVERDUE", message },
    effects,
  );
}

function endingTurn(
  request: ControlRequest & { stepExecutionId?: string | undefined },
  action: "REJECT" | "FAIL",
  trigger: "reject" | "fail",
  end: { status: "STOPPED" | "FAILED"; code: string; message: string },
  effects: Effects,
): Turn<ControlOutcome> {
  const { status, code, message } = end;
  let ending: Ending | undefined;
  return controlTurn(request, action, trigger, effects, {
    async change(client, locked, at) {
      const step = await waitingStep(locked, effects, request.stepExecutionId);
      const error = { code, message, stepId: step.stepId, stepKey: step.key };
      await recordResult(client, locked, { ...step, at, status, error });
      const endedAt = await endExecution(client, locked, { status, at, error });
      ending = { status, endedAt, error, output: null };
    },
    effect: (at, locked) => effects.ended(locked, ending ?? { status, endedAt: at, output: null }),
  });
}

/** The step that waits; it has to be the one that was looked at, if that is said. */
async function waitingStep(locked: Locked, effects: Effects, lookedAt: string | undefined) {
  if (locked.held !== "decision" || locked.position === undefined) {
    throw new ApiError(
      "INVALID_STATE",
      "The execution is PAUSED, but not for a decision: resume or stop it.",
    );
  }
  if (lookedAt !== undefined && lookedAt !== stepExecutionId(locked.id, locked.run, locked.position)) {
    throw otherQuestion();
  }
  const job = await effects.loadJob(locked.jobId, locked.jobVersion);
  const step = job?.steps[locked.position];
  if (!step) throw new ApiError("CONFLICT", "The definition that this execution started with is gone.");
  return {
    stepId: step.id,
    key: step.key,
    position: locked.position,
    attempts: locked.attempts,
    startedAt: locked.stepStartedAt ?? locked.heldAt ?? Date.now(),
  };
}

function otherQuestion(): ApiError {
  return new ApiError(
    "INVALID_STATE",
    "The execution does not wait for this decision any more, but for another one. Read what it asks now.",
  );
}

function heldMs(locked: Locked, at: number): number {
  return Math.max(0, at - (locked.heldAt ?? at));
}
