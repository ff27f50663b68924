import type {
  ExecutionSummary,
  FoundExecution,
  HistoryItem,
  JobExecution,
  StartResponse,
} from "../contract/execution.ts";
import type { Ending } from "../engine/engine.ts";
import { hideSealed } from "./hide-sealed.ts";
import { presentControl } from "./present-control.ts";
import { presentSteps } from "./present-steps.ts";
import type { CounterSums, ExecutionDetail, ExecutionRow } from "./rows.ts";
import type { FoundRow } from "./search-store.ts";

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

export function presentExecution(detail: ExecutionDetail, outputs = true): JobExecution {
  const steps = presentSteps(detail);
  return {
    ...presentRow(detail.execution),
    ...presentControl(detail, Date.now()),
    stepExecutions: outputs ? steps : steps.map((step) => ({ ...step, output: null })),
  };
}

/** What the row of an execution says by itself. */
function presentRow(execution: ExecutionRow): Omit<FoundExecution, "heldFor"> {
  return {
    id: execution.id,
    jobId: execution.job_id,
    jobName: execution.job_name,
    jobVersion: execution.job_version,
    workflowId: execution.workflow_id,
    run: execution.run,
    ...presentTimes(execution),
    triggeredBy: execution.triggered_by,
    triggerSource: execution.trigger_source,
    startedBy: execution.started_by,
    client: execution.client,
    parameters: hideSealed(execution.parameters),
    error: execution.error,
  };
}

/** An execution as the search finds it. */
export function presentFound(row: FoundRow): FoundExecution {
  const heldFor = row.held === "pause" ? "resume" : row.held;
  return { ...presentRow(row), heldFor: row.status === "PAUSED" ? heldFor : null };
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
