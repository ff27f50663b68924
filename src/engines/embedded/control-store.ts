import type pg from "pg";
import type { ExecutionError, ExecutionStatus } from "../../contract/execution.ts";
import type { Decision } from "../../engine/engine.ts";
import { stepExecutionId } from "../../engine/step-execution-id.ts";
import { count, forgetExtremes } from "./counter-store.ts";

/** An execution whose row is locked for the transaction that changes it. */
export interface Locked {
  id: string;
  jobId: string;
  jobVersion: number;
  run: number;
  status: ExecutionStatus;
  workflowId: string;
  startedAt: number;
  runStartedAt: number;
  endedAt: number | undefined;
  pausedMs: number;
  fromPosition: number;
  held: "pause" | "decision" | undefined;
  heldAt: number | undefined;
  /** The step that waits, or whose start the row knows. */
  position: number | undefined;
  /** What it waits for. */
  parked: { kind: string; decision?: Decision; childId?: string } | undefined;
  stepStartedAt: number | undefined;
  attempts: number;
  /** It waits for a place of its job. */
  waiting: boolean;
}

interface LockedRow {
  job_id: string;
  job_version: number;
  run: number;
  status: ExecutionStatus;
  workflow_id: string;
  started_at: Date;
  run_started_at: Date | null;
  ended_at: Date | null;
  paused_ms: number;
  from_position: number;
  held: "pause" | "decision" | null;
  held_at: Date | null;
  position: number | null;
  step_started: Date | null;
  attempts: number | null;
  parked: { kind: string; decision?: Decision; childId?: string } | null;
  waiting: boolean | null;
}

export async function lockExecution(client: pg.ClientBase, id: string): Promise<Locked | undefined> {
  const { rows } = await client.query<LockedRow>(
    `select e.job_id::text, e.job_version, e.run, e.status, e.workflow_id::text, e.started_at, e.run_started_at, e.ended_at,
            e.paused_ms::float8, e.from_position, l.held, l.held_at, l.position, l.step_started, l.attempts, l.parked, l.waiting
     from execution e left join live_execution l on l.execution_id = e.id where e.id = $1 for update of e`,
    [id],
  );
  const row = rows[0];
  if (!row) return undefined;
  return {
    id,
    jobId: row.job_id,
    jobVersion: row.job_version,
    run: row.run,
    status: row.status,
    workflowId: row.workflow_id,
    startedAt: row.started_at.getTime(),
    runStartedAt: (row.run_started_at ?? row.started_at).getTime(),
    endedAt: row.ended_at?.getTime(),
    pausedMs: row.paused_ms,
    fromPosition: row.from_position,
    held: row.held ?? undefined,
    heldAt: row.held_at?.getTime(),
    position: row.position ?? undefined,
    stepStartedAt: row.step_started?.getTime(),
    attempts: row.attempts ?? 0,
    parked: row.parked ?? undefined,
    waiting: row.waiting ?? false,
  };
}

export type ActionName = "PAUSE" | "RESUME" | "STOP" | "RESTART" | "APPROVE" | "REJECT" | "FAIL";

export interface Action {
  id: string;
  action: ActionName;
  actor: string;
  reason: string | undefined;
  at: number;
  to: ExecutionStatus;
}

export async function recordAction(client: pg.ClientBase, locked: Locked, action: Action): Promise<void> {
  await client.query(
    `insert into execution_action (execution_id, id, run, action, actor, reason, at, from_status, to_status)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      locked.id,
      action.id,
      locked.run,
      action.action,
      action.actor,
      action.reason ?? null,
      new Date(action.at),
      locked.status,
      action.to,
    ],
  );
}

/** What a committed action led to, and the run that it was done to; undefined if it was not committed. */
export async function findAction(
  client: pg.ClientBase,
  executionId: string,
  id: string,
): Promise<{ status: ExecutionStatus; at: number; run: number } | undefined> {
  const { rows } = await client.query<{ to_status: ExecutionStatus; at: Date; run: number }>(
    "select to_status, at, run from execution_action where execution_id = $1 and id = $2",
    [executionId, id],
  );
  const row = rows[0];
  return row && { status: row.to_status, at: row.at.getTime(), run: row.run };
}

/** How a run began: the present one, or one that a restart has superseded. */
export async function findRun(
  client: pg.ClientBase,
  executionId: string,
  run: number,
): Promise<{ workflowId: string; jobId: string; jobVersion: number; fromPosition: number } | undefined> {
  const { rows } = await client.query(
    `select coalesce(r.workflow_id, e.workflow_id)::text as "workflowId", e.job_id::text as "jobId",
            coalesce(r.job_version, e.job_version) as "jobVersion", coalesce(r.from_position, e.from_position) as "fromPosition"
     from execution e left join execution_run r on r.execution_id = e.id and r.run = $2
     where e.id = $1 and (e.run = $2 or r.run is not null)`,
    [executionId, run],
  );
  return rows[0];
}

export async function hold(
  client: pg.ClientBase,
  id: string,
  given: { at: number; draining: boolean; actAt: number | undefined },
): Promise<void> {
  await client.query("update execution set status = 'PAUSED' where id = $1", [id]);
  await client.query(
    "update live_execution set held = 'pause', held_at = $2, draining = $3, act_at = $4 where execution_id = $1",
    [id, new Date(given.at), given.draining, given.actAt === undefined ? null : new Date(given.actAt)],
  );
}

/** The step that was under way when the execution was held has finished. */
/** Whether it was draining, and is held still. */
export async function drained(client: pg.ClientBase, id: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(
    "update live_execution set draining = false where execution_id = $1 and draining returning held is not null as held",
    [id],
  );
  return rows[0]?.held ?? false;
}

/** Lifts a hold. Its time counts neither towards the deadline nor towards the run's active time. */
export async function release(
  client: pg.ClientBase,
  id: string,
  heldMs: number,
): Promise<{ dueAt: number | undefined; deadline: number | undefined }> {
  await client.query("update execution set status = 'RUNNING', paused_ms = paused_ms + $2 where id = $1", [
    id,
    heldMs,
  ]);
  const { rows } = await client.query<{ due_at: Date | null; deadline: Date | null }>(
    `update live_execution set held = null, held_at = null, draining = false, act_at = null,
            deadline = deadline + make_interval(secs => $2::float8 / 1000),
            due_at = case when due_at is not null then
              least(to_timestamp((parked ->> 'until')::float8 / 1000), deadline + make_interval(secs => $2::float8 / 1000)) end
     where execution_id = $1 returning due_at, deadline`,
    [id, heldMs],
  );
  return { dueAt: rows[0]?.due_at?.getTime(), deadline: rows[0]?.deadline?.getTime() };
}

/** Ends an execution other than by a step's result; answers when: not before it began, whatever the clock says. */
export async function endExecution(
  client: pg.ClientBase,
  locked: Locked,
  end: {
    status: "COMPLETED" | "FAILED" | "STOPPED";
    at: number;
    error: ExecutionError | undefined;
  },
): Promise<number> {
  const endedAt = Math.max(end.at, locked.runStartedAt, locked.startedAt);
  await client.query(
    "update execution set status = $2, ended_at = $3, error = $4, paused_ms = $5 where id = $1",
    [
      locked.id,
      end.status,
      new Date(endedAt),
      end.error ? JSON.stringify(end.error) : null,
      locked.pausedMs + (locked.heldAt === undefined ? 0 : Math.max(0, endedAt - locked.heldAt)),
    ],
  );
  await client.query("delete from live_execution where execution_id = $1", [locked.id]);
  await count(client, locked.jobId, end.status, endedAt - locked.startedAt, 1);
  return endedAt;
}

/** The result of a step that did not come from its code: a stop ended it, or somebody decided. */
export async function recordResult(
  client: pg.ClientBase,
  locked: Locked,
  step: {
    stepId: string;
    key: string;
    position: number;
    attempts: number;
    startedAt: number;
    at: number;
    status: "COMPLETED" | "FAILED" | "STOPPED";
    output?: unknown;
    error?: ExecutionError | undefined;
  },
): Promise<void> {
  await client.query(
    `insert into step_execution (execution_id, run, position, id, step_id, step_key, status, attempts, started_at, ended_at, output, error)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      locked.id,
      locked.run,
      step.position,
      stepExecutionId(locked.id, locked.run, step.position),
      step.stepId,
      step.key,
      step.status,
      step.attempts,
      new Date(step.startedAt),
      new Date(Math.max(step.at, step.startedAt)),
      step.output === undefined ? null : JSON.stringify(step.output),
      step.error ? JSON.stringify(step.error) : null,
    ],
  );
}

/** Holds an execution until somebody decides. */
export async function holdForDecision(
  client: pg.ClientBase,
  id: string,
  given: { at: number; position: number; attempt: number; startedAt: number; decision: Decision },
): Promise<void> {
  await client.query("update execution set status = 'PAUSED' where id = $1", [id]);
  await client.query(
    `update live_execution set held = 'decision', held_at = $2, position = $3, attempts = $4, step_started = $5, parked = $6, act_at = $7,
            due_at = null where execution_id = $1`,
    [
      id,
      new Date(given.at),
      given.position,
      given.attempt,
      new Date(given.startedAt),
      JSON.stringify({ kind: "decision", decision: given.decision }),
      given.decision.deadline === undefined ? null : new Date(given.decision.deadline),
    ],
  );
}

/** What was waited for has come: the row says nothing more of a step under way. */
export async function unpark(client: pg.ClientBase, id: string): Promise<void> {
  await client.query(
    "update live_execution set position = null, attempts = 0, step_started = null, parked = null, due_at = null where execution_id = $1",
    [id],
  );
}

/** Keeps the run that is over as an attempt, and begins the next at the restart point. */
export async function beginRun(
  client: pg.ClientBase,
  locked: Locked,
  next: {
    at: number;
    /** The version that it runs from now on. */
    job: { version: number; name: string };
    /** Left out: those that it had. */
    parameters: Record<string, unknown> | undefined;
    fromPosition: number;
    workflowId: string;
    deadline: number | undefined;
  },
): Promise<void> {
  await client.query(
    `insert into execution_run (execution_id, run, workflow_id, job_version, from_position, status, started_at, ended_at, paused_ms, error,
                                parameters)
     select id, run, workflow_id, job_version, from_position, status, coalesce(run_started_at, started_at), ended_at, paused_ms, error,
            parameters
     from execution where id = $1`,
    [locked.id],
  );
  await client.query(
    `update execution set status = 'RUNNING', run = run + 1, workflow_id = $2, from_position = $3, run_started_at = $4, paused_ms = 0,
            ended_at = null, error = null, restarts = restarts + 1, job_version = $5, job_name = $6, parameters = coalesce($7, parameters)
     where id = $1`,
    [
      locked.id,
      next.workflowId,
      next.fromPosition,
      new Date(next.at),
      next.job.version,
      next.job.name,
      next.parameters === undefined ? null : JSON.stringify(next.parameters),
    ],
  );
  await client.query(
    "insert into live_execution (execution_id, step_started, position, deadline, job_id) values ($1, $2, $3, $4, $5)",
    [
      locked.id,
      new Date(next.at),
      next.fromPosition,
      next.deadline === undefined ? null : new Date(next.deadline),
      locked.jobId,
    ],
  );
  const tookMs = locked.endedAt! - locked.startedAt;
  await count(client, locked.jobId, locked.status, tookMs, -1);
  await forgetExtremes(client, locked.jobId, tookMs);
}
