import type { ExecutionAction, ExecutionAttempt, JobExecution, WaitingFor } from "../contract/execution.ts";
import { stepExecutionId } from "../engine/step-execution-id.ts";
import { presentWaiting } from "./present-waiting.ts";
import type { ActionRow, DefinedStep, ExecutionDetail, ExecutionRow, LiveRow, RunRow } from "./rows.ts";

type Control = Pick<
  JobExecution,
  | "activeDurationMs"
  | "pausedMs"
  | "draining"
  | "resumeAt"
  | "waiting"
  | "waitingFor"
  | "attempts"
  | "actions"
>;

/** What was done to an execution, how its time went, and what it waits for. */
export function presentControl(detail: ExecutionDetail, now: number): Control {
  const { execution, latest, earlier, live, steps, stepsOf, actions } = detail;
  const attempts = [...earlier, runOf(latest, live, now)].map((row) =>
    presentAttempt(row, stepsOf.get(row.job_version), now),
  );
  const soFar = attempts.filter(({ run }) => run <= execution.run);
  return {
    activeDurationMs: soFar.reduce((sum, attempt) => sum + attempt.activeDurationMs, 0),
    pausedMs: soFar.reduce((sum, attempt) => sum + attempt.pausedMs, 0),
    draining: live?.draining ?? false,
    resumeAt: live?.held === "pause" ? (live.act_at?.toISOString() ?? null) : null,
    waiting: presentWaiting(detail),
    waitingFor: presentWaitingFor(execution, live, steps),
    attempts,
    actions: actions.map(presentAction),
  };
}

type Run = Omit<RunRow, "ended_at"> & { ended_at: Date | null };

/** The attempt that the execution's own row holds, its pauses up to now included. */
function runOf(execution: ExecutionRow, live: LiveRow | undefined, now: number): Run {
  const heldMs = live?.held_at ? Math.max(0, now - live.held_at.getTime()) : 0;
  return {
    ...execution,
    started_at: execution.run_started_at ?? execution.started_at,
    paused_ms: execution.paused_ms + heldMs,
  };
}

function presentAttempt(run: Run, steps: DefinedStep[] | undefined, now: number): ExecutionAttempt {
  const took = (run.ended_at?.getTime() ?? now) - run.started_at.getTime();
  const from = run.run === 1 ? undefined : steps?.[run.from_position];
  return {
    run: run.run,
    workflowId: run.workflow_id,
    jobVersion: run.job_version,
    parameters: run.parameters,
    status: run.status,
    startTime: run.started_at.toISOString(),
    endTime: run.ended_at?.toISOString() ?? null,
    pausedMs: Math.round(run.paused_ms),
    activeDurationMs: Math.max(0, Math.round(took - run.paused_ms)),
    fromStep: from ? { id: from.id, key: from.key, name: from.name ?? from.key } : null,
    error: run.error,
  };
}

export function presentAction(row: ActionRow): ExecutionAction {
  return {
    run: row.run,
    action: row.action as ExecutionAction["action"],
    actor: row.actor,
    reason: row.reason,
    at: row.at.toISOString(),
    fromStatus: row.from_status,
    toStatus: row.to_status,
  };
}

export function presentWaitingFor(
  { id, run }: Pick<ExecutionRow, "id" | "run">,
  live: Pick<LiveRow, "held" | "parked" | "position"> | undefined,
  steps: DefinedStep[],
): WaitingFor | null {
  const { parked, position } = live ?? {};
  if (live?.held !== "decision" || parked?.kind !== "decision" || position == null) return null;
  const { decision } = parked;
  return {
    kind: "decision",
    stepExecutionId: stepExecutionId(id, run, position),
    stepId: steps[position]?.id ?? "",
    stepKey: steps[position]?.key ?? String(position),
    message: decision.message,
    form: decision.form ?? null,
    authorities: decision.authorities ?? [],
    principals: decision.principals ?? [],
    deadline: decision.deadline === undefined ? null : new Date(decision.deadline).toISOString(),
    onDeadline: decision.onDeadline ?? null,
  };
}
