import type pg from "pg";
import type { ExecutionStatus } from "../../contract/execution.ts";

/** Adds an ended execution to its job's counters, or (-1) takes it out again for a restart. */
export async function count(
  client: pg.ClientBase,
  jobId: string,
  status: ExecutionStatus,
  ms: number,
  by: 1 | -1,
): Promise<void> {
  const column = { COMPLETED: "completed", FAILED: "failed", STOPPED: "stopped" }[status as string]!;
  // Lane -1 is that of the turns: two turns may meet there, but never hold up a batch.
  await client.query(
    `insert into job_counter as c (job_id, lane, ${column}, duration_ms, min_ms, max_ms) values ($1, -1, $2, $3, $4, $4)
     on conflict (job_id, lane) do update set ${column} = c.${column} + excluded.${column},
       duration_ms = c.duration_ms + excluded.duration_ms,
       min_ms = least(c.min_ms, excluded.min_ms), max_ms = greatest(c.max_ms, excluded.max_ms)`,
    [jobId, by, by * ms, by === 1 ? ms : null],
  );
}

/**
 * Where the shortest or the longest execution of a job is over no more, both are unknown until the next summary counts anew:
 * to count here would hold the journal up. While they are unknown every restart says so, for a count that is under way.
 */
export async function forgetExtremes(client: pg.ClientBase, jobId: string, ms: number): Promise<void> {
  await client.query(
    `update job_counter set min_ms = null, max_ms = null, extremes_lost = extremes_lost + (lane = -1)::int
     where job_id = $1 and (select min(min_ms) >= $2 or max(max_ms) <= $2 or max(extremes_lost) > max(extremes_found)
                            from job_counter where job_id = $1)`,
    [jobId, ms],
  );
}
