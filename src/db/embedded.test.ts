import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import pg from "pg";
import { spawnEmbedded } from "../../test/helpers/embedded-process.ts";
import { scratchRoot } from "../../test/helpers/scratch.ts";
import { readPidFile } from "./embedded/pid-file.ts";
import { isAlive, serverProcesses, waitForEnd } from "./embedded/processes.ts";
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from "./embedded.ts";
import { removeEmbedded } from "./remove-embedded.ts";

let template: string;
let dataDir: string;
let server: EmbeddedServer | undefined;

// A first start is tested once; the other tests begin with a copy of what it makes, which is quicker.
before(async () => {
  template = await mkdtemp(join(scratchRoot(), "pawl-embedded-"));
  const first = await startEmbedded({ dataDir: template, disposable: true });
  await first.stop();
});

after(async () => {
  await removeEmbedded(template);
  await rm(template, { recursive: true });
});

beforeEach(async () => {
  dataDir = await mkdtemp(join(scratchRoot(), "pawl-embedded-"));
  execFileSync("cp", ["-a", `${template}/.`, dataDir]);
});

afterEach(async () => {
  await server?.stop({ limitMs: 0 });
  server = undefined;
  await removeEmbedded(dataDir);
  await rm(dataDir, { recursive: true });
});

/** Durability is off unless a test is about it: these data are thrown away. */
async function start(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> {
  server = await startEmbedded({ dataDir, disposable: true, ...options });
  return server;
}

async function stop(): Promise<void> {
  await server?.stop();
  server = undefined;
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test("makes the database on the first start, and finds it again on the next", async () => {
  await removeEmbedded(dataDir);
  const first = await start();
  await ask(first.url, "create table kept (one int)");
  await stop();
  const second = await start();
  assert.equal(second.url, first.url, "the port and the password stay");
  assert.equal(second.adopted, false);
  assert.deepEqual(await ask(second.url, "select * from kept"), []);
});

test("is durable, in UTF-8 and without surprises of the machine's locale", async () => {
  const { url } = await start({ disposable: false });
  const [row] = await ask(
    url,
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
            current_setting('synchronous_commit') as commit, current_setting('server_encoding') as encoding,
            current_setting('data_checksums') as checksums, current_setting('timezone') as timezone,
            (select datlocprovider::text || ' ' || datlocale from pg_database where datname = current_database()) as locale`,
  );
  assert.deepEqual(row, {
    fsync: "on",
    pages: "on",
    commit: "on",
    encoding: "UTF8",
    checksums: "on",
    timezone: "UTC",
    locale: "b C.UTF-8",
  });
});

test("keeps its secret and its log from other accounts", async () => {
  await start();
  for (const name of ["postgres.json", "postgres.log"]) {
    assert.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600, name);
  }
  assert.equal((await stat(join(dataDir, "postgres"))).mode & 0o777, 0o700);
});

test("is reached from loopback only, and with the password only", async () => {
  const { url, port } = await start();
  const wrong = new URL(url);
  wrong.password = "guess";
  await assert.rejects(ask(wrong.href, "select 1"), { code: "28P01" });
  const outward = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((address) => !address.internal && address.family === "IPv4");
  for (const { address } of outward) {
    const elsewhere = new URL(url);
    elsewhere.hostname = address;
    await assert.rejects(ask(elsewhere.href, "select 1"), { code: "ECONNREFUSED" }, address);
  }
  const [row] = await ask(
    url,
    "select current_setting('listen_addresses') as tcp, current_setting('unix_socket_directories') as unix",
  );
  assert.deepEqual(row, { tcp: "127.0.0.1", unix: "" });
  assert.equal(new URL(url).port, String(port));
});

test("takes another port when its own is taken", async () => {
  const first = await start();
  await stop();
  const squatter: Server = createServer().listen(first.port, "127.0.0.1");
  await once(squatter, "listening");
  try {
    const second = await start();
    assert.notEqual(second.port, first.port);
    await ask(second.url, "select 1");
  } finally {
    squatter.close();
  }
});

test("refuses a second start on the same data directory and names the first", async () => {
  await start();
  await assert.rejects(spawnEmbedded({ dataDir }), {
    code: "DATA_DIRECTORY_LOCKED",
    message: new RegExp(`process ${process.pid}\\)`),
  });
  await ask(server!.url, "select 1");
});

test("adopts a server orphaned by kill -9, and ends the dead Pawl's connections", async () => {
  const pawl = await spawnEmbedded({ dataDir, disposable: true });
  const left = new pg.Client({ connectionString: pawl.url });
  const cut = new Promise((resolve) => left.on("error", resolve));
  await left.connect();
  await left.query("create table kept (one int)");
  const before = await readPidFile(join(dataDir, "postgres"));
  await pawl.kill();
  const { url, adopted } = await start();
  assert.equal(adopted, true);
  assert.equal(url, pawl.url);
  assert.deepEqual(await readPidFile(join(dataDir, "postgres")), before, "the same server");
  await cut;
  assert.deepEqual(await ask(url, "select * from kept"), []);
});

test("stops a server that it adopted", async () => {
  const pawl = await spawnEmbedded({ dataDir, disposable: true });
  await pawl.kill();
  const { pgdata } = await start();
  await stop();
  assert.deepEqual(await serverProcesses(pgdata), []);
});

test("ends an orphan that was started with other settings, and starts its own", async () => {
  const pawl = await spawnEmbedded({ dataDir, disposable: true });
  await pawl.kill();
  const { url, adopted } = await start({ disposable: false });
  assert.equal(adopted, false);
  assert.deepEqual(await ask(url, "show fsync"), [{ fsync: "on" }]);
});

test("ends an orphan that does not take our password, and sets it", async () => {
  const pawl = await spawnEmbedded({ dataDir, disposable: true });
  await ask(pawl.url, "alter role pawl password 'other'; create table kept (one int)");
  const { pid } = (await readPidFile(join(dataDir, "postgres")))!;
  await pawl.kill();
  const { url, adopted } = await start();
  assert.equal(adopted, false);
  assert.equal(await isAlive(pid), false);
  assert.deepEqual(await ask(url, "select * from kept"), []);
});

test("finds its data again when the file with the password was lost", async () => {
  const first = await start();
  await ask(first.url, "create table kept (one int)");
  await stop();
  await rm(join(dataDir, "postgres.json"));
  const second = await start();
  assert.notEqual(new URL(second.url).password, new URL(first.url).password);
  assert.deepEqual(await ask(second.url, "select * from kept"), []);
});

test("starts over the backends of a postmaster that was killed", async () => {
  const pawl = await spawnEmbedded({ dataDir, disposable: true });
  const pgdata = join(dataDir, "postgres");
  const busy = new pg.Client({ connectionString: pawl.url });
  busy.on("error", () => {});
  await busy.connect();
  const cut = busy.query("select pg_sleep(600)").catch(() => {});
  const postmaster = (await readPidFile(pgdata))!.pid;
  await pawl.kill();
  process.kill(postmaster, "SIGKILL");
  const { url } = await start();
  await cut;
  await ask(url, "select 1");
});

test("is not stopped by a pid file whose number an unrelated process has now", async () => {
  const { pgdata } = await start();
  const text = await readFile(join(pgdata, "postmaster.pid"), "utf8");
  await stop();
  await writeFile(join(pgdata, "postmaster.pid"), text.replace(/^\d+/, String(process.ppid)));
  const { url } = await start();
  await ask(url, "select 1");
});

test("starts again when it was killed while it made the database", async () => {
  // As initdb leaves it when cut short: the data under their unfinished name, some of them.
  await rename(join(dataDir, "postgres"), join(dataDir, "postgres.new"));
  await rm(join(dataDir, "postgres.new", "PG_VERSION"));
  const { url } = await start();
  await ask(url, "select 1");
  assert.equal(existsSync(join(dataDir, "postgres.new")), false);
});

test("brings the server back on its port when it dies", async () => {
  const restored = Promise.withResolvers<void>();
  const log = {
    warn() {},
    error() {},
    info: (_: object, message: string) => {
      if (message === "The database server is back.") restored.resolve();
    },
  };
  const { url, pgdata } = await start({ log });
  process.kill((await readPidFile(pgdata))!.pid, "SIGKILL");
  await restored.promise;
  await ask(url, "select 1");
});

test("says so when the server dies and cannot be brought back", async () => {
  const lost = Promise.withResolvers<Error>();
  const { pgdata } = await start({ onLost: lost.resolve });
  const { pid } = (await readPidFile(pgdata))!;
  await rm(join(pgdata, "global"), { recursive: true });
  process.kill(pid, "SIGKILL");
  assert.match((await lost.promise).message, /did not start: .*Its log is /);
});

test("stops at once when the limit is none, with work under way", async () => {
  const { url, pgdata } = await start();
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  const work = assert.rejects(client.query("select pg_sleep(600)"));
  await server!.stop({ limitMs: 0 });
  await work;
  assert.deepEqual(await serverProcesses(pgdata), []);
});

test("leaves no listener and no file of its run behind", async () => {
  const listeners = process.listenerCount("exit");
  await start();
  await stop();
  assert.equal(process.listenerCount("exit"), listeners);
  assert.deepEqual((await readdir(dataDir)).sort(), [
    "pawl.lock",
    "postgres",
    "postgres.json",
    "postgres.log",
  ]);
});

test("ends its server when the process ends without a stop", async () => {
  const pawl = await spawnEmbedded({ dataDir, disposable: true });
  const { pid } = (await readPidFile(join(dataDir, "postgres")))!;
  pawl.child.stdin!.end();
  await once(pawl.child, "exit");
  assert.equal(await waitForEnd([pid], 5_000), true);
});

test("does not let Ctrl-C reach the server before Pawl has dealt with it", async () => {
  const { pgdata } = await start();
  const { pid } = (await readPidFile(pgdata))!;
  const session = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]!.split(" ");
  assert.deepEqual(session.slice(2, 4), [String(pid), String(pid)], "a group and a session of its own");
});

test("refuses data of another major version of PostgreSQL", async () => {
  const { pgdata } = await start();
  await stop();
  await writeFile(join(pgdata, "PG_VERSION"), "17\n");
  await assert.rejects(start(), { code: "POSTGRES_DATA_VERSION", message: /made by PostgreSQL 17.*pg_dump/ });
});

test("tells where the data directory cannot be", async () => {
  await writeFile(join(dataDir, "file"), "");
  await assert.rejects(start({ dataDir: join(dataDir, "file", "sub") }), {
    code: "DATA_DIRECTORY_UNUSABLE",
    message: /cannot be made: .*PAWL_DATA_DIR/,
  });
});
