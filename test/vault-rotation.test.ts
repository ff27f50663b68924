import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { keyringStore } from "../src/db/keyring-store.ts";
import { createPool } from "../src/db/pool.ts";
import { abandonKeys, type GivenKeys } from "../src/vault/first-keys.ts";
import { type OpenVault, openVault } from "../src/vault/open.ts";
import { usualPace } from "../src/vault/reseal.ts";
import type { SealedSource } from "../src/vault/sealed-source.ts";
import { SealError } from "../src/vault/vault.ts";
import { createTestDatabase } from "./helpers/database.ts";
import { scratchRoot } from "./helpers/scratch.ts";
import { sealedTable } from "./helpers/sealed-table.ts";

const key = (digit: string) =>
  Buffer.from(Array.from({ length: 32 }, (_, i) => (i * 37 + Number(digit) * 11) % 256));
const unhurried = { ...usualPace, rest: 0 };

describe("the keys of a database", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: pg.Pool;
  let dataDir: string;
  let table: Awaited<ReturnType<typeof sealedTable>>;
  const opened: OpenVault[] = [];
  const logged: string[] = [];
  const note = (_fields: object, message: string) => void logged.push(message);
  const log = { info: note, warn: note, error: note };

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url });
    dataDir = await mkdtemp(join(scratchRoot(), "pawl-vault-test-"));
    table = await sealedTable(pool);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await pool.query("truncate vault_rotation, vault_process, vault_key, sealed_value");
    await rm(join(dataDir, "master-key"), { force: true });
    logged.length = 0;
  });
  after(async () => {
    await pool.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function open(given: GivenKeys = {}, more: Partial<Parameters<typeof openVault>[0]> = {}) {
    const sources: SealedSource[] = [table.source];
    const options = { store: keyringStore(pool), dataDir, given, sources, log, pace: unhurried, pollMs: 10 };
    const one = await openVault({ ...options, ...more });
    opened.push(one);
    return one;
  }

  async function close(one: OpenVault) {
    opened.splice(opened.indexOf(one), 1);
    await one.close();
  }

  async function ended(one: OpenVault) {
    for (const giveUp = Date.now() + 30_000; Date.now() < giveUp; await delay(10)) {
      const status = await one.status();
      if (status.rotation?.finishedAt) return status;
    }
    throw new Error(`It does not end: ${JSON.stringify(await one.status())} ${logged.join("\n")}`);
  }

  async function allOpen(one: OpenVault, text = (id: string) => `secret of ${id}`) {
    const rows = await table.all();
    for (const { id, sealed } of rows) assert.equal(table.open(one.vault, id, sealed), text(id));
    return rows;
  }

  test("are made at the first start, wrapped by a master key in a file of the owner's", async () => {
    const first = await open();
    await table.fill(first.vault, 3);
    const file = join(dataDir, "master-key");
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.match(logged.join("\n"), /A master key was made\. Keep a copy/);
    await close(first);
    const again = await open();
    await allOpen(again);
    assert.equal(again.vault.deriveKey("session").equals(first.vault.deriveKey("session")), true);
    const { rows } = await pool.query("select k::text || s::text as text from vault_key k, vault_state s");
    const master = Buffer.from(await readFile(file, "utf8"), "base64");
    for (const { text } of rows)
      assert.ok(!text.includes(master.toString("hex")), "the master key is not there");
  });

  test("are not opened by a wrong master key, nor by none, and no new one is made", async () => {
    await table.fill((await open({ key: key("1") })).vault, 2);
    const id = (await opened[0]!.status()).masterKey.id;
    for (const [given, expected] of [
      [
        { key: key("2") },
        new RegExp(`from PAWL_MASTER_KEY has the id \\w+, but .* id ${id}\\. Set that one`),
      ],
      [{}, new RegExp(`has no master key.*PAWL_MASTER_KEY.*its id is ${id}`)],
      [{ file: join(dataDir, "none") }, /none, which PAWL_MASTER_KEY_FILE names, can't be read \(ENOENT\)/],
    ] as const) {
      await assert.rejects(open(given), expected);
    }
    await assert.rejects(stat(join(dataDir, "master-key")), { code: "ENOENT" });
    await writeFile(join(dataDir, "master-key"), "hunter2\n");
    await assert.rejects(open(), /holds no master key: it must have 32 random bytes/);
    assert.equal((await open({ key: key("1") })).vault.activeKeyId, opened[0]!.vault.activeKeyId);
  });

  test("are not made where values are sealed already", async () => {
    await table.fill((await open()).vault, 2);
    await close(opened[0]!);
    await pool.query("truncate vault_rotation, vault_key");
    await assert.rejects(
      open(),
      /There are sealed values \(test values: 2\), but the table vault_key.*is empty/,
    );
  });

  test("are refused when one was altered or exchanged", async () => {
    await open();
    await close(opened[0]!);
    const { rows } = await pool.query("select id, wrapped, kind from vault_key order by kind");
    await pool.query("update vault_key set wrapped = $2 where id = $1", [rows[0].id, rows[1].wrapped]);
    await assert.rejects(open(), /was altered or damaged/);
    await pool.query("update vault_key set wrapped = $2 where id = $1", [rows[0].id, rows[0].wrapped]);
    await pool.query("update vault_key set state = 'retired' where id = $1", [rows[0].id]);
    await assert.rejects(open(), /lacks a key/);
  });

  test("are one keyring for two processes that start at the same time", async () => {
    const [one, two] = await Promise.all([open({ key: key("1") }), open({ key: key("1") })]);
    assert.equal(one.vault.activeKeyId, two.vault.activeKeyId);
    const sealed = one.vault.seal("variable", { record: "r", field: "f" }, "x");
    assert.equal(two.vault.open("variable", { record: "r", field: "f" }, sealed), "x");
  });

  test("refuse to start when what is written is not what was sealed", async () => {
    const store = keyringStore(pool);
    const lying = (raw: (sealed: string) => string): Partial<Parameters<typeof openVault>[0]> => ({
      store: {
        ...store,
        change: (work) =>
          store.change((kept, change) =>
            work(kept, { ...change, writeCanary: async (sealed) => raw(await change.writeCanary(sealed)) }),
          ),
      },
    });
    const one = await open();
    await assert.rejects(
      open(
        {},
        lying(() => "(t,1,)"),
      ),
      /does not come back/,
    );
    const other = one.vault.seal("canary", { record: "canary", field: "secret" }, "another");
    await assert.rejects(
      open(
        {},
        lying(() => other),
      ),
      /does not come back/,
    );
    const { vault } = one;
    const readable = (raw: string) =>
      vault.open("canary", { record: "canary", field: "secret" }, /ENC\([^()]*\)/.exec(raw)![0]);
    await assert.rejects(open({}, lying(readable)), /stands readable in the database/);
    await assert.rejects(
      open(
        {},
        lying((raw) => Buffer.from(readable(raw)).toString("hex")),
      ),
      /stands readable in the database/,
    );
  });

  test("rotate: all is sealed anew, progress adds up, and nothing that reads or writes meanwhile fails", async () => {
    const one = await open();
    const two = await open();
    const old = one.vault.activeKeyId;
    await table.fill(one.vault, 2_000);
    // Requests of both processes, all the while: each reads one value, and changes or adds another.
    let serving = true;
    let served = 0;
    const changed = new Map<string, string>();
    const requests = [one, two].map(async ({ vault }, process) => {
      const rows = await table.all();
      for (let index = process; serving; index += 2) {
        const { id } = rows[index % rows.length]!;
        const { rows: found } = await pool.query("select sealed from sealed_value where id = $1", [id]);
        assert.equal(table.open(vault, id, found[0].sealed), changed.get(id) ?? `secret of ${id}`);
        if (index % 7 < 2) {
          const text = `changed ${index}`;
          const sealed = vault.seal("variable", { record: id, field: "secret" }, text);
          await pool.query("update sealed_value set sealed = $2 where id = $1", [id, sealed]);
          changed.set(id, text);
        }
        served++;
      }
    });
    const begun = await one.rotate("somebody");
    assert.equal(begun.rotation?.startedBy, "somebody");
    await assert.rejects(two.rotate("another"), /Keys are rotating already/);
    let done = 0;
    for (;;) {
      const { rotation } = await two.status();
      assert.ok(rotation!.done <= Math.max(rotation!.total, 2_000));
      done = Math.max(done, rotation!.done);
      if (rotation!.finishedAt) break;
    }
    serving = false;
    await Promise.all(requests);
    const status = await ended(one);
    assert.equal(status.rotation?.unreadable, 0);
    // Those that a request changed before it was counted need nothing any more.
    const { total } = status.rotation!;
    assert.ok(total > 1_500 && total <= 2_000 && served > 100, `${total} ${served}`);
    assert.notEqual(one.vault.activeKeyId, old);
    assert.equal(two.vault.activeKeyId, one.vault.activeKeyId);
    const rows = await allOpen(two, (id) => changed.get(id) ?? `secret of ${id}`);
    assert.ok(rows.every(({ sealed }) => one.vault.keyId(sealed) === one.vault.activeKeyId));
    assert.deepEqual(
      status.keys.map(({ state, values }) => [state, values]),
      [
        ["retired", 0],
        ["active", 2_000],
      ],
    );
    // What an old backup of a part holds opens still.
    assert.equal(status.keys[0]!.id, old);
  });

  test("do not seal with a new key before every process that runs can open what it sealed", async () => {
    const one = await open();
    const { store } = { store: keyringStore(pool) };
    // A process that does not look: it has the version of now, and says no other.
    const { version } = await store.read();
    const masters = [(await one.status()).masterKey.id];
    const slow = { id: "0190a000-0000-7000-8000-00000000aaaa", version, masters };
    await store.report(slow, new Map());
    const old = one.vault.activeKeyId;
    await one.rotate("test");
    for (let looks = 0; looks < 10; looks++) {
      await delay(10);
      const status = await one.status();
      assert.equal(status.keys.find(({ id }) => id !== old)?.state, "pending");
      assert.equal(one.vault.activeKeyId, old);
    }
    await store.report({ ...slow, version: (await store.read()).version }, new Map());
    for (let looks = 0; one.vault.activeKeyId === old && looks < 1_000; looks++) await delay(5);
    assert.notEqual(one.vault.activeKeyId, old);
    // Nor is anything sealed anew while one may still seal with the old key.
    assert.equal((await one.status()).rotation?.finishedAt, null);
    await store.forgetProcess(slow.id);
    await ended(one);
  });

  test("rotate on after kill -9, in another process, and lose nothing", async () => {
    const one = await open();
    await table.fill(one.vault, 2_000);
    const old = one.vault.activeKeyId;
    await close(one);
    const script = fileURLToPath(new URL("helpers/rotating-process.ts", import.meta.url));
    const start = (begin: string): ChildProcess => fork(script, [database.url, dataDir, begin]);
    const child = start("rotate");
    for (;;) {
      const [message] = (await once(child, "message")) as [{ replaced?: number }];
      if ((message.replaced ?? 0) >= 300) break;
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    // It counts as running for half a minute; the test need not wait for that.
    await pool.query("update vault_process set seen_at = now() - interval '1 minute'");
    await pool.query("update vault_rotation set worker_seen_at = now() - interval '1 minute'");
    const next = await open();
    const midway = await next.status();
    assert.ok(midway.rotation && midway.rotation.total === 2_000, JSON.stringify(midway.rotation));
    await allOpen(next);
    const status = await ended(next);
    const rows = await allOpen(next);
    assert.equal(rows.length, 2_000);
    assert.ok(rows.every(({ sealed }) => next.vault.keyId(sealed) === next.vault.activeKeyId));
    assert.notEqual(next.vault.activeKeyId, old);
    assert.equal(status.rotation?.done, 2_000);
  });

  test("do not end a rotation over a value that somebody holds, and take it when it is let go", async () => {
    let met = 0;
    const third = Promise.withResolvers<void>();
    const source: SealedSource = {
      ...table.source,
      async replaceAll(changes) {
        const count = await table.source.replaceAll!(changes);
        if (count < changes.length && ++met === 3) third.resolve();
        return count;
      },
    };
    const one = await open({}, { sources: [source] });
    await table.fill(one.vault, 250);
    const [held] = await table.all();
    const client = await pool.connect();
    await client.query("begin");
    await client.query("update sealed_value set sealed = 'never' where id = $1", [held!.id]);
    try {
      await one.rotate("test");
      await third.promise;
      const { rotation } = await one.status();
      assert.deepEqual([rotation!.total, rotation!.done, rotation!.finishedAt], [250, 249, null]);
    } finally {
      await client.query("rollback");
      client.release();
    }
    assert.equal((await ended(one)).rotation?.unreadable, 0);
    for (const { sealed } of await allOpen(one)) assert.equal(one.vault.keyId(sealed), one.vault.activeKeyId);
  });

  test("pass over values that no key opens, and say how many", async () => {
    const one = await open();
    await table.fill(one.vault, 450);
    await pool.query(
      `update sealed_value set sealed = overlay(sealed placing 'AAAA' from length(sealed) - 8 for 4)
       where id in (select id from sealed_value order by id limit 3)`,
    );
    const before = (await table.all()).slice(0, 3);
    await one.rotate("test");
    const status = await ended(one);
    assert.equal(status.rotation?.unreadable, 3);
    assert.deepEqual(
      status.keys.map(({ values }) => values),
      [3, 447],
    );
    assert.deepEqual((await table.all()).slice(0, 3), before, "they stay as they were");
    assert.match(logged.join("\n"), /some values opened with none/);
    assert.equal((await one.rotate("again")).rotation?.startedBy, "again");
    await ended(one);
  });

  test("rotate by themselves long before a key has sealed too much, and stop sealing before it has", async () => {
    const one = await open({}, { limits: { rotateAt: 50, refuseAt: 500 } });
    const first = one.vault.activeKeyId;
    await table.fill(one.vault, 60);
    for (let looks = 0; one.vault.activeKeyId === first && looks < 2_000; looks++) {
      await pool.query("update vault_state set version = version + 1");
      await delay(5);
    }
    assert.notEqual(one.vault.activeKeyId, first);
    const status = await ended(one);
    assert.equal(status.rotation?.startedBy, "pawl");
    assert.ok(status.keys[0]!.seals >= 60);
    await close(one);
    const two = await open({}, { limits: { rotateAt: 1_000, refuseAt: 100 } });
    assert.throws(() => {
      for (let seals = 0; seals <= 100; seals++) two.vault.seal("variable", { record: "r", field: "f" }, "x");
    }, /sealed too much/);
  });

  test("are wrapped anew for a new master key once every process has it; the values stay as they are", async () => {
    const one = await open({ key: key("1") });
    await table.fill(one.vault, 20);
    const values = await table.all();
    assert.equal(await one.rewrap(), 0, "there is nothing to do");
    // One that has only the old key runs yet: all goes on, and a key made now is one that it can open.
    const both = await open({ key: key("2"), previous: key("1") });
    assert.equal((await both.status()).masterKey.inForce, false);
    await assert.rejects(both.rewrap(), /Another Pawl on this database would not open anything/);
    await both.rotate("test");
    await ended(one);
    await allOpen(one);
    await close(one);
    const count = (await both.status()).keys.length;
    assert.equal(await both.rewrap(), count + 1, "the data keys and the signing key");
    assert.equal((await both.status()).masterKey.inForce, true);
    await allOpen(both);
    assert.notDeepEqual(await table.all(), values, "the rotation changed them");
    await close(both);
    await assert.rejects(open({ key: key("1") }), /are sealed under the one with the id/);
    await allOpen(await open({ key: key("2") }));
  });

  test("are given up when the master key is lost, and open again when it is found", async () => {
    const one = await open({ key: key("1") });
    await table.fill(one.vault, 5);
    await one.rotate("test");
    await close(one);
    const store = keyringStore(pool);
    const abandon = (given: GivenKeys) => abandonKeys({ store, dataDir, given });
    await assert.rejects(abandon({ key: key("1") }), /is the right one: nothing is lost/);
    const made = await abandon({});
    assert.equal(made.from, join(dataDir, "master-key"));
    await assert.rejects(abandon({}), /is the right one/);
    const two = await open();
    const rows = await table.all();
    for (const { id, sealed } of rows) assert.throws(() => table.open(two.vault, id, sealed), SealError);
    await table.fill(two.vault, 3);
    const status = await two.status();
    assert.deepEqual(
      status.keys.map(({ state }) => state),
      ["locked", "locked", "active"],
    );
    assert.equal(status.masterKey.inForce, true);
    assert.equal(await two.rewrap(), 0);
    await two.rotate("test");
    assert.equal((await ended(two)).rotation?.unreadable, 5);
    await close(two);
    // Found: what it sealed opens again, and a rotation brings all under the new key.
    const file = join(dataDir, "master-key");
    const three = await open({ file, previous: key("1") });
    await allOpen(three);
    assert.ok((await three.rewrap()) > 0);
    await three.rotate("test");
    assert.equal((await ended(three)).rotation?.unreadable, 0);
    await close(three);
    await allOpen(await open());
  });
});
