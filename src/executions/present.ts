import type {
  ExecutionSummary,
  FoundExecution,
  HistoryItem,
  JobExecution,
  StartResponse,
  StepExecution,
} from "../contract/execution.ts";
import type { Ending } from "../engine/engine.ts";
import type {
  CounterSums,
  DefinedStep,
  ExecutionDetail,
  ExecutionRow,
  LiveRow,
  StepResultRow,
} from "./store.ts";

export function presentStart(execution: {
  id: string;
  jobId: string;
  workflowId: string;
  startedAt: number;
}): StartResponse {
  return {
    executionId: execution.id,
    jobId: execution.jobId,
    status: "RUNNING",
    workflowId: execution.workflowId,
    startedAt: new Date(execution.startedAt).toISOString(),
  };
}

/** What a synchronous start adds once the execution has ended. */
export function presentEnded(started: StartResponse, ending: Ending): StartResponse {
  return {
    ...started,
    status: ending.status,
    endTime: new Date(ending.endedAt).toISOString(),
    durationMs: Math.max(0, ending.endedAt - Date.parse(started.startedAt)),
    output: ending.output ?? null,
    error: ending.error ?? null,
  };
}

export function presentExecution({ execution, steps, results, live }: ExecutionDetail): JobExecution {
  const byPosition = new Map(results.map((result) => [result.position, result]));
  const current = execution.ended_at ? -1 : steps.findIndex((_, position) => !byPosition.has(position));
  const stepExecutions = steps.map((step, position) => {
    const result = byPosition.get(position);
    if (result) return finishedStep(step, result);
    if (position !== current) return pendingStep(execution, step, position);
    return currentStep(execution, step, position, live, byPosition.get(position - 1));
  });
  return { ...presentFound(execution), stepExecutions };
}

/** All of an execution but its steps. */
export function presentFound(execution: ExecutionRow): FoundExecution {
  return {
    id: execution.id,
    jobId: execution.job_id,
    jobName: execution.job_name,
    jobVersion: execution.job_version,
    workflowId: execution.workflow_id,
    ...presentTimes(execution),
    triggeredBy: execution.triggered_by,
    triggerSource: execution.trigger_source,
    startedBy: execution.started_by,
    parameters: execution.parameters,
    error: execution.error,
  };
}

export function presentHistoryItem(execution: ExecutionRow): HistoryItem {
  return { id: execution.id, ...presentTimes(execution), triggeredBy: execution.triggered_by };
}

export function presentSummary(sums: CounterSums, last: ExecutionRow | undefined): ExecutionSummary {
  const ended = sums.completed + sums.failed + sums.stopped;
  return {
    totalExecutions: sums.started,
    successCount: sums.completed,
    failureCount: sums.failed,
    successRate: ended === 0 ? 0 : Math.round((sums.completed / ended) * 1000) / 10,
    avgDurationMs: ended === 0 ? null : Math.round(sums.duration_ms / ended),
    minDurationMs: sums.min_ms,
    maxDurationMs: sums.max_ms,
    lastExecutedAt: last?.started_at.toISOString() ?? null,
    lastStatus: last?.status ?? null,
  };
}

function presentTimes({ status, started_at, ended_at }: ExecutionRow) {
  return {
    status,
    startTime: started_at.toISOString(),
    endTime: ended_at?.toISOString() ?? null,
    durationMs: ended_at ? ended_at.getTime() - started_at.getTime() : null,
  };
}

function finishedStep(step: DefinedStep, result: StepResultRow): StepExecution {
  return {
    ...named(step),
    id: result.id,
    status: result.status,
    startTime: result.started_at.toISOString(),
    endTime: result.ended_at.toISOString(),
    durationMs: Math.max(0, result.ended_at.getTime() - result.started_at.getTime()),
    attempts: result.attempts,
    waitingUntil: null,
    output: result.output ?? null,
    error: result.error,
  };
}

/** The step under way. Its start is that of its first try, or else the moment the one before it ended. */
function currentStep(
  execution: ExecutionRow,
  step: DefinedStep,
  position: number,
  live: LiveRow | undefined,
  previous: StepResultRow | undefined,
): StepExecution {
  const own = live?.position === position ? live : undefined;
  const waits = own?.due_at != null;
  const startedAt = own?.step_started ?? previous?.ended_at ?? execution.started_at;
  return {
    ...pendingStep(execution, step, position),
    status: waits ? "WAITING" : "RUNNING",
    startTime: startedAt.toISOString(),
    attempts: (own?.attempts ?? 0) + (waits ? 0 : 1),
    waitingUntil: waits ? own!.due_at!.toISOString() : null,
    error: own?.parked?.error ?? null,
  };
}

function pendingStep(execution: ExecutionRow, step: DefinedStep, position: number): StepExecution {
  return {
    ...named(step),
    id: placeholderId(execution.id, position),
    status: "PENDING",
    startTime: null,
    endTime: null,
    durationMs: null,
    attempts: 0,
    waitingUntil: null,
    output: null,
    error: null,
  };
}

function named(step: DefinedStep) {
  return { stepId: step.id, stepKey: step.key, stepName: step.name ?? step.key, type: step.type };
}

/** A step execution gets its id with its result; until then it has one that is the same at every reading. */
function placeholderId(executionId: string, position: number): string {
  return `${executionId.slice(0, -4)}${position.toString(16).padStart(4, "0")}`;
}
