import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "../helpers/database.ts";
import { openCrashTest } from "./helpers/crash-test.ts";
import { openDatabaseProxy } from "./helpers/database-proxy.ts";
import type { Load } from "./helpers/load.ts";

/** Callers were told what to do, soon. */
function assertRefusedWell({ refused }: Load, withinMs: number): void {
  for (const { error, tookMs } of refused) {
    assert.equal(error.code, "STORE_UNAVAILABLE", error.message);
    assert.equal(error.status, 503);
    assert.ok(error.retryAfter! > 0, "says when to come back");
    assert.ok(tookMs < withinMs, `answered after ${Math.round(tookMs)} ms`);
  }
}

test("goes on when the database ends its connections, again and again", async () => {
  await using crash = await openCrashTest();
  const { home, ledger, load, records } = crash;
  const pawl = await home.start();
  await load.setUp(pawl);
  const running = load.run(pawl, { count: 250 });
  for (let time = 1; time <= 8; time++) {
    await pawl.whileUp(ledger.nthCall(30));
    await crash.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'pawl%'",
    );
  }
  await running;
  assertRefusedWell(load, 5_000);
  await load.repeatUnanswered(pawl);
  await records.assertExact(pawl);
  assert.equal((await pawl.terminate()).code, 0);
});

for (const [how, what, withinMs] of [
  ["cut", "is down", 5_000],
  // Nobody says that it is away: that takes one limit for a query, and one for a connection.
  ["freeze", "is silent", 12_000],
] as const) {
  test(`answers starts with 503 while the database ${what}, and finishes all when it is back`, async () => {
    await using database = await createTestDatabase();
    await using proxy = await openDatabaseProxy(database.url);
    await using crash = await openCrashTest({ databaseUrl: database.url, pawlDatabaseUrl: proxy.url });
    const { home, ledger, load, records } = crash;
    const pawl = await home.start();
    await load.setUp(pawl);
    const release = ledger.hold();
    const underWay = ledger.nthCall(40);
    const running = load.run(pawl, { count: 40, inFlight: 40 });
    await underWay;
    proxy[how]();
    // Their results have to wait for the database.
    release();
    await load.run(pawl, { count: 10, inFlight: 10 });
    assert.ok(load.refused.length > 0);
    assertRefusedWell(load, withinMs);
    await assert.rejects(pawl.client.ready(), { status: 503 });
    proxy.resume();
    await running;
    await load.repeatUnanswered(pawl);
    await records.assertExact(pawl);
    assert.equal((await pawl.terminate()).code, 0);
  });
}

test("lets go when its ownership was taken, and makes each start once as soon as it is the owner again", async () => {
  await using crash = await openCrashTest();
  const { home, load, pool, records } = crash;
  const pawl = await home.start();
  await load.setUp(pawl);
  const { rows: before } = await pool.query("update journal_lane set owner = owner + 1 returning owner::int");
  await load.run(pawl, { count: 8 });
  assert.deepEqual(load.refused, []);
  await records.assertExact(pawl);
  const { rows: after } = await pool.query("select owner::int from journal_lane");
  assert.ok(after.every(({ owner }) => owner > before[0].owner));
  assert.equal((await pawl.terminate()).code, 0);
});
