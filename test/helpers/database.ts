import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { migrate } from "../../src/db/migrate.ts";
import { checksumOf, readMigrations } from "../../src/db/migration-files.ts";
import { createPool } from "../../src/db/pool.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

export type TestDatabase = {
  url: string;
  /** Removes the database; connections that are still open are cut. */
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));
// Test files are processes: whichever comes first makes the template, the others wait.
const TEMPLATE_LOCK = 0x74657374;

let ownServer: Promise<TestServer> | undefined;

// Hooks run in the order they came and belong to the test that makes them. Bound to the root, and made only when the
// server is up, this one comes after the hooks of the test file, which may still need the server.
const atTheVeryEnd = AsyncResource.bind((work: () => Promise<void>) => after(work));

/** A database of its own for the caller, with the schema of `migrations/` (or empty), on the server of the run. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await withClient(server, async (client) => {
    const template = empty ? "template1" : await ensureTemplate(client, server);
    await client.query(`create database ${name} template ${template}`);
  });
  const drop = () =>
    withClient(server, async (client) => {
      await client.query(`drop database if exists ${name} with (force)`);
    });
  return { url: urlOf(server, name), drop, [Symbol.asyncDispose]: drop };
}

/** The server of the run when there is one; a test file that runs alone starts its own. */
async function serverUrl(): Promise<string> {
  if (process.env.TEST_DATABASE_SERVER !== undefined) return process.env.TEST_DATABASE_SERVER;
  ownServer ??= startTestServer().then((server) => {
    atTheVeryEnd(() => server.stop());
    return server;
  });
  return (await ownServer).url;
}

async function ensureTemplate(client: pg.Client, server: string): Promise<string> {
  const template = `template_${checksumOf(await readMigrations(MIGRATIONS)).slice(0, 16)}`;
  if (await exists(client, template)) return template;
  await client.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
  if (await exists(client, template)) return template;
  const unfinished = `${template}_unfinished`;
  await client.query(`drop database if exists ${unfinished} with (force)`);
  await client.query(`create database ${unfinished}`);
  const pool = createPool({ url: urlOf(server, unfinished), max: 1 });
  try {
    await migrate(pool, { folder: MIGRATIONS });
  } finally {
    await pool.end();
  }
  await rename(client, unfinished, template);
  return template;
}

/** `pool.end()` resolves before the server has seen the last of the connection; only then can the name change. */
async function rename(client: pg.Client, from: string, to: string): Promise<void> {
  await client.query(
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
    [from],
  );
  await client.query(`alter database ${from} rename to ${to}`);
}

async function exists(client: pg.Client, database: string): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_database where datname = $1", [database]);
  return rowCount !== 0;
}

/** Its session ends with the call, and the locks that it took with it. */
async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
