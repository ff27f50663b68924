import { type SqlBool, sql } from "kysely";
import type pg from "pg";
import { executionStatuses } from "../contract/execution.ts";
import type { JobLimits } from "../contract/identity.ts";
import type { CompiledFilter, FieldMap } from "../db/filter.ts";
import { createKysely } from "../db/pool.ts";
import { firstIdAt } from "../lib/ids.ts";
import type { ExecutionRow, LiveRow } from "./rows.ts";

const HOUR_MS = 3_600_000;
const HIGHEST_TIME = 2 ** 48 - 1;

/** What `POST /jobExecution/search` may filter and sort by. */
export const executionFields: FieldMap = {
  id: { kind: "id", column: sql`e.id` },
  jobId: { kind: "id", column: sql`e.job_id` },
  jobName: { kind: "string", column: sql`e.job_name` },
  jobVersion: { kind: "number", column: sql`e.job_version` },
  status: { kind: "enum", column: sql`e.status`, values: executionStatuses },
  triggeredBy: { kind: "string", column: sql`e.triggered_by` },
  triggerSource: { kind: "string", column: sql`e.trigger_source` },
  startedBy: { kind: "string", column: sql`e.started_by` },
  // Ids are in the order of the starts, and have an index.
  startTime: { kind: "date", column: sql`e.started_at`, sort: sql`e.id`, coarse: startedWithin },
  endTime: { kind: "date", column: sql`e.ended_at` },
  // Of the milliseconds that are shown, each cut off.
  durationMs: {
    kind: "number",
    column: sql`(floor(extract(epoch from e.ended_at) * 1000) - floor(extract(epoch from e.started_at) * 1000))`,
  },
  error: { kind: "string", column: sql`(e.error ->> 'message')` },
  errorCode: { kind: "string", column: sql`(e.error ->> 'code')` },
};
export const executionSearch = [executionFields.jobName!, executionFields.error!];

/**
 * A range of ids, which the partitions and their indexes go by. An id is made at the start of the execution, or up to a day
 * before where its Idempotency-Key was sent again after a crash; clocks may be set back a little.
 */
function startedWithin(from: number | undefined, to: number | undefined) {
  const least = firstIdAt(Math.min(Math.max((from ?? 0) - 25 * HOUR_MS, 0), HIGHEST_TIME));
  const most = firstIdAt(Math.min(Math.max((to ?? HIGHEST_TIME) + HOUR_MS, 0), HIGHEST_TIME));
  return sql<SqlBool>`e.id between ${least}::uuid and ${to === undefined ? LAST_ID : most}::uuid`;
}

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

const columns = sql`e.id::text, e.job_id::text, e.job_version, e.job_name, e.workflow_id::text, e.run, e.status, e.triggered_by,
  e.trigger_source, e.started_by, e.client, e.parameters, e.started_at, e.ended_at, e.error,
  (select l.held from live_execution l where l.execution_id = e.id) as held`;

export type FoundRow = ExecutionRow & Pick<LiveRow, "held">;

export type ExecutionSearchStore = ReturnType<typeof executionSearchStore>;

export function executionSearchStore(pool: pg.Pool) {
  const db = createKysely(pool);

  return {
    async search(
      { where, orderBy, limit, offset }: CompiledFilter,
      limits: JobLimits | null,
      exposedOnly = false,
    ): Promise<{ rows: FoundRow[]; total: number }> {
      const exposed = exposedOnly
        ? sql<SqlBool>`e.job_id not in (select job.id from job where not job.mcp_exposed)`
        : sql<SqlBool>`true`;
      const visible = sql<SqlBool>`${ofJobsWithin(limits)} and ${exposed} and ${where}`;
      const [found, count] = await Promise.all([
        sql<FoundRow>`select ${columns} from execution e where ${visible}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(db),
        sql<{ total: number }>`select count(*) as total from execution e where ${visible}`.execute(db),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },
  };
}

/** Deleted jobs too: their executions stay readable by those who could read them. */
function ofJobsWithin(limits: JobLimits | null) {
  if (limits === null) return sql<SqlBool>`true`;
  const { ids = [], collections = [], tags = [] } = limits;
  return sql<SqlBool>`e.job_id in (select job.id from job where job.id = any(${ids}::uuid[])
    or job.collection_id = any(${collections}::uuid[]) or job.tags && ${tags}::text[])`;
}
