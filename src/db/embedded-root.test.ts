import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import pg from "pg";
import { spawnEmbedded } from "../../test/helpers/embedded-process.ts";
import { scratchRoot } from "../../test/helpers/scratch.ts";
import { chooseAccount } from "./embedded/account.ts";
import { readPidFile } from "./embedded/pid-file.ts";
import { OUTSIDE } from "./embedded/place.ts";
import { readState } from "./embedded/state.ts";
import { startEmbedded } from "./embedded.ts";
import { removeEmbedded } from "./remove-embedded.ts";

// Who PostgreSQL runs as and what that account can reach is a question only when Pawl runs as root.
const skip = process.getuid?.() === 0 ? false : "needs root";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(scratchRoot(), "pawl-root-"));
});

afterEach(async () => {
  for (const name of ["data", "copy", "moved"]) await removeEmbedded(join(home, name));
  await rm(home, { recursive: true });
});

test("keeps the data in a private directory of root's, opened for the account to pass", {
  skip,
}, async () => {
  const dataDir = join(home, "data");
  await mkdir(dataDir, { mode: 0o700 });
  await chmod(home, 0o755);
  const server = await startEmbedded({ dataDir, disposable: true });
  await server.stop();
  const account = (await chooseAccount(null))!;
  const { uid, gid, mode } = await stat(dataDir);
  assert.equal(server.pgdata, join(await realpath(dataDir), "postgres"));
  assert.deepEqual([uid, gid, mode & 0o777], [0, account.gid, 0o710]);
  assert.equal((await stat(server.pgdata)).uid, account.uid);
});

test("keeps the data outside when the account cannot reach the directory, and finds them there", {
  skip,
}, async () => {
  const dataDir = join(home, "data");
  const first = await startEmbedded({ dataDir, disposable: true });
  assert.equal(dirname(dirname(first.pgdata)), OUTSIDE);
  assert.equal((await stat(first.pgdata)).mode & 0o777, 0o700);
  await query(first.url, "create table kept (one int)");
  await first.stop();
  const second = await startEmbedded({ dataDir, disposable: true });
  assert.equal(second.pgdata, first.pgdata);
  await query(second.url, "select * from kept");
  await second.stop();
  await removeEmbedded(dataDir);
  await assert.rejects(stat(dirname(first.pgdata)), { code: "ENOENT" });
});

test("adopts an orphan whose data are outside", { skip }, async () => {
  const dataDir = join(home, "data");
  const pawl = await spawnEmbedded({ dataDir, disposable: true });
  await pawl.kill();
  const server = await startEmbedded({ dataDir, disposable: true });
  assert.equal(server.adopted, true);
  await server.stop();
});

test("moves data outside that the account could once reach", { skip }, async () => {
  await inFolder(dirname(OUTSIDE), async (folder) => {
    const dataDir = join(folder, "data");
    await chmod(folder, 0o755);
    // With durability: the running server loses its files too when the folder closes, and cannot end in order.
    const pawl = await spawnEmbedded({ dataDir, disposable: false });
    await query(pawl.url, "create table kept (one int)");
    await pawl.kill();
    await chmod(folder, 0o700);
    const server = await startEmbedded({ dataDir });
    const found = query(server.url, "select * from kept");
    await found.finally(() => server.stop());
    assert.equal(dirname(dirname(server.pgdata)), OUTSIDE);
  });
});

test("says what to do when such data cannot be moved", {
  skip: skip || scratchRoot() !== "/dev/shm",
}, async () => {
  const dataDir = join(home, "data");
  await chmod(home, 0o755);
  const first = await startEmbedded({ dataDir, disposable: true });
  await first.stop();
  await chmod(home, 0o700);
  await assert.rejects(startEmbedded({ dataDir, disposable: true }), {
    code: "DATA_DIRECTORY_UNUSABLE",
    message: /cannot be moved to .*chmod o\+x/,
  });
  await chmod(home, 0o711);
  const second = await startEmbedded({ dataDir, disposable: true });
  assert.equal(second.pgdata, first.pgdata);
  await second.stop();
});

test("follows a data directory that was moved, and refuses a copy of one", { skip }, async () => {
  const dataDir = join(home, "data");
  const first = await startEmbedded({ dataDir, disposable: true });
  await first.stop();
  await cp(dataDir, join(home, "copy"), { recursive: true });
  await assert.rejects(startEmbedded({ dataDir: join(home, "copy") }), {
    code: "DATA_DIRECTORY_UNUSABLE",
    message: /is a copy of .*\/data, and both point at the database in/,
  });
  await rm(join(home, "copy"), { recursive: true });
  await rename(dataDir, join(home, "moved"));
  const second = await startEmbedded({ dataDir: join(home, "moved"), disposable: true });
  assert.equal(second.pgdata, first.pgdata);
  await second.stop();
});

test("says where the data of an earlier data directory are, and does not take them up", {
  skip,
}, async () => {
  const dataDir = join(home, "data");
  const first = await startEmbedded({ dataDir, disposable: true });
  await first.stop();
  const left = dirname(first.pgdata);
  await rm(dataDir, { recursive: true });
  const warnings: object[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) };
  const second = await startEmbedded({ dataDir, disposable: true, log });
  await second.stop();
  assert.notEqual(second.pgdata, first.pgdata);
  assert.deepEqual(warnings, [{ folder: left }]);
  await rm(left, { recursive: true });
});

test("runs the server as an account without rights", { skip }, async () => {
  const dataDir = join(home, "data");
  await chmod(home, 0o755);
  const server = await startEmbedded({ dataDir, disposable: true });
  const { pid } = (await readPidFile(server.pgdata))!;
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const { uid, gid } = (await chooseAccount(null))!;
  assert.notEqual(uid, 0);
  assert.match(status, new RegExp(`^Uid:(\\s+${uid}){4}$`, "m"));
  assert.match(status, new RegExp(`^Gid:(\\s+${gid}){4}$`, "m"));
  assert.match(status, /^Groups:\s*$/m);
  await server.stop();
});

test("leaves data to the account that owns them", { skip }, async () => {
  const dataDir = join(home, "data");
  await chmod(home, 0o755);
  const first = await startEmbedded({ dataDir, disposable: true });
  await first.stop();
  execFileSync("chown", ["-R", "daemon:daemon", first.pgdata]);
  await chmod(dataDir, 0o711);
  const second = await startEmbedded({ dataDir, disposable: true });
  await query(second.url, "select 1");
  await second.stop();
});

/** An ordinary user can't run what is below a folder that only root may enter, a checkout in /root for one. */
function outOfReach(): string | false {
  const probe = spawnSync(process.execPath, ["--version"], { uid: 65534, gid: 65534 });
  return probe.error === undefined ? false : "an ordinary user can't reach this checkout";
}

test("runs as an ordinary user in a directory of that user's", { skip: skip || outOfReach() }, async () => {
  const dataDir = join(home, "data");
  const user = { uid: 65534, gid: 65534 };
  await chmod(home, 0o755);
  await mkdir(dataDir, { mode: 0o700 });
  await chown(dataDir, user.uid, user.gid);
  const pawl = await spawnEmbedded({ dataDir, disposable: true }, user);
  await query(pawl.url, "select 1");
  assert.equal((await stat(join(dataDir, "postgres"))).uid, user.uid);
  assert.equal((await readState(dataDir)).place, undefined);
  pawl.child.stdin!.end();
  await once(pawl.child, "exit");
});

async function inFolder(parent: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(parent, "pawl-test-"));
  try {
    await work(folder);
  } finally {
    await removeEmbedded(join(folder, "data"));
    await rm(folder, { recursive: true });
  }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
