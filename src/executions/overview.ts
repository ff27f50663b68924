import { ApiError } from "../contract/errors.ts";
import type { Approval, JobSummary, Timeline, TimelineBucket } from "../contract/overview.ts";
import type { Meta } from "../contract/shapes.ts";
import type { Principal } from "../http/principal.ts";
import { mayDecide } from "./decide.ts";
import { type JobSums, mostCounted, type OverviewStore } from "./overview-store.ts";
import { presentHistoryItem, presentSummary } from "./present.ts";
import { presentWaitingFor } from "./present-control.ts";
import { requireJob } from "./read.ts";
import type { CounterSums, ExecutionRow } from "./rows.ts";
import type { ExecutionStore } from "./store.ts";

export interface OverviewDeps {
  store: ExecutionStore;
  overview: OverviewStore;
}

const recent = 10;
const dayMs = 86_400_000;

/** In the order asked for; jobs that the principal may not know of are left out. */
export async function summariseJobs(
  { store, overview }: OverviewDeps,
  principal: Principal,
  jobIds: string[],
): Promise<JobSummary[]> {
  const visible = new Set(await overview.findJobs(jobIds, principal.jobs));
  const ids = jobIds.map((id) => id.toLowerCase()).filter((id) => visible.has(id));
  const [sums, executions] = await Promise.all([overview.sumCounters(ids), overview.findRecent(ids, recent)]);
  const sumsOf = new Map(
    await Promise.all(sums.map(async (row) => [row.job_id, await exact(store, row)] as const)),
  );
  const executionsOf = Map.groupBy(executions, (row) => row.job_id);
  return ids.map((jobId) => {
    const newest = (executionsOf.get(jobId) ?? []).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    return {
      jobId,
      ...presentSummary(sumsOf.get(jobId) ?? nothing, newest[0]),
      recent: newest.map(presentHistoryItem),
    };
  });
}

/** With the shortest and longest counted anew where a restart took one of them out. */
async function exact(store: ExecutionStore, row: JobSums): Promise<CounterSums> {
  return row.lost > row.found ? { ...row, ...(await store.recountExtremes(row.job_id, row.lost)) } : row;
}

const nothing: CounterSums = {
  started: 0,
  completed: 0,
  failed: 0,
  stopped: 0,
  duration_ms: 0,
  min_ms: null,
  max_ms: null,
  lost: 0,
  found: 0,
};

/** @throws ApiError NOT_FOUND (the job), VALIDATION_FAILED (a stretch that is none) */
export async function countOverTime(
  { store, overview }: OverviewDeps,
  principal: Principal,
  query: { from?: string; to?: string; buckets?: number; jobId?: string },
): Promise<Timeline> {
  const { buckets: count = 48, jobId } = query;
  const to = query.to === undefined ? new Date() : new Date(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - dayMs) : new Date(query.from);
  if (from >= to) {
    throw new ApiError("VALIDATION_FAILED", "The time from which to count must be before that to which.", {
      details: [{ path: "query/from", message: "must be before `to`." }],
    });
  }
  if (jobId !== undefined) await requireJob(store, principal, jobId);
  const rows = await overview.countStarts(principal.jobs, { from, to, buckets: count, jobId });
  const bucketMs = (to.getTime() - from.getTime()) / count;
  const buckets: TimelineBucket[] = Array.from({ length: count }, (_, i) => ({
    at: new Date(from.getTime() + i * bucketMs).toISOString(),
    completed: 0,
    failed: 0,
    stopped: 0,
    unfinished: 0,
  }));
  let counted = 0;
  for (const row of rows) {
    counted += row.count;
    const bucket = buckets[Math.min(row.bucket, count - 1)];
    if (bucket) bucket[outcomes[row.status]] += row.count;
  }
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    bucketMs: Math.round(bucketMs),
    complete: counted < mostCounted,
    buckets,
  };
}

const outcomes: Record<ExecutionRow["status"], Exclude<keyof TimelineBucket, "at">> = {
  COMPLETED: "completed",
  FAILED: "failed",
  STOPPED: "stopped",
  RUNNING: "unfinished",
  PAUSED: "unfinished",
};

/** The longest waiting first. */
export async function listApprovals(
  { overview }: OverviewDeps,
  principal: Principal,
  { page = 0, size = 50 }: { page?: number; size?: number },
): Promise<{ data: Approval[]; meta: Meta }> {
  const { rows, total } = await overview.findWaiting(principal.jobs, page, size);
  const data = rows.flatMap((row): Approval[] => {
    const waitingFor = presentWaitingFor(row, { ...row, held: "decision" }, row.steps ?? []);
    if (waitingFor === null) return [];
    return [
      {
        executionId: row.id,
        jobId: row.job_id,
        jobName: row.job_name,
        startTime: row.started_at.toISOString(),
        startedBy: row.started_by,
        triggeredBy: row.triggered_by,
        since: (row.held_at ?? row.started_at).toISOString(),
        mayDecide: mayDecide(principal, waitingFor),
        waitingFor,
      },
    ];
  });
  return { data, meta: { totalElements: total, page, size } };
}
