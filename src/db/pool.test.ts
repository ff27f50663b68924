import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import type pg from "pg";
import { createTestDatabase, type TestDatabase } from "../../test/helpers/database.ts";
import { isStoreUnavailable } from "./faults.ts";
import { checkServer, createKysely, createPool, requireSupportedServer } from "./pool.ts";
import { inTransaction } from "./transaction.ts";

let database: TestDatabase;
let pool: pg.Pool;

before(async () => {
  database = await createTestDatabase({ empty: true });
  pool = createPool({ url: database.url, applicationName: "pawl-pool-test", max: 3 });
  await pool.query("create table note (id bigint primary key, text text)");
});

after(async () => {
  await pool.end();
  await database.drop();
});

test("reads a bigint as a number, and one that a number cannot hold as digits", async () => {
  const { rows } = await pool.query("select 42::bigint as small, 9007199254740993::bigint as large");
  assert.equal(rows[0].small, 42);
  assert.equal(rows[0].large, "9007199254740993");
});

test("names itself to the server and limits its statements", async () => {
  const { rows } = await pool.query(
    "select current_setting('application_name') as name, current_setting('statement_timeout') as statement",
  );
  assert.deepEqual(rows[0], { name: "pawl-pool-test", statement: "30s" });
});

test("serves the query builder", async () => {
  const store = createKysely<{ note: { id: number; text: string } }>(pool);
  await store.insertInto("note").values({ id: 1, text: "one" }).execute();
  const notes = await store.selectFrom("note").select(["id", "text"]).where("id", "=", 1).execute();
  assert.deepEqual(notes, [{ id: 1, text: "one" }]);
});

test("outlives the loss of its idle connections", async () => {
  const lost: { fields: object; message: string }[] = [];
  const warn = (fields: object, message: string) => void lost.push({ fields, message });
  const log = { info() {}, warn, error() {} };
  const fragile = createPool({ url: database.url, applicationName: "fragile", max: 1, log });
  try {
    await fragile.query("select 1");
    const removed = new Promise((resolve) => fragile.once("remove", resolve));
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fragile'",
    );
    await removed;
    assert.deepEqual(
      lost.map(({ message }) => message),
      ["An idle database connection was lost."],
    );
    assert.doesNotMatch(inspect(lost[0]!.fields, { depth: 9 }), /secretKey|connectionParameters/);
    assert.equal((await fragile.query("select 1 as one")).rows[0].one, 1);
  } finally {
    await fragile.end();
  }
});

test("gives up waiting for a connection and calls the store unavailable", async () => {
  const narrow = createPool({ url: database.url, max: 1, connectionTimeoutMs: 50 });
  const held = await narrow.connect();
  try {
    await assert.rejects(narrow.query("select 1"), isStoreUnavailable);
  } finally {
    held.release();
    await narrow.end();
  }
});

test("calls the store unavailable where no server listens", async () => {
  const nowhere = createPool({ url: "postgres://pawl:x@127.0.0.1:1/pawl" });
  await assert.rejects(nowhere.query("select 1"), isStoreUnavailable);
  await nowhere.end();
});

test("accepts this server", async () => {
  assert.ok((await requireSupportedServer(pool)) >= 180_000);
});

test("refuses a server older than PostgreSQL 15 and one that is not UTF8", () => {
  assert.equal(checkServer(150_000, "UTF8"), 150_000);
  assert.throws(() => checkServer(140_011, "UTF8"), {
    code: "SERVER_TOO_OLD",
    message: /PostgreSQL 14; Pawl needs 15/,
  });
  assert.throws(() => checkServer(150_000, "SQL_ASCII"), { code: "SERVER_ENCODING" });
});

test("keeps a transaction that resolves and undoes one that throws", async () => {
  await inTransaction(pool, (client) => client.query("insert into note values (10, 'kept')"));
  await assert.rejects(
    inTransaction(pool, async (client) => {
      await client.query("insert into note values (11, 'undone')");
      throw new Error("no");
    }),
    { message: "no" },
  );
  const { rows } = await pool.query("select id from note where id >= 10");
  assert.deepEqual(rows, [{ id: 10 }]);
});

test("drops a connection that broke in a transaction, and the next caller gets a sound one", async () => {
  await assert.rejects(
    inTransaction(pool, (client) => client.query("select pg_terminate_backend(pg_backend_pid())")),
    isStoreUnavailable,
  );
  for (let turn = 0; turn < 3; turn++) await pool.query("select 1");
});
