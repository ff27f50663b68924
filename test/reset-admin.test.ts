import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { createClient } from "../src/client/client.ts";
import { createTestDatabase } from "./helpers/database.ts";
import { runPawl } from "./helpers/pawl-command.ts";
import { pawlHome } from "./helpers/pawl-process.ts";
import { scratchRoot } from "./helpers/scratch.ts";

const reset = (env: Record<string, string>, ...more: string[]) =>
  runPawl(["token", "reset-admin", ...more], { env });

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(scratchRoot(), "pawl-reset-"));
  chmodSync(path, 0o711);
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

test("makes a new admin token on the data directory, once no Pawl runs there", async (t) => {
  const home = pawlHome();
  t.after(() => home[Symbol.asyncDispose]());
  const env = { PAWL_DATA_DIR: home.dataDir };
  const first = await home.start();

  const busy = await reset(env);
  assert.equal(busy.code, 1);
  assert.match(
    busy.stderr,
    /Another Pawl \(process \d+\) is running on the data directory .* Stop that one first/,
  );
  await first.client.whoAmI();
  await first.terminate();

  await rm(join(home.dataDir, "admin-token"));
  const done = await reset(env);
  assert.equal(done.code, 0, done.stderr);
  assert.doesNotMatch(
    done.stdout + done.stderr,
    /pawl_\w{20}/,
    "the token is in the file, and not on a screen",
  );
  const { mode } = await stat(join(home.dataDir, "admin-token"));
  assert.equal(mode & 0o777, 0o600);

  const second = await home.start();
  assert.notEqual(second.token, first.token);
  const { data: me } = await second.client.whoAmI();
  assert.deepEqual([me.name, me.authorities], ["admin", ["*:*:*"]]);
  await createClient({ url: second.url, token: first.token }).whoAmI();
});

test("makes one in the database that DATABASE_URL names, while a Pawl runs on it", async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const home = pawlHome({ databaseUrl: database.url });
  t.after(() => home[Symbol.asyncDispose]());
  const pawl = await home.start();
  const dataDir = await folder(t);
  const done = await reset({ PAWL_DATA_DIR: dataDir, DATABASE_URL: database.url }, "--json");
  assert.equal(done.code, 0, done.stderr);
  const file = join(dataDir, "admin-token");
  const answer = JSON.parse(done.stdout);
  const token = (await readFile(file, "utf8")).trim();
  assert.deepEqual(answer, { principal: "admin", prefix: token.slice(0, 13), file });
  const { data: me } = await createClient({ url: pawl.url, token }).whoAmI();
  assert.equal(me.name, "admin");
});

test("makes nothing where there is no Pawl yet", async (t) => {
  const dataDir = await folder(t);
  const empty = await reset({ PAWL_DATA_DIR: dataDir });
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /There is no database in .*PAWL_DATA_DIR/);
  assert.deepEqual(await readdir(dataDir), []);

  const database = await createTestDatabase({ empty: true });
  t.after(() => database.drop());
  const bare = await reset({ PAWL_DATA_DIR: dataDir, DATABASE_URL: database.url });
  assert.equal(bare.code, 2);
  assert.match(bare.stderr, /No Pawl has used the database yet/);
  assert.deepEqual(await readdir(dataDir), []);
});

test("stores no token that it could not keep", async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const dataDir = join(await folder(t), "file");
  await writeFile(dataDir, "");
  const failed = await reset({ PAWL_DATA_DIR: dataDir, DATABASE_URL: database.url });
  assert.equal(failed.code, 1);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query("select from api_token").finally(() => client.end());
  assert.deepEqual(rows, []);
});

test("leaves the files of another account's Pawl alone", {
  skip: process.getuid?.() === 0 ? false : "needs root",
}, async (t) => {
  const dataDir = await folder(t);
  await writeFile(join(dataDir, "postgres.json"), "{}");
  await writeFile(join(dataDir, "pawl.lock"), "");
  await chown(join(dataDir, "pawl.lock"), 1234, 1234);
  const refused = await reset({ PAWL_DATA_DIR: dataDir });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /account with the number 1234: run this command as that account/);
  assert.deepEqual((await readdir(dataDir)).sort(), ["pawl.lock", "postgres.json"]);
});
