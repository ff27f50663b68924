import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type pg from "pg";
import { createTestDatabase, type TestDatabase } from "../../test/helpers/database.ts";
import { migrate } from "./migrate.ts";
import { checksumOf, readMigrations } from "./migration-files.ts";
import { createPool } from "./pool.ts";

let database: TestDatabase;
let pool: pg.Pool;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  pool = createPool({ url: database.url });
  folder = await mkdtemp(join(tmpdir(), "pawl-migrations-"));
});

afterEach(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

const file = (name: string, sql: string) => writeFile(join(folder, name), sql);
const versions = async () => (await migrate(pool, { folder })).map((migration) => migration.version);

test("applies the files in order, once, and records them", async () => {
  await file("000002_second.sql", "alter table thing add column two int; create index on thing (two);");
  await file("000001_first.sql", "create table thing (one int);");
  assert.deepEqual(await versions(), [1, 2]);
  assert.deepEqual(await versions(), []);
  await file("000003_third.sql", "insert into thing values (1, 2);");
  assert.deepEqual(await versions(), [3]);
  const { rows } = await pool.query(
    "select version, name, length(checksum) as digits from schema_migration order by 1",
  );
  assert.deepEqual(rows, [
    { version: 1, name: "first", digits: 64 },
    { version: 2, name: "second", digits: 64 },
    { version: 3, name: "third", digits: 64 },
  ]);
});

test("lets starters that come at the same time take turns", async () => {
  await file("000001_first.sql", "create table thing (one int); select pg_sleep(0.05);");
  await file("000002_second.sql", "insert into thing values (1);");
  const pools = Array.from({ length: 4 }, () => createPool({ url: database.url }));
  const applied = await Promise.all(pools.map((each) => migrate(each, { folder })));
  await Promise.all(pools.map((each) => each.end()));
  assert.deepEqual(
    applied
      .flat()
      .map((migration) => migration.version)
      .sort(),
    [1, 2],
  );
  assert.equal((await pool.query("select count(*) as n from thing")).rows[0].n, 1);
});

test("refuses a schema newer than it knows", async () => {
  await file("000001_first.sql", "select 1;");
  await file("000002_second.sql", "select 1;");
  await versions();
  await rm(join(folder, "000002_second.sql"));
  await assert.rejects(versions(), {
    code: "SCHEMA_NEWER",
    message: /schema version 2, and this Pawl knows 1 at most.*start that version again, or restore a backup/,
  });
});

test("refuses an applied migration that was edited, but not one with other line ends", async () => {
  await file("000001_first.sql", "select 1;\nselect 2;\n");
  await versions();
  await file("000001_first.sql", "select 1;\r\nselect 2;\r\n");
  assert.deepEqual(await versions(), []);
  await file("000001_first.sql", "select 3;\n");
  await assert.rejects(versions(), { code: "MIGRATION_EDITED", message: /000001_first\.sql was changed/ });
});

test("refuses when the file of an applied migration is gone", async () => {
  await file("000001_first.sql", "select 1;");
  await file("000002_second.sql", "select 1;");
  await versions();
  await rm(join(folder, "000001_first.sql"));
  await assert.rejects(versions(), { code: "MIGRATION_EDITED", message: /file is gone/ });
});

test("refuses a new migration below one that is applied", async () => {
  await file("000002_second.sql", "select 1;");
  await versions();
  await file("000001_late.sql", "select 1;");
  await assert.rejects(versions(), { code: "MIGRATION_OUT_OF_ORDER", message: /Give it a number above 2/ });
});

test("keeps nothing of a migration that fails, and tells the file and line", async () => {
  await file("000001_first.sql", "create table kept (one int);");
  await file("000002_broken.sql", "create table half (one int);\nselect 1;\nselect * from nothing_here;\n");
  await assert.rejects(versions(), {
    code: "MIGRATION_FAILED",
    message: /000002_broken\.sql:3 failed and was rolled back: relation "nothing_here" does not exist/,
  });
  const { rows } = await pool.query(
    "select to_regclass('kept') is not null as kept, to_regclass('half') is not null as half",
  );
  assert.deepEqual(rows[0], { kept: true, half: false });
  await file("000002_broken.sql", "create table half (one int);");
  assert.deepEqual(await versions(), [2]);
});

test("refuses a file that would end the transaction it is in", async () => {
  await file("000001_first.sql", "create table a (one int);\ncommit;\ncreate table b (one int);");
  await assert.rejects(versions(), { code: "MIGRATION_FILES", message: /ends a transaction/ });
  const block = "do $$ begin perform 1; end $$;";
  await file("000001_first.sql", block);
  assert.deepEqual(await versions(), [1]);
});

test("refuses names that say no order and numbers given twice", async () => {
  await file("000001_first.sql", "select 1;");
  await file("000001_twice.sql", "select 1;");
  await assert.rejects(versions(), { code: "MIGRATION_FILES", message: /have the same number/ });
  await rm(join(folder, "000001_twice.sql"));
  await file("2-second.sql", "select 1;");
  await assert.rejects(versions(), { code: "MIGRATION_FILES", message: /2-second\.sql/ });
});

test("runs longer than the pool lets a statement run", async () => {
  await file("000001_slow.sql", "select pg_sleep(0.2);");
  const hasty = createPool({ url: database.url, statementTimeoutMs: 50 });
  await migrate(hasty, { folder });
  await assert.rejects(hasty.query("select pg_sleep(1)"), { code: "57014" });
  await hasty.end();
});

test("gives the same checksum to the same migrations only", async () => {
  await file("000001_first.sql", "select 1;");
  const before = checksumOf(await readMigrations(folder));
  assert.equal(checksumOf(await readMigrations(folder)), before);
  await file("000001_first.sql", "select 2;");
  assert.notEqual(checksumOf(await readMigrations(folder)), before);
});
