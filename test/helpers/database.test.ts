import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { readMigrations } from "../../src/db/migration-files.ts";
import { createTestDatabase } from "./database.ts";

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows;
}

test("gives each caller a database of its own with the newest schema", async () => {
  const databases = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);
  const newest = (await readMigrations(fileURLToPath(new URL("../../migrations", import.meta.url)))).at(-1)!;
  for (const { url } of databases) {
    const [row] = await ask(url, "select max(version) as version from schema_migration");
    assert.equal(row!.version, newest.version);
    await ask(url, "create table mine (one int)");
  }
  for (const database of databases) await database.drop();
});

test("gives an empty database on request", async () => {
  await using database = await createTestDatabase({ empty: true });
  assert.deepEqual(await ask(database.url, "select from pg_tables where schemaname = 'public'"), []);
});

test("drops a database that someone still uses", async () => {
  const database = await createTestDatabase({ empty: true });
  const client = new pg.Client({ connectionString: database.url });
  const cut = new Promise((resolve) => client.on("error", resolve));
  await client.connect();
  await database.drop();
  await cut;
  await assert.rejects(ask(database.url, "select 1"), { code: "3D000" });
});
