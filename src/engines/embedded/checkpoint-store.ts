import type pg from "pg";
import { orFenced, whileOwner } from "./while-owner.ts";

/** One attempt group of a step: what its idempotency key names. */
export interface StepRun {
  executionId: string;
  stepId: string;
  run: number;
}

export async function loadCheckpoints(
  pool: pg.Pool,
  { executionId, stepId, run }: StepRun,
): Promise<{ key: string; value: string }[]> {
  const { rows } = await pool.query<{ key: string; value: string }>(
    "select key, value from step_checkpoint where execution_id = $1 and step_id = $2 and run = $3",
    [executionId, stepId, run],
  );
  return rows;
}

/** Keeps the first value of a key. */
export async function saveCheckpoint(
  pool: pg.Pool,
  owner: string,
  { executionId, stepId, run }: StepRun,
  key: string,
  value: string,
): Promise<void> {
  await pool
    .query(
      `insert into step_checkpoint (execution_id, step_id, run, key, value)
       select $1, $2, $3, $4, $5 where ${whileOwner("$6")} on conflict do nothing`,
      [executionId, stepId, run, key, value, owner],
    )
    .catch(orFenced);
}

export async function deleteCheckpoints(pool: pg.Pool, { executionId, stepId, run }: StepRun): Promise<void> {
  await pool.query("delete from step_checkpoint where execution_id = $1 and step_id = $2 and run = $3", [
    executionId,
    stepId,
    run,
  ]);
}

/** Removes those of steps that are over: a crash, or a stop, came between the result and their removal. */
export async function forgetCheckpoints(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from step_checkpoint c
     where not exists (select from live_execution l where l.execution_id = c.execution_id)
       or exists (select from step_execution s where s.execution_id = c.execution_id and s.step_id = c.step_id and s.run = c.run)
       or exists (select from execution e where e.id = c.execution_id and e.run > c.run)`,
  );
}
