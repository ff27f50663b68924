import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { openJournal } from "../../src/engine/journal/journal.ts";
import { takeOwnership } from "../../src/engines/embedded/ownership.ts";
import { newId } from "../../src/lib/ids.ts";
import { createTestDatabase } from "../helpers/database.ts";
import { engineFixture } from "../helpers/engine-fixture.ts";
import { type CrashTest, openCrashTest } from "./helpers/crash-test.ts";
import { type DatabaseProxy, openDatabaseProxy } from "./helpers/database-proxy.ts";
import { until } from "./helpers/records.ts";

interface Scene extends CrashTest {
  proxy: DatabaseProxy;
  /** Locks rows, for as long as it takes until this is called. */
  lock(sql: string): Promise<() => Promise<void>>;
  /** How many statements of Pawl that contain this wait for a lock. */
  blocked(statement: string): Promise<number>;
}

/** Statements whose connection is lost while they wait for a lock, and that are committed when it is free. */
async function scene(work: (scene: Scene) => Promise<void>): Promise<void> {
  await using database = await createTestDatabase();
  await using proxy = await openDatabaseProxy(database.url);
  await using crash = await openCrashTest({ databaseUrl: database.url, pawlDatabaseUrl: proxy.url });
  // The setting by which a server notices that a waiting client has gone is off by default.
  const name = new URL(database.url).pathname.slice(1);
  await crash.pool.query(`alter database ${name} set client_connection_check_interval = 0`);
  const locker = new pg.Client({ connectionString: database.url });
  locker.on("error", () => {});
  await locker.connect();
  try {
    await work({
      ...crash,
      proxy,
      async lock(sql) {
        await locker.query(`begin; ${sql} for update`);
        return async () => void (await locker.query("commit"));
      },
      async blocked(statement) {
        const { rows } = await crash.pool.query<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
          [statement],
        );
        return rows[0]!.count;
      },
    });
  } finally {
    await locker.end();
  }
}

test("finds a batch committed whose first connection was slower than its second", () =>
  scene(async ({ home, load, records, proxy, lock, blocked }) => {
    const pawl = await home.start();
    await load.setUp(pawl);
    const unlock = await lock("select from journal_lane");
    const running = load.run(pawl, { count: 12, inFlight: 12 });
    const commits = () => blocked("update journal_lane set batch");
    await until("both lanes to wait", async () => (await commits()) === 2);
    proxy.cut();
    proxy.resume();
    await until("both to try again", async () => (await commits()) === 4);
    await unlock();
    await pawl.whileUp(running);
    await load.repeatUnanswered(pawl);
    await pawl.whileUp(records.assertExact(pawl));
    assert.equal((await pawl.terminate()).code, 0);
  }));

test("wakes what it had claimed when the answer to the claim is lost", () =>
  scene(async ({ home, proxy, pool, lock, blocked }) => {
    const pawl = await home.start();
    const { data: job } = await pawl.client.createJob({
      body: { name: "naps", steps: [{ key: "nap", type: "wait", input: { durationMs: 500 } }] },
    });
    const { data: started } = await pawl.client.startJob({ body: { jobId: job.id } });
    await until("it to be parked", async () => {
      const { rowCount } = await pool.query("select from live_execution where due_at is not null");
      return rowCount === 1;
    });
    const unlock = await lock("select from live_execution");
    const claims = () => blocked("set due_at = null");
    await until("a claim to wait", async () => (await claims()) > 0);
    proxy.cut();
    await unlock();
    await until("it to be claimed", async () => {
      const { rowCount } = await pool.query("select from live_execution where due_at is null");
      return rowCount === 1;
    });
    proxy.resume();
    await until("it to end", async () => {
      const { rowCount } = await pool.query("select from execution where id = $1 and status = 'COMPLETED'", [
        started.executionId,
      ]);
      return rowCount === 1;
    });
    assert.equal((await pawl.terminate()).code, 0);
  }));

test("tells a start that was refused from the earlier one that has its id, when the answer is lost", async () => {
  const on = await engineFixture();
  await using proxy = await openDatabaseProxy(on.url);
  const name = new URL(on.url).pathname.slice(1);
  await on.pool.query(`alter database ${name} set client_connection_check_interval = 0`);
  const ownership = await takeOwnership(on.url, () => {});
  const journal = openJournal({
    url: proxy.url,
    owner: ownership!.owner,
    batches: ownership!.batches,
    maxWaiting: 10,
    onTrouble() {},
    onLateStart() {},
  });
  const execution = on.executionOf(await on.jobOf({ run: async () => ({ output: 1 }) }));
  const start = (workflowId: string) =>
    journal.append({
      kind: "start",
      execution: { ...execution, workflowId },
      parametersJson: "{}",
      deadline: undefined,
      waiting: false,
    });
  assert.equal(await start(newId()), true);

  const locker = await on.pool.connect();
  await locker.query("begin; select from journal_lane for update");
  const again = start(newId());
  const blocked = async (count: number) => {
    const { rows } = await on.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length === count;
  };
  await until("the start to wait", () => blocked(1));
  proxy.cut();
  proxy.resume();
  await until("it to be tried again", () => blocked(2));
  await locker.query("commit");
  locker.release();
  assert.equal(await again, false);
  await journal.close(1_000);
  await ownership!.release();
  await on.dispose();
});
