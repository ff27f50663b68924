import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import fc from "fast-check";
import type pg from "pg";
import { createTestDatabase } from "../../test/helpers/database.ts";
import { searchFields } from "../contract/search.ts";
import { createPool } from "../db/pool.ts";
import type { AuditEntry } from "../http/audit.ts";
import { type AuditHead, type AuditRow, chained, lineOf, linkOf } from "./chain.ts";
import { auditFields, auditStore } from "./store.ts";
import { verifyChain } from "./verify.ts";
import { type AuditWriter, createAuditWriter } from "./write.ts";

const key = randomBytes(32);

function entry(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    actor: { id: "p1", name: "Ada", tokenId: "t1" },
    action: "upsertConnection",
    target: { type: "connection", id: "c1", name: "orders" },
    changed: ["password"],
    outcome: "success",
    request: { id: "r1", ip: "127.0.0.1", client: "test" },
    ...more,
  };
}

const log = { info() {}, warn() {}, error() {} };

describe("the audit record", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: pg.Pool;
  let store: ReturnType<typeof auditStore>;
  const writers: AuditWriter[] = [];

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url });
    store = auditStore(pool);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  afterEach(async () => {
    for (const writer of writers.splice(0)) await writer.close();
    await tamper("delete from audit_entry", "update audit_head set seq = 0, hash = ''");
  });

  function writer(append: typeof store.append = store.append) {
    const made = createAuditWriter({ store: { append }, key, log, waitMs: 2_000 });
    writers.push(made);
    return made;
  }

  /** As somebody who owns the database can. */
  async function tamper(...statements: string[]): Promise<void> {
    const client = await pool.connect();
    await client.query("set session_replication_role = replica");
    for (const statement of statements) await client.query(statement);
    await client.query("reset session_replication_role");
    client.release();
  }

  const verify = (expected?: AuditHead) => verifyChain(store, key, expected);

  test("keeps each line as it was given, in one chain, whoever writes at the same time", async () => {
    const [one, two] = [writer(), writer()];
    const names = Array.from({ length: 300 }, (_, index) => `record ${index}`);
    await Promise.all(
      names.map((name, index) =>
        [one, two][index % 2]![index % 3 === 0 ? "mustRecord" : "record"](
          entry({ target: { type: "job", id: null, name } }),
        ),
      ),
    );
    const rows = await store.after(0, 1_000);
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      names.map((_, index) => index + 1),
    );
    assert.deepEqual(rows.map(({ targetName }) => targetName).sort(), names.toSorted());
    const { entries, faults, head } = await verify();
    assert.deepEqual([entries, faults], [300, []]);
    assert.deepEqual(head, { seq: 300, hash: rows.at(-1)!.hash });
    const { seq, hash, id, at, ...first } = rows.find(({ targetName }) => targetName === "record 0")!;
    assert.deepEqual(first, {
      principalId: "p1",
      principalName: "Ada",
      tokenId: "t1",
      action: "upsertConnection",
      targetType: "job",
      targetId: null,
      targetName: "record 0",
      changed: ["password"],
      outcome: "success",
      ip: "127.0.0.1",
      client: "test",
      requestId: "r1",
    });
    assert.ok(
      Math.abs(at.getTime() - Date.now()) < 60_000 && id.length === 36 && hash.length === 32 && seq > 0,
    );
  });

  test("takes any text that people type, and none of it keeps a line from being written", async () => {
    const made = writer();
    const typed = fc.sample(fc.string({ unit: "binary", maxLength: 700 }), { numRuns: 200, seed: 7 });
    for (const text of [...typed, "\0", "\ud800", `${"x".repeat(499)}😀`]) {
      void made.record(
        entry({ target: { type: text, id: text, name: text }, changed: [text, "'; drop table x"] }),
      );
    }
    await made.mustRecord(entry());
    assert.deepEqual((await verify()).faults, []);
    assert.equal((await verify()).entries, typed.length + 4);
  });

  test("can't be changed: an update, a delete and a truncate are refused, and the head does not go back", async () => {
    await writer().mustRecord(entry());
    for (const statement of [
      "update audit_entry set principal_name = 'Eve'",
      "delete from audit_entry",
      "delete from audit_entry where false",
      "truncate audit_entry",
      "delete from audit_head",
      "truncate audit_head",
      "update audit_head set seq = 0",
      "update audit_head set hash = ''",
    ]) {
      await assert.rejects(pool.query(statement), /append-only/, statement);
    }
    assert.deepEqual((await verify()).faults, []);
  });

  test("shows where it was tampered with", async () => {
    const altered = "This line was altered, or put in by somebody else.";
    const atHead = "The head of the chain is not that of its last line.";
    const fields = [
      "principal_id = 'p2'",
      "principal_name = 'Eve'",
      "token_id = null",
      "action = 'readIt'",
      "target_type = 'x'",
      "target_id = 'c2'",
      "target_name = 'x'",
      "changed = '{}'",
      "changed = '{pass,word}'",
      "outcome = 'forbidden'",
      "ip = '10.0.0.1'",
      "client = ''",
      "request_id = 'r2'",
      "at = at + interval '1 millisecond'",
      "id = gen_random_uuid()",
    ];
    const last = "(select max(seq) from audit_entry)";
    const forged = `insert into audit_entry select (jsonb_populate_record(e, jsonb_build_object('seq', e.seq + 1, 'id', gen_random_uuid()))).*
      from audit_entry e where seq = ${last}`;
    const cases: [string, string[], [number, string][]][] = [
      ...fields.map((field): (typeof cases)[number] => [
        field,
        [`update audit_entry set ${field} where seq = 3`],
        [[3, altered]],
      ]),
      [
        "a hash",
        ["update audit_entry set hash = sha256('x') where seq = 3"],
        [
          [3, altered],
          [4, altered],
        ],
      ],
      ["a line taken out", ["delete from audit_entry where seq = 3"], [[3, "This line is missing."]]],
      [
        "lines taken out",
        ["delete from audit_entry where seq in (2, 3)"],
        [[2, "The lines 2 to 3 are missing."]],
      ],
      ["the first taken out", ["delete from audit_entry where seq = 1"], [[1, "This line is missing."]]],
      ["the last taken out", ["delete from audit_entry where seq = 5"], [[5, "This line is missing."]]],
      [
        "a line taken out and the rest moved up",
        ["delete from audit_entry where seq = 3", "update audit_entry set seq = seq - 1 where seq > 3"],
        [
          [3, altered],
          [4, altered],
          [5, "This line is missing."],
        ],
      ],
      [
        "two exchanged",
        [
          "update audit_entry set seq = 99 where seq = 2",
          "update audit_entry set seq = 2 where seq = 3",
          "update audit_entry set seq = 3 where seq = 99",
        ],
        [
          [2, altered],
          [3, altered],
          [4, altered],
        ],
      ],
      [
        "a line put in, head and all",
        [forged, "update audit_head set seq = 6, hash = (select hash from audit_entry where seq = 6)"],
        [[6, altered]],
      ],
      ["another head", ["update audit_head set hash = sha256('x')"], [[5, atHead]]],
      ["everything removed", ["delete from audit_entry"], [[1, "The lines 1 to 5 are missing."]]],
    ];
    for (const [what, statements, expected] of cases) {
      const made = writer();
      for (let line = 0; line < 5; line++) await made.mustRecord(entry());
      assert.deepEqual((await verify()).faults, [], what);
      await tamper(...statements);
      const { faults } = await verify();
      assert.deepEqual(
        faults.map(({ seq, message }) => [seq, message]),
        expected,
        what,
      );
      await tamper("delete from audit_entry", "update audit_head set seq = 0, hash = ''");
    }
  });

  test("shows that it was cut off at the end and its head set back, to who noted a head before", async () => {
    const made = writer();
    for (let line = 0; line < 5; line++) await made.mustRecord(entry());
    const noted = await store.head();
    assert.deepEqual((await verify(noted)).faults, []);
    await tamper(
      "delete from audit_entry where seq > 3",
      "update audit_head set seq = 3, hash = (select hash from audit_entry where seq = 3)",
    );
    assert.deepEqual((await verify()).faults, [], "the chain itself can't tell");
    assert.deepEqual(
      (await verify(noted)).faults.map(({ seq }) => seq),
      [5],
    );
    // Other lines took the place of those that were cut off.
    for (let line = 0; line < 5; line++) await made.mustRecord(entry());
    assert.match((await verify(noted)).faults[0]!.message, /cut off or set back/);
  });

  test("can't be written anew without the key", async () => {
    const made = writer();
    for (let line = 0; line < 3; line++) await made.mustRecord(entry());
    const rows = await store.after(0, 10);
    const other = chained(randomBytes(32), { seq: 0, hash: Buffer.alloc(0) }, rows);
    for (const row of other) {
      await tamper(`update audit_entry set hash = '\\x${row.hash.toString("hex")}' where seq = ${row.seq}`);
    }
    await tamper(`update audit_head set hash = '\\x${other.at(-1)!.hash.toString("hex")}'`);
    assert.equal((await verify()).faults.length, 3);
  });

  test("writes what comes at one time in few groups", async () => {
    let groups = 0;
    const made = writer((...args) => {
      groups++;
      return store.append(...args);
    });
    await Promise.all(Array.from({ length: 400 }, () => made.record(entry())));
    assert.ok(groups <= 3, `${groups}`);
  });

  test("while the database is away keeps ordinary lines for later, and refuses what must not happen unseen", async () => {
    let away = true;
    const made = writer(async (...args) => {
      if (away) throw new Error("The database is away.");
      return store.append(...args);
    });
    const ordinary = made.record(entry({ action: "ordinary" }));
    await assert.rejects(made.mustRecord(entry({ action: "must" })), { code: "STORE_UNAVAILABLE" });
    away = false;
    await ordinary;
    await made.mustRecord(entry({ action: "later" }));
    assert.deepEqual(
      (await store.after(0, 10)).map(({ action }) => action),
      ["ordinary", "later"],
    );
  });

  test("refuses what must not happen unseen when the answer does not come in time, and keeps no request waiting", async () => {
    const silent = Promise.withResolvers<void>();
    const made = createAuditWriter({ store: { append: () => silent.promise }, key, log, waitMs: 20 });
    await assert.rejects(made.mustRecord(entry()), { code: "STORE_UNAVAILABLE" });
    await made.record(entry());
    silent.resolve();
    await made.close();
  });

  test("writes a line once though the answer to its first writing was lost", async () => {
    let lost = true;
    const made = writer(async (...args) => {
      await store.append(...args);
      if (lost) {
        lost = false;
        throw new Error("Connection terminated");
      }
    });
    await made.record(entry({ action: "first" }));
    await made.record(entry({ action: "second" }));
    assert.deepEqual(
      (await store.after(0, 10)).map(({ action }) => action),
      ["first", "second"],
    );
    assert.deepEqual((await verify()).faults, []);
  });

  test("puts in the log what it can't write before it closes", async () => {
    const lines: object[] = [];
    const made = createAuditWriter({
      store: { append: () => Promise.reject(new Error("gone")) },
      key,
      log: { ...log, error: (fields) => void lines.push(fields) },
      waitMs: 50,
    });
    void made.record(entry({ action: "only in the log" }));
    await made.close();
    assert.equal(lines.length, 1);
    assert.equal((lines[0] as { audit: { action: string } }).audit.action, "only in the log");
  });
});

test("no two different lines have one hash", () => {
  const text = fc.string({ maxLength: 3, unit: fc.constantFrom("a", '"', ",", "\\", "[", "]") });
  const field = fc.option(text, { nil: null });
  const line = fc.record({
    targetId: field,
    targetName: field,
    changed: fc.array(text, { maxLength: 3 }),
    ip: field,
  });
  const base: AuditRow = { ...lineOf(entry()), seq: 1, hash: Buffer.alloc(0) };
  fc.assert(
    fc.property(line, line, (one, other) => {
      const [a, b] = [one, other].map((more) =>
        linkOf(key, Buffer.alloc(0), { ...base, ...more }).toString("hex"),
      );
      assert.equal(a === b, JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 2_000 },
  );
});

test("the contract names the fields that can be asked for", () => {
  assert.deepEqual(Object.keys(auditFields).sort(), [...searchFields.searchAudit].sort());
});
