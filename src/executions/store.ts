import type pg from "pg";
import type { ExecutionError, ExecutionStatus, StartResponse, StepStatus } from "../contract/execution.ts";
import type { Ending } from "../engine/engine.ts";
import { presentStart } from "./present.ts";

export interface ExecutionRow {
  id: string;
  job_id: string;
  job_version: number;
  job_name: string;
  workflow_id: string;
  run: number;
  status: ExecutionStatus;
  triggered_by: string;
  trigger_source: string | null;
  started_by: string;
  parameters: Record<string, unknown>;
  started_at: Date;
  ended_at: Date | null;
  error: ExecutionError | null;
}

export interface StepResultRow {
  id: string;
  position: number;
  status: StepStatus;
  attempts: number;
  started_at: Date;
  ended_at: Date;
  output: unknown;
  error: ExecutionError | null;
}

export interface LiveRow {
  position: number | null;
  attempts: number;
  step_started: Date | null;
  due_at: Date | null;
  parked: { error?: ExecutionError } | null;
}

/** A step as the definition that the execution started with has it. */
export interface DefinedStep {
  id: string;
  key: string;
  name?: string;
  type: string;
}

export interface ExecutionDetail {
  execution: ExecutionRow;
  steps: DefinedStep[];
  results: StepResultRow[];
  live: LiveRow | undefined;
}

/** What the rights of a principal are compared with. */
export interface JobRights {
  id: string;
  collectionId: string | null;
  tags: string[];
}

export interface HistoryQuery {
  sortField: "startTime" | "endTime" | "durationMs" | "status" | "triggeredBy" | "id";
  sortDirection: "asc" | "desc";
  page: number;
  size: number;
}

export interface CounterSums {
  started: number;
  completed: number;
  failed: number;
  stopped: number;
  duration_ms: number;
  min_ms: number | null;
  max_ms: number | null;
}

// Ids are UUIDv7: their order is that of the starts, and it has an index.
const sortColumns: Record<HistoryQuery["sortField"], string> = {
  startTime: "id",
  id: "id",
  endTime: "ended_at",
  durationMs: "(ended_at - started_at)",
  status: "status",
  triggeredBy: 'triggered_by collate "C"',
};

const columns = `id::text, job_id::text, job_version, job_name, workflow_id::text, run, status, triggered_by, trigger_source, started_by,
  parameters, started_at, ended_at, error`;

/** Reads executions; only the engine's journal writes them. */
export function executionStore(pool: pg.Pool) {
  async function detail(execution: ExecutionRow | undefined): Promise<ExecutionDetail | undefined> {
    if (!execution) return undefined;
    const [definition, results, live] = await Promise.all([
      pool.query<{ steps: DefinedStep[] }>(
        "select definition -> 'steps' as steps from job_version where job_id = $1 and version = $2",
        [execution.job_id, execution.job_version],
      ),
      pool.query<StepResultRow>(
        `select id::text, position, status, attempts, started_at, ended_at, output, error from step_execution
         where execution_id = $1 and run = $2 order by position`,
        [execution.id, execution.run],
      ),
      pool.query<LiveRow>(
        "select position, attempts, step_started, due_at, parked from live_execution where execution_id = $1",
        [execution.id],
      ),
    ]);
    return {
      execution,
      steps: definition.rows[0]?.steps ?? [],
      results: results.rows,
      live: live.rows[0],
    };
  }

  return {
    async findExecution(id: string): Promise<ExecutionDetail | undefined> {
      const { rows } = await pool.query<ExecutionRow>(`select ${columns} from execution where id = $1`, [id]);
      return detail(rows[0]);
    },

    async findLast(jobId: string): Promise<ExecutionDetail | undefined> {
      const { rows } = await pool.query<ExecutionRow>(
        `select ${columns} from execution where job_id = $1 order by id desc limit 1`,
        [jobId],
      );
      return detail(rows[0]);
    },

    /** Deleted jobs too: their executions stay readable by those who could read them. */
    async findRights(jobId: string): Promise<JobRights | undefined> {
      const { rows } = await pool.query<JobRights>(
        'select id::text, collection_id::text as "collectionId", tags from job where id = $1',
        [jobId],
      );
      return rows[0];
    },

    async findHistory(jobId: string, query: HistoryQuery): Promise<ExecutionRow[]> {
      const direction = query.sortDirection === "asc" ? "asc" : "desc";
      const { rows } = await pool.query<ExecutionRow>(
        `select ${columns} from execution where job_id = $1
         order by ${sortColumns[query.sortField]} ${direction} nulls last, id ${direction} limit $2 offset $3`,
        [jobId, query.size, query.page * query.size],
      );
      return rows;
    },

    /** Sums kept with every commit: they cost the same at ten executions and at ten million. */
    async sumCounters(jobId: string): Promise<CounterSums> {
      const { rows } = await pool.query<CounterSums>(
        `select coalesce(sum(started), 0)::float8 as started, coalesce(sum(completed), 0)::float8 as completed,
                coalesce(sum(failed), 0)::float8 as failed, coalesce(sum(stopped), 0)::float8 as stopped,
                coalesce(sum(duration_ms), 0)::float8 as duration_ms, min(min_ms)::float8 as min_ms, max(max_ms)::float8 as max_ms
         from job_counter where job_id = $1`,
        [jobId],
      );
      return rows[0]!;
    },

    async findLogs(execution: ExecutionRow, positions: number[] | undefined, page: number, size: number) {
      const where = "execution_id = $1 and run = $2 and ($3::int2[] is null or position = any($3))";
      const values = [execution.id, execution.run, positions ?? null];
      const [lines, count] = await Promise.all([
        pool.query<{ position: number; attempt: number; at: Date; level: string; message: string }>(
          `select position, attempt, at, level, message from step_log where ${where}
           order by position, attempt, seq limit $4 offset $5`,
          [...values, size, page * size],
        ),
        pool.query<{ count: number }>(`select count(*)::int as count from step_log where ${where}`, values),
      ]);
      return { lines: lines.rows, total: count.rows[0]!.count };
    },

    /** The start response of an execution that is there. */
    async findStarted(id: string): Promise<StartResponse | undefined> {
      const { rows } = await pool.query<ExecutionRow>(`select ${columns} from execution where id = $1`, [id]);
      const row = rows[0];
      if (!row) return undefined;
      const started = presentStart({
        id: row.id,
        jobId: row.job_id,
        workflowId: row.workflow_id,
        startedAt: row.started_at.getTime(),
      });
      return { ...started, status: row.status };
    },

    /** How an execution ended; undefined while it goes on. */
    async findEnding(id: string): Promise<Ending | undefined> {
      const { rows } = await pool.query<Pick<ExecutionRow, "status" | "ended_at" | "error" | "run">>(
        "select status, ended_at, error, run from execution where id = $1 and ended_at is not null",
        [id],
      );
      const row = rows[0];
      if (!row) return undefined;
      const output = await pool.query<{ output: unknown }>(
        `select output from step_execution where execution_id = $1 and run = $2 and status = 'COMPLETED'
         order by position desc limit 1`,
        [id, row.run],
      );
      return {
        status: row.status as Ending["status"],
        endedAt: row.ended_at!.getTime(),
        error: row.error ?? undefined,
        output: row.status === "COMPLETED" ? (output.rows[0]?.output ?? null) : null,
      };
    },

    /** What a key was kept with within 24 hours. */
    async findKey(principalId: string, key: string) {
      const { rows } = await pool.query<{ executionId: string; bodyHash: Buffer }>(
        `select execution_id::text as "executionId", body_hash as "bodyHash" from idempotency_key
         where principal_id = $1 and key = $2 and created_at >= now() - interval '24 hours'`,
        [principalId, key],
      );
      return rows[0];
    },

    /** Keeps a key for 24 hours, or answers what it was kept with. */
    async keepKey(
      principalId: string,
      key: string,
      bodyHash: Buffer,
      executionId: string,
    ): Promise<{ executionId: string; bodyHash: Buffer }> {
      const kept = await pool.query(
        `insert into idempotency_key as k (principal_id, key, body_hash, execution_id) values ($1, $2, $3, $4)
         on conflict (principal_id, key) do update
           set body_hash = excluded.body_hash, execution_id = excluded.execution_id, created_at = now()
           where k.created_at < now() - interval '24 hours'
         returning execution_id`,
        [principalId, key, bodyHash, executionId],
      );
      if (kept.rows[0]) return { executionId, bodyHash };
      const { rows } = await pool.query<{ executionId: string; bodyHash: Buffer }>(
        'select execution_id::text as "executionId", body_hash as "bodyHash" from idempotency_key where principal_id = $1 and key = $2',
        [principalId, key],
      );
      return rows[0] ?? { executionId, bodyHash };
    },

    async forgetOldKeys(): Promise<void> {
      await pool.query("delete from idempotency_key where created_at < now() - interval '24 hours'");
    },
  };
}

export type ExecutionStore = ReturnType<typeof executionStore>;
