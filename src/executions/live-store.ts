import { type RawBuilder, type SqlBool, sql } from "kysely";
import type pg from "pg";
import type { BulkRequest, LiveExecution } from "../contract/control.ts";
import type { JobLimits } from "../contract/identity.ts";
import { createKysely } from "../db/pool.ts";

export type LiveStore = ReturnType<typeof liveStore>;

export interface BulkQuery {
  action: BulkRequest["action"];
  where: RawBuilder<SqlBool>;
  limits: JobLimits | null;
  after: string | undefined;
}

/** Those that an action can be done to, and where they are found: what is not over is a small table of its own. */
const actionable: Record<BulkRequest["action"], RawBuilder<unknown>> = {
  PAUSE: sql`live_execution join execution e on e.id = execution_id where status = 'RUNNING'`,
  RESUME: sql`live_execution join execution e on e.id = execution_id where status = 'PAUSED' and held = 'pause'`,
  STOP: sql`live_execution join execution e on e.id = execution_id where status in ('RUNNING', 'PAUSED')`,
  RESTART: sql`execution e where status in ('FAILED', 'STOPPED')`,
};

/** Finds many executions at once: those that are not over, and those that a filter names. */
export function liveStore(pool: pg.Pool) {
  const db = createKysely(pool);
  const matching = ({ action, where, limits, after }: BulkQuery) => sql`from ${actionable[action]}
    and ${after === undefined ? sql`true` : sql`e.id > ${after}`} and ${withinLimits(limits)} and ${where}`;

  return {
    /** The newest that have not ended, and how many there are. */
    async findLive(limits: JobLimits | null, most: number) {
      const from = sql`from live_execution join execution e on e.id = execution_id where ${withinLimits(limits)}`;
      type Row = Omit<LiveExecution, "startTime"> & { startTime: Date };
      const { rows } =
        await sql<Row>`select e.id::text, e.job_id::text as "jobId", job_name as "jobName", status,
        started_at as "startTime" ${from} order by e.id desc limit ${most}`.execute(db);
      const total =
        rows.length < most
          ? rows.length
          : (await sql<{ count: number }>`select count(*)::int as count ${from}`.execute(db)).rows[0]!.count;
      return { rows, total };
    },

    async countMatching(query: BulkQuery): Promise<number> {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count ${matching(query)}`.execute(
        db,
      );
      return rows[0]!.count;
    },

    /** Oldest first. */
    async findMatching(query: BulkQuery, limit: number): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`select e.id::text ${matching(query)}
        order by e.id limit ${limit}`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}

function withinLimits(limits: JobLimits | null): RawBuilder<SqlBool> {
  if (limits === null) return sql<SqlBool>`true`;
  const { ids = [], collections = [], tags = [] } = limits;
  return sql<SqlBool>`e.job_id in (select job.id from job where job.id = any(${ids}::uuid[])
    or job.collection_id = any(${collections}::uuid[]) or job.tags && ${tags}::text[])`;
}
