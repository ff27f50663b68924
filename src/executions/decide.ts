import type { DecisionRequest, JobActionResponse } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import type { Decision } from "../engine/engine.ts";
import { stepExecutionId } from "../engine/step-execution-id.ts";
import { holds, type Principal } from "../http/principal.ts";
import { compileParameters } from "../lib/json-schema/parameters.ts";
import { type ControlDeps, resumeExecution, stopExecution } from "./control.ts";
import type { Hold } from "./control-store.ts";
import { decidedMessage, presentActionResponse } from "./present-action.ts";
import { requireVisible } from "./read.ts";

/**
 * Approves or rejects an execution. One that was paused by hand is resumed or stopped, as the seed's table has it: that
 * is control, and takes that authority.
 * @throws ApiError NOT_FOUND, INVALID_STATE, FORBIDDEN, VALIDATION_FAILED
 */
export async function decide(
  deps: ControlDeps,
  principal: Principal,
  request: DecisionRequest,
): Promise<JobActionResponse> {
  const { jobExecutionId: executionId, approve, comment: reason } = request;
  await requireVisible(deps.store, principal, executionId);
  const hold = await deps.control.findHold(executionId);
  const decision = hold && decisionOf(hold);
  const question = hold && decision && stepExecutionId(executionId, hold.run, hold.position!);
  if (request.stepExecutionId !== undefined && request.stepExecutionId.toLowerCase() !== question) {
    const now = question ? "waits for another one by now. Read what it asks." : `is ${hold?.status}.`;
    throw new ApiError("INVALID_STATE", `The execution does not wait for this decision any more: it ${now}`);
  }
  if (hold?.status === "PAUSED" && !decision) return decidePause(deps, principal, request);
  if (decision) requireMayDecide(principal, decision);
  const answers = decision && readAnswers(decision, request);
  const outcome = await deps.engine.decide({
    executionId,
    actor: principal.name,
    reason,
    approve,
    // Who may decide and what is answered was looked up for this question: the next one may be another's to answer.
    stepExecutionId: question,
    ...(answers ? { answers } : {}),
  });
  return presentActionResponse(executionId, approve ? "RESUME" : "STOP", outcome, decidedMessage(approve));
}

/** What the execution waits to be decided; undefined when it waits for none. */
export function decisionOf({ held, parked }: Hold): Decision | undefined {
  return held === "decision" && parked?.kind === "decision" ? parked.decision : undefined;
}

async function decidePause(
  deps: ControlDeps,
  principal: Principal,
  { jobExecutionId, approve, comment, answers }: DecisionRequest,
): Promise<JobActionResponse> {
  if (answers) throw noForm();
  if (!holds(principal, "JobService:JobExecution:control")) {
    throw new ApiError(
      "FORBIDDEN",
      "The execution was paused by hand and waits for no decision. To resume or stop it needs the authority JobService:JobExecution:control.",
    );
  }
  const request = { jobExecutionId, ...(comment === undefined ? {} : { reason: comment }) };
  return approve ? resumeExecution(deps, principal, request) : stopExecution(deps, principal, request);
}

/** Whether the step leaves the decision to this principal. */
export function mayDecide(
  principal: Principal,
  { authorities = [], principals = [] }: Pick<Decision, "authorities" | "principals">,
): boolean {
  if (authorities.length === 0 && principals.length === 0) return true;
  if (principals.includes(principal.name)) return true;
  return authorities.some((authority) => holds(principal, authority));
}

/** @throws ApiError FORBIDDEN when the step leaves the decision to others */
export function requireMayDecide(principal: Principal, decision: Decision): void {
  if (mayDecide(principal, decision)) return;
  const { authorities = [], principals = [] } = decision;
  const who = [
    ...principals,
    ...(authorities.length > 0 ? [`holders of ${authorities.join(" or ")}`] : []),
  ].join(", ");
  throw new ApiError("FORBIDDEN", `${principal.name} may not decide this. Those who may: ${who}.`);
}

/**
 * The answers with the form's defaults filled in.
 * @throws ApiError VALIDATION_FAILED with every fault
 */
export function readAnswers(
  { form }: Decision,
  { approve, answers }: { approve: boolean; answers?: Record<string, unknown> },
): Record<string, unknown> | undefined {
  if (!approve || !form) {
    if (answers) throw noForm(form !== undefined);
    return undefined;
  }
  const { value, faults } = compileParameters(form)(answers ?? {});
  if (faults.length === 0) return value;
  const hint = answers ? "" : " Send them with POST.";
  throw new ApiError("VALIDATION_FAILED", `The answers don't fit the form of the step.${hint}`, {
    details: faults.map(({ path, message }) => ({ path: `/answers${path}`, message })),
  });
}

function noForm(rejected = false): ApiError {
  const message = rejected
    ? "Answers go with an approval only."
    : "Nothing is asked, so no answers are taken.";
  return new ApiError("VALIDATION_FAILED", message, {
    details: [{ path: "/answers", message: "must be left out." }],
  });
}
