import assert from "node:assert/strict";
import type { AddressInfo, Server as NodeServer } from "node:net";
import { after, before, describe, test } from "node:test";
import mysql from "mysql2";
import { runStep, type StepCall } from "../../../test/helpers/step.ts";
import type { StepConnection } from "../../contract/connection.ts";
import { createDialer } from "../../lib/dialer.ts";
import type { SqlInput } from "./input.ts";
import { sql } from "./sql.ts";

interface Output {
  rows: Record<string, unknown>[];
  rowCount: number;
  columns: string[];
  insertId?: number | string;
}

const dialer = createDialer({ policy: "guarded", ownPorts: () => [] });
const type = sql(dialer);
after(() => dialer.close());

function run(
  input: string | SqlInput,
  variables: Record<string, string>,
  call: Partial<StepCall> = {},
): Promise<Output> {
  const connection: StepConnection = {
    id: "0",
    name: "db",
    connectionType: "database-relational1",
    variables,
    sensitiveVariables: ["password"],
  };
  const given = typeof input === "string" ? { sql: input } : input;
  return runStep(type, { connection, ...call, input: given }) as Promise<Output>;
}

const failsWith = (code: string, message: RegExp, retryable?: boolean) => (error: unknown) => {
  const fault = error as { code: string; message: string; retryable: boolean };
  assert.equal(fault.code, code, fault.message);
  assert.match(fault.message, message);
  if (retryable !== undefined) assert.equal(fault.retryable, retryable);
  return true;
};

const url = process.env.TEST_MYSQL_URL;
const skip =
  url === undefined && "there is no MySQL or MariaDB on npm to test with: name one in TEST_MYSQL_URL";

describe("on a real server", { skip }, () => {
  let variables: Record<string, string>;
  before(async () => {
    const { hostname, port, username, password, pathname } = new URL(url!);
    variables = {
      host: hostname,
      port,
      database: pathname.slice(1),
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      useSSL: "false",
    };
    await run(
      "create or replace table item (id int auto_increment primary key, name varchar(100) unique, price decimal(20,2))",
      variables,
    );
  });

  test("binds values, whatever they hold, and says what was changed", async () => {
    const names = ["it's", "'; drop table item; --", "?", "søk", "\\"];
    for (const [i, name] of names.entries()) {
      const made = await run(
        { sql: "insert into item (name, price) values (?, ?)", values: [name, 1.5] },
        variables,
      );
      assert.deepEqual([made.rowCount, made.insertId, made.rows], [1, i + 1, []]);
    }
    const found = await run(
      { sql: "select name, price from item where name = ? limit ?", values: ["?", 5] },
      variables,
    );
    assert.deepEqual(found, { columns: ["name", "price"], rows: [{ name: "?", price: 1.5 }], rowCount: 1 });
    const changed = await run(
      { sql: "update item set price = price + 1 where price < ?", values: [100] },
      variables,
    );
    assert.equal(changed.rowCount, names.length);
    const { rows } = await run(
      { sql: "select json_value(?, '$.a[0]') as j, ? as n, ? as t", values: [{ a: [1] }, null, true] },
      variables,
    );
    assert.deepEqual(rows, [{ j: "1", n: null, t: 1 }]);
  });

  test("hands on values as JSON has them, none of them rounded", async () => {
    const cases: [string, unknown][] = [
      ["1", 1],
      ["9007199254740993", "9007199254740993"],
      ["0.10", 0.1],
      ["cast('123456789012345678.5' as decimal(30,1))", "123456789012345678.5"],
      ["1.5e0", 1.5],
      ["null", null],
      ["x'00ff'", "AP8="],
      ["date '2026-01-31'", "2026-01-31"],
      ["timestamp '2026-01-31 10:00:00'", "2026-01-31 10:00:00"],
      ["'é'", "é"],
    ];
    const columns = cases.map(([expression], i) => `${expression} as c${i}`).join(", ");
    const { rows } = await run(`select ${columns}`, variables);
    assert.deepEqual(
      Object.values(rows[0]!),
      cases.map(([, value]) => value),
    );
  });

  test("refuses what it must, and says why", async () => {
    const refusals: [SqlInput | string, Record<string, string>, string, RegExp, boolean?][] = [
      ["selekt 1", {}, "SQL_FAILED", /SQL syntax.*SQLSTATE 42000/, false],
      ["select 1; select 2", {}, "SQL_FAILED", /SQL syntax/, false],
      ["insert into item (name) values ('same'), ('same')", {}, "SQL_FAILED", /Duplicate entry/, false],
      [
        { sql: "select seq from seq_1_to_11", maxRows: 10 },
        {},
        "RESULT_TOO_LARGE",
        /more than 10 rows/,
        false,
      ],
      [{ sql: "select repeat('x', 5000)", maxBytes: 1_000 }, {}, "RESULT_TOO_LARGE", /1000 bytes/, false],
      [{ sql: "select sleep(60)", maxDurationMs: 200 }, {}, "SQL_TIMEOUT", /longer than 200 ms/, true],
      ["load data local infile '/etc/hostname' into table item", {}, "SQL_FAILED", /SQLSTATE/],
      ["select 1", { password: "wrong horse" }, "SIGN_IN_FAILED", /Access denied.*28000/, false],
      ["select 1", { database: "nowhere" }, "SIGN_IN_FAILED", /nowhere/, false],
      ["select 1", { useSSL: "true", host: "localhost" }, "TLS_FAILED", /not trusted.*self-signed/],
    ];
    for (const [input, changes, code, message, retryable] of refusals) {
      await assert.rejects(run(input, { ...variables, ...changes }), failsWith(code, message, retryable));
    }
  });

  test("ends the statement on the server when the step is stopped", async () => {
    const stop = new AbortController();
    const running = run("select sleep(60) /* the one to stop */", variables, { signal: stop.signal });
    const isRunning = async () => {
      const text = "select id from information_schema.processlist where info like 'select sleep%to stop%'";
      return (await run(text, variables)).rowCount > 0;
    };
    while (!(await isRunning())) await tick();
    const reason = new Error("stopped");
    stop.abort(reason);
    await assert.rejects(running, reason);
    while (await isRunning()) await tick();
  });
});

describe("on a server that the driver's authors made for tests", () => {
  const target = { host: "localhost", database: "shop", username: "ada", password: "correct horse" };

  async function served(
    answer: (connection: mysql.Connection) => void,
    changes: Record<string, string> = {},
  ): Promise<{ result: PromiseSettledResult<Output>; sent: Buffer }> {
    const sent: Buffer[] = [];
    const server = mysql.createServer(() => {});
    server.on("connection", (connection: mysql.Connection) => {
      connection.on("error", () => {});
      const { stream } = connection as unknown as { stream: NodeJS.ReadableStream };
      stream.on("data", (bytes: Buffer) => sent.push(bytes));
      answer(connection);
    });
    const listening = server as unknown as { _server: NodeServer };
    await new Promise<void>((resolve) => listening._server.listen(0, "127.0.0.1", resolve));
    const { port } = listening._server.address() as AddressInfo;
    const [result] = await Promise.allSettled([
      run("select 1", { ...target, port: String(port), ...changes }),
    ]);
    server.close(() => {});
    return { result: result!, sent: Buffer.concat(sent) };
  }
  const greet = (connection: mysql.Connection, more: object = {}) =>
    (connection as unknown as { serverHandshake(options: object): void }).serverHandshake({
      protocolVersion: 10,
      serverVersion: "8.0.0",
      connectionId: 1,
      statusFlags: 2,
      characterSet: 33,
      capabilityFlags: 0x00_88_a2_0f,
      ...more,
    });

  test("sends nobody a password in the clear who has no TLS, unless that is asked for", async () => {
    const { result, sent } = await served((connection) => greet(connection));
    assert.equal(result.status, "rejected");
    failsWith("TLS_FAILED", /has no TLS.*useSSL/, false)((result as PromiseRejectedResult).reason);
    assert.ok(!sent.includes("ada"), sent.toString("latin1"));
    const byAddress = await served((connection) => greet(connection), { host: "127.0.0.1" });
    failsWith("TLS_FAILED", /give the name in it/, false)((byAddress.result as PromiseRejectedResult).reason);
  });

  test("says what the server says of a sign-in", async () => {
    const denied = {
      authCallback: (_: unknown, done: (error: null, refusal: object) => void) =>
        done(null, { message: "no ada here", code: 1045 }),
    };
    const { result, sent } = await served((connection) => greet(connection, denied), { useSSL: "false" });
    failsWith("SIGN_IN_FAILED", /no ada here/, false)((result as PromiseRejectedResult).reason);
    assert.ok(sent.includes("ada"));
  });

  test("survives one that breaks off, and goes nowhere else", async () => {
    const { result } = await served(() => {}, { useSSL: "false", host: "169.254.169.254" });
    failsWith("EGRESS_BLOCKED", /link-local/, false)((result as PromiseRejectedResult).reason);
    const broken = await served((connection) => connection.destroy(), { useSSL: "false" });
    failsWith("CONNECTION_FAILED", /did not answer/, true)((broken.result as PromiseRejectedResult).reason);
  });
});

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
