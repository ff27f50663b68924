import type pg from "pg";
import type { StartResponse } from "../contract/execution.ts";
import { quick } from "../db/quick.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Ending } from "../engine/engine.ts";
import { presentStart } from "./present.ts";
import { findResults, findTries } from "./results-store.ts";
import type {
  ActionRow,
  CounterSums,
  DefinedStep,
  ExecutionDetail,
  ExecutionRow,
  HistoryQuery,
  JobRights,
  LiveRow,
  RunRow,
} from "./rows.ts";

// Ids are UUIDv7: their order is that of the starts. Named with its table, since `id` alone would be the text that is
// selected under that name, which no index has: a job's million executions were sorted for its latest (measured: 530 ms).
const byStart = "execution.id";

const sortColumns: Record<HistoryQuery["sortField"], string | undefined> = {
  startTime: undefined,
  id: undefined,
  endTime: "ended_at",
  durationMs: "(ended_at - started_at)",
  status: "status",
  triggeredBy: 'triggered_by collate "C"',
};

const columns = `id::text, job_id::text, job_version, job_name, workflow_id::text, run, from_position, run_started_at,
  paused_ms::float8, status, triggered_by, trigger_source, started_by, client, parameters, started_at, ended_at, error`;

const mostActions = 1000;

/** Reads executions; only the engine's journal writes them. */
export function executionStore(pool: pg.Pool) {
  /** All of it as of one moment: between two looks a restart could make the one belong to another run than the other. */
  async function detail(
    where: string,
    value: string,
    run: number | undefined,
    outputs = true,
  ): Promise<ExecutionDetail | undefined> {
    return inTransaction(pool, async (client) => {
      await client.query("set transaction isolation level repeatable read, read only");
      const found = await client.query<ExecutionRow>(`select ${columns} from execution where ${where}`, [
        value,
      ]);
      const latest = found.rows[0];
      if (!latest) return undefined;
      const earlier = latest.run === 1 ? [] : await findRuns(client, latest.id);
      const execution = run === undefined ? latest : asOfRun(latest, earlier, run);
      if (!execution) return undefined;
      const versions = [...new Set([latest, ...earlier].map((row) => row.job_version))];
      const definitions = await client.query<{ version: number; steps: DefinedStep[]; limit: number | null }>(
        `select version, definition -> 'steps' as steps, (definition -> 'concurrency' ->> 'limit')::int as limit
         from job_version where job_id = $1 and version = any($2)`,
        [execution.job_id, versions],
      );
      const live = await client.query<LiveRow>(
        `select position, attempts, step_started, due_at, parked, held, held_at, draining, waiting, act_at
         from live_execution where execution_id = $1`,
        [execution.id],
      );
      const actions = await client.query<ActionRow>(
        `select run, action, actor, reason, at, from_status, to_status from execution_action
         where execution_id = $1 order by id desc limit ${mostActions}`,
        [execution.id],
      );
      const stepsOf = new Map(definitions.rows.map(({ version, steps }) => [version, steps]));
      const { limit } = definitions.rows.find(({ version }) => version === latest.job_version) ?? {};
      const under = execution === latest ? live.rows[0] : undefined;
      const steps = stepsOf.get(execution.job_version) ?? [];
      const results = await findResults(client, { execution, earlier, steps, outputs });
      return {
        execution,
        latest,
        steps,
        results,
        tries: await findTries(client, execution, results, under),
        live: under,
        earlier,
        actions: actions.rows.reverse(),
        stepsOf,
        limit: limit ?? undefined,
      };
    });
  }

  return {
    /** As the attempt `run` left it; the latest when left out. */
    findExecution(id: string, run?: number, outputs?: boolean): Promise<ExecutionDetail | undefined> {
      return detail("id = $1", id, run, outputs);
    },

    findLast(jobId: string): Promise<ExecutionDetail | undefined> {
      return detail(`job_id = $1 order by ${byStart} desc limit 1`, jobId, undefined);
    },

    /** What its logs are read by: the attempt, and the steps that it ran. Its results, which may be large, are not loaded. */
    async findAttempt(
      id: string,
      run: number | undefined,
    ): Promise<{ id: string; run: number; steps: { key: string }[] } | undefined> {
      const { rows } = await pool.query<{ id: string; run: number; steps: { key: string }[] | null }>(
        `select e.id::text, coalesce(r.run, e.run) as run, v.definition -> 'steps' as steps
         from execution e left join execution_run r on r.execution_id = e.id and r.run = $2 and $2 <> e.run
         left join job_version v on v.job_id = e.job_id and v.version = coalesce(r.job_version, e.job_version)
         where e.id = $1 and ($2::int is null or e.run = $2 or r.run is not null)`,
        [id, run ?? null],
      );
      return rows[0] && { ...rows[0], steps: rows[0].steps ?? [] };
    },

    /** The job of an execution, to tell whether somebody may know of it. */
    async findJobOf(id: string): Promise<string | undefined> {
      const { rows } = await pool.query<{ jobId: string }>(
        'select job_id::text as "jobId" from execution where id = $1',
        [id],
      );
      return rows[0]?.jobId;
    },

    /** Deleted jobs too: their executions stay readable by those who could read them. */
    async findRights(jobId: string): Promise<JobRights | undefined> {
      const { rows } = await pool.query<JobRights>(
        'select id::text, collection_id::text as "collectionId", tags, mcp_exposed as exposed from job where id = $1',
        [jobId],
      );
      return rows[0];
    },

    async findHistory(jobId: string, query: HistoryQuery): Promise<ExecutionRow[]> {
      const direction = query.sortDirection === "asc" ? "asc" : "desc";
      const first = sortColumns[query.sortField];
      const order = `${first ? `${first} ${direction} nulls last, ` : ""}${byStart} ${direction}`;
      const { rows } = await pool.query<ExecutionRow>(
        `select ${columns} from execution where job_id = $1 order by ${order} limit $2 offset $3`,
        [jobId, query.size, query.page * query.size],
      );
      return rows;
    },

    /** Sums kept with every commit: they cost the same at ten executions and at ten million. */
    async sumCounters(jobId: string): Promise<CounterSums> {
      const { rows } = await pool.query<CounterSums>(
        `select coalesce(sum(started), 0)::float8 as started, coalesce(sum(completed), 0)::float8 as completed,
                coalesce(sum(failed), 0)::float8 as failed, coalesce(sum(stopped), 0)::float8 as stopped,
                coalesce(sum(duration_ms), 0)::float8 as duration_ms, min(min_ms)::float8 as min_ms, max(max_ms)::float8 as max_ms,
                coalesce(max(extremes_lost), 0) as lost, coalesce(max(extremes_found), 0) as found
         from job_counter where job_id = $1`,
        [jobId],
      );
      return rows[0]!;
    },

    /**
     * The shortest and the longest execution of a job, counted anew after a restart took one of them out; kept, unless another
     * restart came meanwhile.
     */
    async recountExtremes(jobId: string, lost: number): Promise<Pick<CounterSums, "min_ms" | "max_ms">> {
      const { rows } = await pool.query<Pick<CounterSums, "min_ms" | "max_ms">>(
        `with found as (
           select min(ms) as min_ms, max(ms) as max_ms
           from (select floor(extract(epoch from ended_at - started_at) * 1000)::bigint as ms
                 from execution where job_id = $1 and ended_at is not null) as e
         ), kept as (
           update job_counter c set min_ms = least(c.min_ms, found.min_ms), max_ms = greatest(c.max_ms, found.max_ms), extremes_found = $2
           from found where c.job_id = $1 and c.lane = -1 and c.extremes_lost = $2
         )
         select min_ms::float8, max_ms::float8 from found`,
        [jobId, lost],
      );
      return rows[0]!;
    },

    async findLogs(
      execution: Pick<ExecutionRow, "id" | "run">,
      { positions, attempt }: { positions: number[] | undefined; attempt: number | undefined },
      page: number,
      size: number,
    ) {
      const where =
        "execution_id = $1 and run = $2 and ($3::int2[] is null or position = any($3)) and ($4::int is null or attempt = $4)";
      const values = [execution.id, execution.run, positions ?? null, attempt ?? null];
      const [lines, count] = await Promise.all([
        pool.query<{ position: number; attempt: number; at: Date; level: string; message: string }>(
          `select position, attempt, at, level, message from step_log where ${where}
           order by position, attempt, at, seq limit $5 offset $6`,
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
      const found = await detail("id = $1 and ended_at is not null", id, undefined);
      if (!found) return undefined;
      const { execution, results } = found;
      const last = results.findLast(({ status }) => status === "COMPLETED");
      return {
        status: execution.status as Ending["status"],
        endedAt: execution.ended_at!.getTime(),
        error: execution.error ?? undefined,
        output: execution.status === "COMPLETED" ? (last?.output ?? null) : null,
      };
    },

    /** What a key was kept with within 24 hours. */
    async findKey(principalId: string, key: string) {
      const { rows } = await pool.query<{ executionId: string; bodyHash: Buffer }>(
        quick({
          text: `select execution_id::text as "executionId", body_hash as "bodyHash" from idempotency_key
                 where principal_id = $1 and key = $2 and created_at >= now() - interval '24 hours'`,
          values: [principalId, key],
        }),
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
        quick({
          text: `insert into idempotency_key as k (principal_id, key, body_hash, execution_id) values ($1, $2, $3, $4)
                 on conflict (principal_id, key) do update
                   set body_hash = excluded.body_hash, execution_id = excluded.execution_id, created_at = now()
                   where k.created_at < now() - interval '24 hours'
                 returning execution_id`,
          values: [principalId, key, bodyHash, executionId],
        }),
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

async function findRuns(client: pg.ClientBase, id: string): Promise<RunRow[]> {
  const { rows } = await client.query<RunRow>(
    `select r.run, r.workflow_id::text, r.job_version, r.from_position, r.status, r.started_at, r.ended_at, r.paused_ms::float8,
            coalesce(r.parameters, e.parameters) as parameters, r.error
     from execution_run r join execution e on e.id = r.execution_id where r.execution_id = $1 order by r.run`,
    [id],
  );
  return rows;
}

/** The execution as one of its attempts had it; undefined when there was no such attempt. */
function asOfRun(latest: ExecutionRow, earlier: RunRow[], run: number): ExecutionRow | undefined {
  if (run === latest.run) return latest;
  const row = earlier.find((one) => one.run === run);
  return row && { ...latest, ...row, started_at: latest.started_at, run_started_at: row.started_at };
}

export type ExecutionStore = ReturnType<typeof executionStore>;
