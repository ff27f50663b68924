import type pg from "pg";
import type { ExecutionError } from "../../contract/execution.ts";
import { inForce } from "../../engine/in-force.ts";
import type { StepResult } from "../../engine/loop.ts";
import { orFenced, whileOwner } from "./while-owner.ts";

/** An unfinished execution as the database holds it: all that is needed to go on. */
export interface Unfinished {
  id: string;
  jobId: string;
  jobVersion: number;
  jobName: string;
  run: number;
  parameters: Record<string, unknown>;
  triggeredBy: string;
  triggerSource: string | null;
  startedBy: string;
  startedAt: number;
  /** When its present attempt began. */
  runStartedAt: number;
  parentId: string | undefined;
  depth: number;
  deadline: number | undefined;
  results: Map<number, StepResult>;
  /** The step that was waiting, for a retry or a timer, and how often it had been tried. */
  parked: Parked | undefined;
}

export interface Parked {
  position: number;
  attempts: number;
  startedAt: number;
  kind: "retry" | "timer" | "child";
  until: number;
  error?: ExecutionError;
  output?: unknown;
  /** Of a child: */
  childId?: string;
  jobId?: string;
  parameters?: Record<string, unknown>;
}

/** Ids of all executions that should be running now, oldest first; those parked for later are left out. */
export async function findRunnable(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    "select execution_id::text as id from live_execution where due_at is null and held is null and not waiting order by execution_id",
  );
  return rows.map((row) => row.id);
}

/** Steps that were draining when a former process died are not under way any more. */
export async function forgetDraining(pool: pg.Pool, owner: string): Promise<void> {
  await pool
    .query(`update live_execution set draining = false where draining and ${whileOwner("$1")}`, [owner])
    .catch(orFenced);
}

/** When the next parked execution is due, or a hold ends by itself; undefined when none is. */
export async function nextDue(pool: pg.Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ due: Date | null }>(
    `select least((select min(due_at) from live_execution where due_at is not null and held is null),
                  (select min(act_at) from live_execution where act_at is not null)) as due`,
  );
  return rows[0]?.due?.getTime();
}

export interface DueHold {
  id: string;
  held: "pause" | "decision";
  onDeadline: "approve" | "reject" | "fail" | null;
  actAt: Date;
}

/** Held executions whose hold ends by itself now. */
export async function findDueHolds(pool: pg.Pool, now: number, limit: number): Promise<DueHold[]> {
  const { rows } = await pool.query<DueHold>(
    `select execution_id::text as id, held, parked -> 'decision' ->> 'onDeadline' as "onDeadline", act_at as "actAt"
     from live_execution where act_at <= $1 order by act_at limit $2`,
    [new Date(now), limit],
  );
  return rows;
}

/** Whether the execution is still held until then, and not by another hold since. */
export async function isHeldUntil(client: pg.ClientBase, id: string, actAt: Date): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from live_execution where execution_id = $1 and act_at = $2",
    [id, actAt],
  );
  return rowCount === 1;
}

/** Takes executions whose time has come; they are runnable from then on, also after a crash. */
export async function claimDue(pool: pg.Pool, owner: string, now: number, limit: number): Promise<string[]> {
  const { rows } = await pool
    .query<{ id: string }>(
      `update live_execution set due_at = null
     where execution_id in (select execution_id from live_execution where due_at <= $1 and held is null order by due_at limit $2 for update)
       and ${whileOwner("$3")}
     returning execution_id::text as id`,
      [new Date(now), limit, owner],
    )
    .catch(orFenced);
  return rows.map((row) => row.id);
}

/** Loads executions that are to run, with the results they have. */
export async function loadUnfinished(pool: pg.Pool, ids: string[]): Promise<Unfinished[]> {
  const executions = await pool.query<ExecutionRow>(
    `select e.id::text, e.job_id::text, e.job_version, e.job_name, e.run, e.from_position, e.parameters, e.triggered_by, e.trigger_source,
            e.started_by, e.started_at, e.run_started_at, e.parent_id::text, e.depth, l.deadline, l.position, l.attempts, l.step_started, l.parked
     from execution e join live_execution l on l.execution_id = e.id
     where e.id = any($1::uuid[]) and e.status = 'RUNNING' and l.due_at is null and not l.waiting`,
    [ids],
  );
  const byId = new Map(executions.rows.map((row) => [row.id, present(row)]));
  for (const [id, results] of await findInForce(pool, executions.rows)) byId.get(id)!.results = results;
  return [...byId.values()];
}

/** The results that count for the present run of each execution, by position. */
export async function findInForce(
  db: pg.Pool | pg.ClientBase,
  executions: readonly { id: string; run: number; from_position: number }[],
): Promise<Map<string, Map<number, StepResult>>> {
  const ids = executions.map(({ id }) => id);
  const restarted = executions.filter(({ run }) => run > 1).map(({ id }) => id);
  const results = await db.query<ResultRow>(
    `select execution_id::text, run, position, status, attempts, started_at, ended_at, output::text, error
     from step_execution where execution_id = any($1::uuid[])`,
    [ids],
  );
  const runs =
    restarted.length === 0
      ? []
      : (
          await db.query<{ execution_id: string; run: number; from_position: number }>(
            "select execution_id::text, run, from_position from execution_run where execution_id = any($1::uuid[])",
            [restarted],
          )
        ).rows;
  const rowsOf = Map.groupBy(results.rows, (row) => row.execution_id);
  const runsOf = Map.groupBy(runs, (row) => row.execution_id);
  return new Map(
    executions.map(({ id, run, from_position }) => {
      const points = new Map((runsOf.get(id) ?? []).map((row) => [row.run, row.from_position]));
      const rows = inForce(rowsOf.get(id) ?? [], run, points.set(run, from_position));
      return [id, new Map(rows.map((row) => [row.position, presentResult(row)]))];
    }),
  );
}

interface ExecutionRow {
  id: string;
  job_id: string;
  job_version: number;
  job_name: string;
  run: number;
  from_position: number;
  parameters: Record<string, unknown>;
  triggered_by: string;
  trigger_source: string | null;
  started_by: string;
  started_at: Date;
  run_started_at: Date | null;
  deadline: Date | null;
  position: number | null;
  attempts: number;
  step_started: Date | null;
  parked: Omit<Parked, "position" | "attempts" | "startedAt"> | null;
  parent_id: string | null;
  depth: number;
}

interface ResultRow {
  execution_id: string;
  run: number;
  position: number;
  status: StepResult["status"];
  attempts: number;
  started_at: Date;
  ended_at: Date;
  output: string | null;
  error: ExecutionError | null;
}

function present(row: ExecutionRow): Unfinished {
  const waits = row.parked !== null && row.position !== null;
  return {
    id: row.id,
    jobId: row.job_id,
    jobVersion: row.job_version,
    jobName: row.job_name,
    run: row.run,
    parameters: row.parameters,
    triggeredBy: row.triggered_by,
    triggerSource: row.trigger_source,
    startedBy: row.started_by,
    startedAt: row.started_at.getTime(),
    runStartedAt: (row.run_started_at ?? row.started_at).getTime(),
    parentId: row.parent_id ?? undefined,
    depth: row.depth,
    deadline: row.deadline?.getTime(),
    results: new Map(),
    parked: waits
      ? {
          position: row.position!,
          attempts: row.attempts,
          startedAt: row.step_started?.getTime() ?? row.started_at.getTime(),
          ...row.parked!,
        }
      : undefined,
  };
}

function presentResult(row: ResultRow): StepResult {
  return {
    status: row.status,
    outputJson: row.output ?? undefined,
    output: row.output === null ? null : JSON.parse(row.output),
    error: row.error ?? undefined,
    attempts: row.attempts,
    startedAt: row.started_at.getTime(),
    endedAt: row.ended_at.getTime(),
  };
}

/** How many executions of each job are under way, and how many wait for a place; the version of the latest. */
export async function countPlaces(
  pool: pg.Pool,
): Promise<{ jobId: string; version: number; under: number; waiting: number }[]> {
  const { rows } = await pool.query(
    `select l.job_id::text as "jobId", max(e.job_version) as version,
            count(*) filter (where not l.waiting)::int as under, count(*) filter (where l.waiting)::int as waiting
     from live_execution l join execution e on e.id = l.execution_id group by l.job_id`,
  );
  return rows;
}

/** Gives places of a job to those that wait for one, highest priority first, then the oldest. */
export async function claimPlaces(
  pool: pg.Pool,
  owner: string,
  jobId: string,
  places: number,
): Promise<string[]> {
  const { rows } = await pool
    .query<{ id: string }>(
      `update live_execution set waiting = false
     where execution_id in (
       select execution_id from live_execution where job_id = $1 and waiting order by priority desc, execution_id limit $2 for update)
       and ${whileOwner("$3")}
     returning execution_id::text as id`,
      [jobId, places, owner],
    )
    .catch(orFenced);
  return rows.map((row) => row.id).sort();
}
