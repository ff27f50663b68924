import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { TLSSocket } from "node:tls";
import pg from "pg";
import { makeCertificate } from "../../../test/helpers/certificates.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/helpers/database.ts";
import { runStep, type StepCall } from "../../../test/helpers/step.ts";
import type { StepConnection } from "../../contract/connection.ts";
import { createDialer } from "../../lib/dialer.ts";
import type { StepError } from "../../lib/step-error.ts";
import { inputFaults, type SqlInput } from "./input.ts";
import { sql } from "./sql.ts";

interface Output {
  rows: Record<string, unknown>[];
  rowCount: number;
  columns: string[];
}

const dialer = createDialer({ policy: "guarded", ownPorts: () => [] });
const type = sql(dialer);
let database: TestDatabase;
let admin: pg.Client;
let variables: Record<string, string>;

before(async () => {
  database = await createTestDatabase({ empty: true });
  const { hostname, port, username, password, pathname } = new URL(database.url);
  variables = {
    host: hostname,
    port,
    database: pathname.slice(1),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query("create table item (id serial primary key, name text unique, price numeric)");
});
after(async () => {
  await admin.end();
  await database.drop();
  await dialer.close();
});

function connectionOf(changes: Record<string, string> = {}, given = variables): StepConnection {
  return {
    id: "0",
    name: "db",
    connectionType: "database-relational2",
    variables: { ...given, ...changes },
    sensitiveVariables: ["password"],
  };
}

function run(input: string | SqlInput, call: Partial<StepCall> = {}): Promise<Output> {
  const given = typeof input === "string" ? { sql: input } : input;
  return runStep(type, { connection: connectionOf(), ...call, input: given }) as Promise<Output>;
}

const failsWith = (code: string, message: RegExp, retryable?: boolean) => (error: unknown) => {
  const fault = error as { code: string; message: string; retryable: boolean };
  assert.deepEqual(
    [fault.code, fault.message.match(message)?.[0] ?? fault.message],
    [code, fault.message.match(message)?.[0] ?? message],
  );
  if (retryable !== undefined) assert.equal(fault.retryable, retryable);
  return true;
};

test("binds values, whatever they hold, and says what was changed", async () => {
  const names = ["it's", "'); drop table item; --", "$1", "{{ params.x }}", "søk", "\\"];
  for (const name of names) {
    const made = await run({
      sql: "insert into item (name, price) values ($1, $2) returning id, name",
      values: [name, 1.5],
    });
    assert.deepEqual([made.rowCount, made.rows[0]!.name], [1, name]);
  }
  const found = await run({ sql: "select name from item where name = any($1) order by id", values: [names] });
  assert.deepEqual(
    found.rows.map(({ name }) => name),
    names,
  );
  const changed = await run({ sql: "update item set price = price + 1 where price < $1", values: [100] });
  assert.deepEqual([changed.rowCount, changed.rows, changed.columns], [names.length, [], []]);
  assert.deepEqual(await run({ sql: "select $1::jsonb as j, $2::text as n", values: [{ a: [1] }, null] }), {
    columns: ["j", "n"],
    rows: [{ j: { a: [1] }, n: null }],
    rowCount: 1,
  });
});

test("hands on values as JSON has them, none of them rounded", async () => {
  const cases: [string, unknown][] = [
    ["1::int2", 1],
    ["count(*)", 1],
    ["9007199254740993::int8", "9007199254740993"],
    ["0.10::numeric", 0.1],
    ["-12.500::numeric", -12.5],
    ["123456789012345678901.5::numeric", "123456789012345678901.5"],
    ["'NaN'::float8", "NaN"],
    ["'infinity'::numeric", "Infinity"],
    ["1.5::float4", 1.5],
    ["true", true],
    ["null::int", null],
    ["'\\x00ff'::bytea", "AP8="],
    [`'{"a":[1]}'::jsonb`, { a: [1] }],
    ["'2026-01-31'::date", "2026-01-31"],
    ["'2026-01-31 10:00:00.123456'::timestamp", "2026-01-31T10:00:00.123456"],
    ["'2026-01-31 10:00:00+02'::timestamptz", "2026-01-31T08:00:00.000Z"],
    ["'infinity'::timestamptz", "infinity"],
    ["array[1,2,null]", [1, 2, null]],
    ["array[1.10,9007199254740993.5]::numeric[]", [1.1, "9007199254740993.5"]],
    [
      "array[['a','b,'],['c','{']]",
      [
        ["a", "b,"],
        ["c", "{"],
      ],
    ],
    ["interval '1 day 2 hours'", "1 day 02:00:00"],
    ["'a'::\"char\"", "a"],
  ];
  const columns = cases.map(([expression], i) => `${expression} as c${i}`).join(", ");
  const { rows } = await run(`select ${columns}`);
  assert.deepEqual(
    Object.values(rows[0]!),
    cases.map(([, value]) => value),
  );
});

test("keeps columns of one name apart", async () => {
  const { rows, columns } = await run(`select 1 as id, 2 as id, 3 as id_2, 4 as "__proto__"`);
  assert.deepEqual(columns, ["id", "id_2", "id_2_2", "__proto__"]);
  assert.deepEqual(Object.entries(rows[0]!), [
    ["id", 1],
    ["id_2", 2],
    ["id_2_2", 3],
    ["__proto__", 4],
  ]);
});

describe("refuses", () => {
  const refusals: [string, SqlInput | string, string, RegExp, boolean?][] = [
    [
      "a statement that the database does not take",
      "selekt 1",
      "SQL_FAILED",
      /syntax error at or near "selekt"\. \(SQLSTATE 42601\)/,
      false,
    ],
    [
      "several statements in one",
      "select 1; select 2",
      "SQL_FAILED",
      /cannot insert multiple commands/,
      false,
    ],
    ["too few values", { sql: "select $1::int, $2::int", values: [1] }, "SQL_FAILED", /SQLSTATE 08P01/],
    [
      "what breaks a rule of the table",
      "insert into item (name) values ('same'), ('same')",
      "SQL_FAILED",
      /duplicate key.*Key \(name\)=\(same\) already exists/,
      false,
    ],
    [
      "more rows than asked for",
      { sql: "select generate_series(1, 11)", maxRows: 10 },
      "RESULT_TOO_LARGE",
      /more than 10 rows/,
      false,
    ],
    [
      "more bytes than asked for",
      { sql: "select repeat('x', 600) from generate_series(1, 10)", maxBytes: 5_000 },
      "RESULT_TOO_LARGE",
      /more than 5000 bytes/,
      false,
    ],
    [
      "one value that is larger than memory should hold",
      { sql: "select repeat('x', 200_000_000)", maxBytes: 1_000 },
      "RESULT_TOO_LARGE",
      /more than 1000 bytes/,
      false,
    ],
    [
      "a statement that takes too long",
      { sql: "select pg_sleep(60)", maxDurationMs: 50 },
      "SQL_TIMEOUT",
      /longer than 50 ms/,
      true,
    ],
    ["to take rows from the client", "copy item from stdin", "SQL_FAILED", /COPY/i],
  ];
  for (const [what, input, code, message, retryable] of refusals) {
    test(what, () => assert.rejects(run(input), failsWith(code, message, retryable)));
  }

  const connections: [string, Record<string, string>, string, RegExp, boolean?][] = [
    [
      "a wrong database",
      { database: "nowhere" },
      "SIGN_IN_FAILED",
      /database "nowhere" does not exist.*3D000/,
      false,
    ],
    [
      "a wrong user",
      { username: "nobody", password: "cnry-password" },
      "SIGN_IN_FAILED",
      /SQLSTATE 28/,
      false,
    ],
    [
      "a port where nothing listens",
      { port: "1" },
      "CONNECTION_FAILED",
      /could not be reached: nothing listens/,
      true,
    ],
    ["a metadata address", { host: "169.254.169.254" }, "EGRESS_BLOCKED", /link-local/, false],
    ["the same as IPv6", { host: "[::ffff:169.254.169.254]" }, "EGRESS_BLOCKED", /link-local/, false],
    [
      "a server without TLS where it is asked for",
      { "x-sslmode": "require" },
      "TLS_FAILED",
      /has no TLS/,
      false,
    ],
    [
      "a mode that is none",
      { "x-sslmode": "maybe" },
      "INVALID_INPUT",
      /disable, prefer, require, verify-full/,
      false,
    ],
    ["a connection without a host", { host: "" }, "INVALID_INPUT", /lacks its host/, false],
  ];
  for (const [what, changes, code, message, retryable] of connections) {
    test(what, () =>
      assert.rejects(
        run("select 1", { connection: connectionOf(changes) }),
        failsWith(code, message, retryable),
      ),
    );
  }
});

test("takes no password from the environment or the account of the server", async () => {
  process.env.PGPASSWORD = "from-the-environment";
  try {
    await using fake = await asksForPassword();
    const target = { host: "127.0.0.1", port: String(fake.port), "x-sslmode": "disable", password: "" };
    await assert.rejects(run("select 1", { connection: connectionOf(target) }));
    assert.deepEqual(fake.seen, ["\0"]);
  } finally {
    delete process.env.PGPASSWORD;
  }
});

test("sends no password in the clear that nobody said it may", async () => {
  await using fake = await asksForPassword();
  const target = { host: "127.0.0.1", port: String(fake.port), password: "cnry-clear" };
  await assert.rejects(
    run("select 1", { connection: connectionOf(target) }),
    failsWith("TLS_FAILED", /asks for the password in the clear.*x-sslmode to disable/, false),
  );
  assert.deepEqual(fake.seen, []);
  const allowed = connectionOf({ ...target, "x-sslmode": "disable" });
  await assert.rejects(run("select 1", { connection: allowed }));
  assert.deepEqual(fake.seen, ["cnry-clear\0"]);
});

test("ends the statement on the server when the step is stopped", async () => {
  const stop = new AbortController();
  const running = run("select pg_sleep(60) /* the one to stop */", { signal: stop.signal });
  const isRunning = async () => {
    const { rows } = await admin.query(
      "select from pg_stat_activity where query like '%the one to stop%' and state = 'active' and pid <> pg_backend_pid()",
    );
    return rows.length > 0;
  };
  while (!(await isRunning())) await tick();
  const reason = new Error("stopped");
  stop.abort(reason);
  await assert.rejects(running, reason);
  while (await isRunning()) await tick();
  await assert.rejects(run("select 1", { signal: AbortSignal.abort(reason) }), reason);
});

describe("encrypts", () => {
  const { certificate: cert, privateKey: key } = makeCertificate({ subject: "db", dns: ["localhost"] });

  /** The real database behind a TLS that it has not itself. */
  const front = (answer: string) =>
    listener((socket) => {
      socket.once("data", () => {
        socket.write(answer);
        if (answer !== "S") return;
        const secure = new TLSSocket(socket, { isServer: true, cert, key });
        const behind = connectTo();
        secure.on("error", () => behind.destroy());
        behind.on("error", () => secure.destroy());
        secure.on("close", () => behind.destroy());
        secure.pipe(behind).pipe(secure);
      });
    });
  const connectTo = () => connect(Number(variables.port), variables.host!);

  test("where the server can, and looks at its certificate where that is asked for", async () => {
    await using server = await front("S");
    const over = (mode: string) =>
      run("select 1 as one", {
        connection: connectionOf({ host: "localhost", port: String(server.port), "x-sslmode": mode }),
      });
    for (const mode of ["prefer", "require"]) assert.deepEqual((await over(mode)).rows, [{ one: 1 }]);
    await assert.rejects(over("verify-full"), failsWith("TLS_FAILED", /certificate is self-signed/));
  });

  test("and takes nothing that came before the encryption", async () => {
    await using server = await front("SE");
    const target = { port: String(server.port), host: "127.0.0.1" };
    await assert.rejects(
      run("select 1", { connection: connectionOf(target) }),
      failsWith("CONNECTION_FAILED", /does not speak the protocol/),
    );
  });
});

test("survives a server that speaks something else, breaks off, or never ends", async () => {
  const answers: [(socket: Socket) => void, RegExp][] = [
    [(socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"), /^(CONNECTION_FAILED|SIGN_IN_FAILED)/],
    [(socket) => socket.end(Buffer.from([82, 255, 255, 255, 255])), /^CONNECTION_FAILED/],
    [(socket) => socket.destroy(), /^CONNECTION_FAILED/],
    [
      (socket) =>
        socket.write(Buffer.concat([Buffer.from([78, 127, 255, 255, 255]), Buffer.alloc(4_000_000)])),
      /^CONNECTION_FAILED .*sends more than a sign-in takes/,
    ],
  ];
  for (const [answer, expected] of answers) {
    await using server = await listener((socket) => {
      socket.once("data", () => answer(socket));
    });
    const target = { host: "127.0.0.1", port: String(server.port), "x-sslmode": "disable" };
    await assert.rejects(run("select 1", { connection: connectionOf(target) }), (error: StepError) =>
      expected.test(`${error.code} ${error.message}`),
    );
  }
});

test("finds an expression in the text of a statement when the job is saved, and no array", () => {
  assert.match(inputFaults({ sql: "select * from t where id = {{ params.id }}" })[0]!.message, /Write \$1/);
  assert.match(inputFaults({ sql: "{{steps['a'].output}}" })[0]!.message, /in values/);
  assert.deepEqual(inputFaults({ sql: "select '{{1,2},{3,4}}'::int[], '{{params}}'" }), []);
});

/** A server without TLS that wants a password as it is, and keeps what it is sent for one. */
async function asksForPassword() {
  const seen: string[] = [];
  const server = await listener((socket) => {
    const ask = () => {
      socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]));
      socket.once("data", (answer) => {
        seen.push(answer.subarray(5).toString());
        socket.destroy();
      });
    };
    socket.once("data", (first) => {
      if (first.length > 8) return ask();
      socket.write("N");
      socket.once("data", ask);
    });
  });
  return { ...server, seen };
}

async function listener(serve: (socket: Socket) => void) {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    serve(socket);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
