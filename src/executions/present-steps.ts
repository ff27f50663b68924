import type { StepExecution, StepTry } from "../contract/execution.ts";
import { stepExecutionId } from "../engine/step-execution-id.ts";
import { triesAgain } from "./present-waiting.ts";
import type { DefinedStep, ExecutionDetail, ExecutionRow, LiveRow, StepResultRow, TryRow } from "./rows.ts";

/** Every step of the job's version: those in force with their results, the one under way, and those to come. */
export function presentSteps(detail: ExecutionDetail): StepExecution[] {
  const tries = Map.groupBy(detail.tries, ({ position }) => position);
  return stepsOf(detail).map((step, position) => ({
    ...step,
    tries: (tries.get(position) ?? []).map((row) => presentTry(row, step)),
  }));
}

/** The first begins and the last ends with its step; the others said so in the log. */
function presentTry({ attempt, first_at, last_at, message }: TryRow, step: WithoutTries): StepTry {
  const last = attempt === step.attempts && step.endTime;
  return {
    attempt,
    startTime: (attempt === 1 && step.startTime) || first_at.toISOString(),
    endTime: last || last_at.toISOString(),
    message: last ? null : message,
  };
}

type WithoutTries = Omit<StepExecution, "tries">;

function stepsOf({ execution, steps, results, live, actions }: ExecutionDetail): WithoutTries[] {
  const byPosition = new Map(results.map((result) => [result.position, result]));
  const current = execution.ended_at ? -1 : steps.findIndex((_, position) => !byPosition.has(position));
  // A step that was held back began at the resume, not when the one before it ended.
  const released = actions.findLast(({ to_status }) => to_status === "RUNNING")?.at;
  return steps.map((step, position) => {
    const result = byPosition.get(position);
    if (result) return finishedStep(step, result);
    if (position !== current) return pendingStep(execution, step, position);
    const before = [byPosition.get(position - 1)?.ended_at, released, execution.started_at];
    return currentStep(execution, step, position, live, latestOf(before));
  });
}

function latestOf(times: (Date | undefined)[]): Date {
  return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)));
}

function finishedStep(step: DefinedStep, result: StepResultRow): WithoutTries {
  return {
    ...named(step),
    id: result.id,
    run: result.run,
    status: result.status,
    startTime: result.started_at.toISOString(),
    endTime: result.ended_at.toISOString(),
    durationMs: Math.max(0, result.ended_at.getTime() - result.started_at.getTime()),
    attempts: result.attempts,
    waitingUntil: null,
    childExecutionId: childOf(step, result),
    output: result.output ?? null,
    error: result.error,
  };
}

/** The step under way, or that waits, or that a pause holds back. Its start is that of its first try, or else `begunAt`. */
function currentStep(
  execution: ExecutionRow,
  step: DefinedStep,
  position: number,
  live: LiveRow | undefined,
  begunAt: Date,
): WithoutTries {
  const own = live?.position === position ? live : undefined;
  const parked = own?.parked ?? undefined;
  const pending = pendingStep(execution, step, position);
  if (!parked && ((live?.held === "pause" && !live.draining) || live?.waiting)) return pending;
  // What is due has no time any more: it runs again. A job that was started is waited for without one.
  const waits =
    parked !== undefined &&
    !live?.draining &&
    !triesAgain(own!) &&
    (own!.due_at !== null || live?.held != null || parked.kind === "child");
  // Of a retry the tries that are over are counted, and of a decision the one that asked.
  const counted = waits && (parked.kind === "retry" || parked.kind === "decision");
  return {
    ...pending,
    status: waits ? "WAITING" : "RUNNING",
    startTime: (own?.step_started ?? begunAt).toISOString(),
    attempts: (own?.attempts ?? 0) + (counted ? 0 : 1),
    waitingUntil: waits ? untilOf(parked, own!.due_at) : null,
    childExecutionId: parked?.kind === "child" ? parked.childId : null,
    error: parked?.kind === "retry" ? (parked.error ?? null) : null,
  };
}

/** Of a step that ran a job: the output names the execution, or the error. */
function childOf(step: DefinedStep, { output, error }: StepResultRow): string | null {
  if (step.type !== "job") return null;
  return (output as { executionId?: string } | null)?.executionId ?? error?.childExecutionId ?? null;
}

function untilOf(parked: NonNullable<LiveRow["parked"]>, dueAt: Date | null): string | null {
  if (parked.kind !== "decision") return dueAt?.toISOString() ?? null;
  const { deadline } = parked.decision;
  return deadline === undefined ? null : new Date(deadline).toISOString();
}

function pendingStep(execution: ExecutionRow, step: DefinedStep, position: number): WithoutTries {
  return {
    ...named(step),
    id: stepExecutionId(execution.id, execution.run, position),
    run: execution.run,
    status: "PENDING",
    startTime: null,
    endTime: null,
    durationMs: null,
    attempts: 0,
    waitingUntil: null,
    childExecutionId: null,
    output: null,
    error: null,
  };
}

function named(step: DefinedStep) {
  return { stepId: step.id, stepKey: step.key, stepName: step.name ?? step.key, type: step.type };
}
