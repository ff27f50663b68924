import type { JobActionResponse, PauseRequest, ResumeRequest, StopRequest } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import type { Engine } from "../engine/engine.ts";
import type { Principal } from "../http/principal.ts";
import type { ControlStore } from "./control-store.ts";
import { pausedMessage, presentActionResponse, resumedMessage, stoppedMessage } from "./present-action.ts";
import { requireVisible } from "./read.ts";
import type { ExecutionStore } from "./store.ts";

export interface ControlDeps {
  engine: Engine;
  store: ExecutionStore;
  control: ControlStore;
}

// What the state allows is the engine's to say: it looks and acts in one transaction.

/** @throws ApiError NOT_FOUND, INVALID_STATE */
export async function stopExecution(
  { engine, store }: ControlDeps,
  principal: Principal,
  { jobExecutionId: executionId, reason }: StopRequest,
): Promise<JobActionResponse> {
  await requireVisible(store, principal, executionId);
  const outcome = await engine.stop({ executionId, actor: principal.name, reason });
  return presentActionResponse(executionId, "STOP", outcome, stoppedMessage);
}

/** @throws ApiError NOT_FOUND, INVALID_STATE, VALIDATION_FAILED for a `resumeAt` that has passed */
export async function pauseExecution(
  { engine, store }: ControlDeps,
  principal: Principal,
  { jobExecutionId: executionId, reason, ...request }: PauseRequest,
): Promise<JobActionResponse> {
  const resumeAt = request.resumeAt === undefined ? undefined : Date.parse(request.resumeAt);
  if (resumeAt !== undefined && resumeAt <= Date.now()) {
    throw new ApiError("VALIDATION_FAILED", "The time to resume at has passed. Name one that is to come.", {
      details: [{ path: "/resumeAt", message: "must be in the future." }],
    });
  }
  await requireVisible(store, principal, executionId);
  const outcome = await engine.pause({ executionId, actor: principal.name, reason, resumeAt });
  return presentActionResponse(executionId, "PAUSE", outcome, pausedMessage(resumeAt));
}

/** @throws ApiError NOT_FOUND, INVALID_STATE, also for one that waits for a decision */
export async function resumeExecution(
  { engine, store }: ControlDeps,
  principal: Principal,
  { jobExecutionId: executionId, reason }: ResumeRequest,
): Promise<JobActionResponse> {
  await requireVisible(store, principal, executionId);
  const outcome = await engine.resume({ executionId, actor: principal.name, reason });
  return presentActionResponse(executionId, "RESUME", outcome, resumedMessage);
}
