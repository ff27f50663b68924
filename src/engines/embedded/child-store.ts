import type pg from "pg";
import type { ExecutionError, ExecutionStatus } from "../../contract/execution.ts";
import type { Ending } from "../../engine/engine.ts";
import { findInForce } from "./store.ts";
import { orFenced, whileOwner } from "./while-owner.ts";

export interface Child {
  status: ExecutionStatus;
  /** Once it has ended. */
  ending: Ending | undefined;
}

interface ChildRow {
  id: string;
  run: number;
  from_position: number;
  status: ExecutionStatus;
  ended_at: Date | null;
  error: ExecutionError | null;
}

export async function findChild(pool: pg.Pool, id: string): Promise<Child | undefined> {
  const { rows } = await pool.query<ChildRow>(
    "select id::text, run, from_position, status, ended_at, error from execution where id = $1",
    [id],
  );
  const row = rows[0];
  if (!row) return undefined;
  if (!row.ended_at) return { status: row.status, ending: undefined };
  const results = [...(await findInForce(pool, [row])).get(id)!].sort(([a], [b]) => a - b);
  const last = results.findLast(([, result]) => result.status === "COMPLETED");
  const status = row.status as Ending["status"];
  return {
    status,
    ending: {
      status,
      endedAt: row.ended_at.getTime(),
      error: row.error ?? undefined,
      output: status === "COMPLETED" ? (last?.[1].output ?? null) : null,
    },
  };
}

/** Ids of the executions that steps of this one started and that are not over. */
export async function findChildren(pool: pg.Pool, id: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    "select id::text from execution where parent_id = $1 and ended_at is null",
    [id],
  );
  return rows.map((row) => row.id);
}

/** The execution whose step started this one, if one did. */
export async function findParent(pool: pg.Pool, id: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ parent_id: string | null }>(
    "select parent_id::text from execution where id = $1",
    [id],
  );
  return rows[0]?.parent_id ?? undefined;
}

/** Makes an execution that waits for a job runnable, whatever deadline its row waits for. */
export async function wakeParents(pool: pg.Pool, owner: string, id?: string): Promise<void> {
  await pool
    .query(
      `update live_execution set due_at = null
     where parked ->> 'kind' = 'child' and due_at is not null and ($1::uuid is null or execution_id = $1) and ${whileOwner("$2")}`,
      [id ?? null, owner],
    )
    .catch(orFenced);
}
