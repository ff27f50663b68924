import type pg from "pg";
import { firstIdAt } from "../lib/ids.ts";

const partitioned = ["execution", "step_execution", "step_log", "execution_action", "execution_run"];
const monthsAhead = 2;

/**
 * Makes the monthly partitions of the tables that hold history, from last month to two ahead, and a default one for ids
 * of other times. Called at start and daily; several processes may call it at once.
 */
export async function ensurePartitions(pool: pg.Pool, now: Date): Promise<void> {
  for (const table of partitioned) {
    await createIfMissing(
      pool,
      `${table}_default`,
      `create table ${table}_default partition of ${table} default`,
    );
    for (let month = -1; month <= monthsAhead; month++) {
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, 1));
      const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month + 1, 1));
      const name = `${table}_${from.toISOString().slice(0, 7).replace("-", "_")}`;
      await createIfMissing(
        pool,
        name,
        `create table ${name} partition of ${table} for values from ('${firstIdAt(from.getTime())}') to ('${firstIdAt(to.getTime())}')`,
      );
    }
  }
}

async function createIfMissing(pool: pg.Pool, name: string, statement: string): Promise<void> {
  const { rows } = await pool.query<{ there: boolean }>("select to_regclass($1) is not null as there", [
    name,
  ]);
  if (rows[0]!.there) return;
  await pool.query(statement).catch((error: { code?: string }) => {
    // 42P07: another process made it meanwhile.
    if (error.code !== "42P07") throw error;
  });
}
