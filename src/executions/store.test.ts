import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "../../test/helpers/database.ts";
import { ensurePartitions } from "../db/partitions.ts";
import { createPool } from "../db/pool.ts";
import { newId } from "../lib/ids.ts";
import { executionStore } from "./store.ts";

test("reads the latest executions of a job without looking at its others", async (t) => {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, max: 1 });
  t.after(async () => {
    await pool.end();
    await database.drop();
  });
  await ensurePartitions(pool, new Date());
  const jobId = newId();
  const ids = Array.from({ length: 3000 }, () => newId());
  await pool.query(
    `insert into execution (id, job_id, job_version, job_name, workflow_id, status, triggered_by, started_by, parameters, started_at, ended_at)
     select id, $1, 1, 'j', id, 'COMPLETED', 'api', 'p', '{}', now(), now() from unnest($2::uuid[]) id`,
    [jobId, ids],
  );
  await pool.query("analyze execution");
  /** Rows that the statements of `work` fetched; statistics are those of the pool's one connection. */
  async function fetchedBy(work: () => Promise<unknown>): Promise<number> {
    const before = await fetched();
    await work();
    return (await fetched()) - before;
  }
  async function fetched(): Promise<number> {
    await pool.query("select pg_stat_force_next_flush()");
    const { rows } = await pool.query<{ n: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_user_tables where relname ~ '^execution_[0-9d]'`,
    );
    return rows[0]!.n;
  }
  const store = executionStore(pool);

  let last: { execution: { id: string } } | undefined;
  assert.ok((await fetchedBy(async () => (last = await store.findLast(jobId)))) < 10);
  assert.equal(last?.execution.id, ids.at(-1));

  for (const sortDirection of ["asc", "desc"] as const) {
    for (const sortField of ["startTime", "id"] as const) {
      const query = { sortField, sortDirection, page: 1, size: 5 };
      let found: { id: string }[] = [];
      assert.ok((await fetchedBy(async () => (found = await store.findHistory(jobId, query)))) < 30);
      const ordered = sortDirection === "asc" ? ids : ids.toReversed();
      assert.deepEqual(
        found.map(({ id }) => id),
        ordered.slice(5, 10),
      );
    }
  }
});
