import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "../../test/helpers/database.ts";
import {
  isForeignKeyViolation,
  isStatementTimeout,
  isStoreUnavailable,
  isTransactionConflict,
  isUniqueViolation,
} from "./faults.ts";
import { createPool } from "./pool.ts";

const unavailable: [string, unknown][] = [
  ["connection refused", fault("ECONNREFUSED")],
  ["name not found", fault("ENOTFOUND")],
  ["server shutting down", fault("57P01")],
  ["server starting up", fault("57P03")],
  ["too many connections", fault("53300")],
  ["disk full", fault("53100")],
  ["I/O error", fault("58030")],
  ["primary became a standby", fault("25006")],
  ["connection cut", new Error("Connection terminated unexpectedly")],
  ["no free connection", new Error("timeout exceeded when trying to connect")],
  ["pool closed", new Error("Cannot use a pool after calling end on the pool")],
  ["every address refused", new AggregateError([fault("ECONNREFUSED"), fault("ENETUNREACH")])],
  ["wrapped", new Error("while saving", { cause: fault("57P01") })],
];

for (const [name, error] of unavailable) {
  test(`calls the store unavailable: ${name}`, () => assert.equal(isStoreUnavailable(error), true));
}

const others: [string, unknown][] = [
  ["unique violation", fault("23505")],
  ["syntax error", fault("42601")],
  ["statement timeout", fault("57014")],
  ["a program error", new TypeError("x is not a function")],
  ["no error at all", undefined],
];

for (const [name, error] of others) {
  test(`does not call the store unavailable: ${name}`, () => assert.equal(isStoreUnavailable(error), false));
}

test("survives an error that is its own cause", () => {
  const error = new Error("loop");
  error.cause = error;
  assert.equal(isStoreUnavailable(error), false);
});

test("tells the constraint that refused a row", async () => {
  await using database = await createTestDatabase({ empty: true });
  const pool = createPool({ url: database.url });
  try {
    await pool.query(`
      create table parent (id int primary key, name text constraint parent_name unique);
      create table child (parent_id int constraint child_parent references parent);
      insert into parent values (1, 'a')`);
    const duplicate = await rejection(pool.query("insert into parent values (2, 'a')"));
    assert.equal(isUniqueViolation(duplicate), true);
    assert.equal(isUniqueViolation(duplicate, "parent_name"), true);
    assert.equal(isUniqueViolation(duplicate, "parent_pkey"), false);
    const orphan = await rejection(pool.query("insert into child values (7)"));
    assert.equal(isForeignKeyViolation(orphan, "child_parent"), true);
    assert.equal(isUniqueViolation(orphan), false);
  } finally {
    await pool.end();
  }
});

test("tells a statement that took too long", async () => {
  await using database = await createTestDatabase({ empty: true });
  const pool = createPool({ url: database.url, statementTimeoutMs: 50 });
  try {
    const error = await rejection(pool.query("select pg_sleep(10)"));
    assert.equal(isStatementTimeout(error), true);
    assert.equal(isStoreUnavailable(error), false);
  } finally {
    await pool.end();
  }
});

test("tells a deadlock and a serialization failure", () => {
  assert.equal(isTransactionConflict(fault("40P01")), true);
  assert.equal(isTransactionConflict(fault("40001")), true);
  assert.equal(isTransactionConflict(fault("23505")), false);
});

function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function rejection(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail("it should have been refused"),
    (error) => error,
  );
}
