import type pg from "pg";
import type { JobLimits } from "../contract/identity.ts";
import { firstIdAt } from "../lib/ids.ts";
import type { CounterSums, DefinedStep, ExecutionRow, LiveRow } from "./rows.ts";

const HOUR_MS = 3_600_000;
/** Counted at most: a second's work. */
export const mostCounted = 500_000;

export interface JobSums extends CounterSums {
  job_id: string;
}

export interface BucketRow {
  bucket: number;
  status: ExecutionRow["status"];
  count: number;
}

export type WaitingRow = Pick<
  ExecutionRow,
  "id" | "run" | "job_id" | "job_name" | "started_at" | "started_by" | "triggered_by"
> &
  Pick<LiveRow, "position" | "parked" | "held_at"> & { steps: DefinedStep[] };

export type OverviewStore = ReturnType<typeof overviewStore>;

// $1: the limits of who asks, null for none. Deleted jobs count too: their executions stay readable.
const ofJobsWithin = `($1::jsonb is null or e.job_id in (select j.id from job j where
  j.id::text in (select jsonb_array_elements_text(coalesce($1::jsonb -> 'ids', '[]')))
  or j.collection_id::text in (select jsonb_array_elements_text(coalesce($1::jsonb -> 'collections', '[]')))
  or j.tags && array(select jsonb_array_elements_text(coalesce($1::jsonb -> 'tags', '[]')))))`;

/** Reads many executions at a glance. */
export function overviewStore(pool: pg.Pool) {
  return {
    /** Those of the jobs that the limits let through. */
    async findJobs(jobIds: string[], limits: JobLimits | null): Promise<string[]> {
      const { rows } = await pool.query<{ job_id: string }>(
        `select e.job_id::text from (select id as job_id from job where id = any($2::uuid[])) e where ${ofJobsWithin}`,
        [json(limits), jobIds],
      );
      return rows.map(({ job_id }) => job_id);
    },

    async sumCounters(jobIds: string[]): Promise<JobSums[]> {
      const { rows } = await pool.query<JobSums>(
        `select job_id::text, sum(started)::float8 as started, sum(completed)::float8 as completed, sum(failed)::float8 as failed,
                sum(stopped)::float8 as stopped, sum(duration_ms)::float8 as duration_ms, min(min_ms)::float8 as min_ms,
                max(max_ms)::float8 as max_ms, coalesce(max(extremes_lost), 0) as lost, coalesce(max(extremes_found), 0) as found
         from job_counter where job_id = any($1::uuid[]) group by job_id`,
        [jobIds],
      );
      return rows;
    },

    /** The newest of each job. */
    async findRecent(jobIds: string[], each: number): Promise<ExecutionRow[]> {
      const { rows } = await pool.query<ExecutionRow>(
        `select e.* from unnest($1::uuid[]) as wanted (job_id) cross join lateral (
           select id::text, job_id::text, status, triggered_by, started_at, ended_at from execution
           where execution.job_id = wanted.job_id order by id desc limit $2) e`,
        [jobIds, each],
      );
      return rows;
    },

    /** How many began when, by stretch and status; the newest where there are too many. */
    async countStarts(
      limits: JobLimits | null,
      { from, to, buckets, jobId }: { from: Date; to: Date; buckets: number; jobId: string | undefined },
    ): Promise<BucketRow[]> {
      // Ids are in the order of the starts, give or take what clocks do.
      const [least, most] = [from.getTime() - HOUR_MS, to.getTime() + HOUR_MS];
      const { rows } = await pool.query<BucketRow>(
        `select width_bucket(extract(epoch from started_at), extract(epoch from $2::timestamptz),
                extract(epoch from $3::timestamptz), $4::int) - 1 as bucket, status, count(*)::int as count
         from (select e.started_at, e.status from execution e
               where e.id between $5::uuid and $6::uuid and e.started_at >= $2 and e.started_at < $3
                 and ($7::uuid is null or e.job_id = $7) and ${ofJobsWithin}
               order by e.id desc limit ${mostCounted}) counted
         group by bucket, status`,
        [
          json(limits),
          from,
          to,
          buckets,
          firstIdAt(Math.max(0, least)),
          firstIdAt(Math.max(0, most)),
          jobId ?? null,
        ],
      );
      return rows;
    },

    /** Those that wait for a decision, the longest waiting first. */
    async findWaiting(
      limits: JobLimits | null,
      page: number,
      size: number,
    ): Promise<{ rows: WaitingRow[]; total: number }> {
      const from = `from live_execution l join execution e on e.id = l.execution_id where l.held = 'decision' and ${ofJobsWithin}`;
      const [found, count] = await Promise.all([
        pool.query<WaitingRow>(
          `select e.id::text, e.run, e.job_id::text, e.job_name, e.started_at, e.started_by, e.triggered_by, l.position, l.parked, l.held_at,
                  (select definition -> 'steps' from job_version v where v.job_id = e.job_id and v.version = e.job_version) as steps
           ${from} order by l.held_at, e.id limit $2 offset $3`,
          [json(limits), size, page * size],
        ),
        pool.query<{ total: number }>(`select count(*)::int as total ${from}`, [json(limits)]),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },
  };
}

function json(limits: JobLimits | null): string | null {
  return limits === null ? null : JSON.stringify(limits);
}
