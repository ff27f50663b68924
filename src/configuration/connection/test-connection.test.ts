import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { makeCertificate } from "../../../test/helpers/certificates.ts";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { createTestDatabase } from "../../../test/helpers/database.ts";
import { httpServer } from "../../../test/helpers/http-server.ts";
import { type ConnectionTest, type ConnectionType, connectionTypes } from "../../contract/connection.ts";
import { newId } from "../../lib/ids.ts";
import { testableTypes } from "./test-connection.ts";

const secret = "cnry/token+1";

function rest(baseUrl: string, variables: Record<string, string> = {}) {
  return { name: "api", connectionType: "rest-api", variables: { baseUrl, token: secret, ...variables } };
}

const outcomes = ({ steps }: ConnectionTest) => steps.map(({ name, status }) => `${name} ${status}`);
const messages = ({ steps }: ConnectionTest) => steps.map(({ message }) => message ?? "").join(" ");

test("tries a REST API in steps, and says which of them failed and why", async (t) => {
  const app = await configurationApp(t);
  const { certificate: cert, privateKey: key } = makeCertificate({ subject: "api", dns: ["localhost"] });
  const secure = createServer({ cert, key }, (_request, response) => response.end());
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  t.after(() => secure.close());
  await using server = await httpServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://x");
    if (pathname === "/to/echo") {
      const query = new URLSearchParams({ seen: request.headers.authorization ?? "" });
      response.writeHead(302, { location: `/seen/${encodeURIComponent(secret)}?${query}` }).end();
    } else if (pathname === "/to/metadata") {
      response.writeHead(302, { location: "http://[::ffff:169.254.169.254]/latest" }).end();
    } else
      response
        .writeHead(Number(pathname.split("/")[1]) || 200)
        .end(`you are ${request.headers.authorization}`);
  });
  await using elsewhere = await httpServer((_request, response) => response.writeHead(401).end());

  const ok = ["Settings SUCCESS", "Connect SUCCESS", "Request SUCCESS"];
  const bad = ["Settings SUCCESS", "Connect SUCCESS", "Request FAILED"];
  const unreached = ["Settings SUCCESS", "Connect FAILED", "Request SKIPPED"];
  const cases: [string, Record<string, string>, string[], RegExp][] = [
    [`${server.url}/200`, {}, ok, /GET http.*\/200 answered 200\./],
    [`${server.url}/404`, {}, ok, /has nothing under the base URL/],
    [`${server.url}/401`, {}, bad, /answered 401: the credentials were not accepted/],
    [`${server.url}/403`, {}, bad, /not accepted/],
    [`${server.url}/503`, {}, bad, /trouble of its own/],
    [
      `${server.url}/to/echo`,
      {},
      ok,
      /\/seen\/\*\*\*\?seen=Bearer\+\*\*\* answered 200|\/seen\/\*\*\*\?seen=\*\*\* answered/,
    ],
    [`${server.url}/to/metadata`, {}, bad, /may not connect to .*link-local/],
    ["http://127.0.0.1:1/", {}, unreached, /nothing listens there/],
    ["http://169.254.169.254/", {}, unreached, /link-local/],
    ["http://[::ffff:a9fe:a9fe]/", {}, unreached, /link-local/],
    ["http://2852039166/", {}, unreached, /link-local/],
    [
      `https://localhost:${(secure.address() as AddressInfo).port}`,
      {},
      unreached,
      /certificate is self-signed/,
    ],
    [server.url.replace("http:", "https:"), {}, unreached, /TLS handshake/],
  ];
  for (const [baseUrl, variables, expected, said] of cases) {
    const { status, data, body } = await app.call("POST", "/connection/test", rest(baseUrl, variables));
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(outcomes(data), expected, `${baseUrl}: ${messages(data)}`);
    assert.match(messages(data), said);
    assert.equal(data.status, expected === ok ? "success" : "failure");
    assert.ok(Number.isInteger(data.durationMs) && data.steps.every((step: object) => "durationMs" in step));
    assert.ok(!JSON.stringify(body).includes("cnry"), JSON.stringify(body));
  }
  // Behind a redirect to another origin nobody hears of the token.
  await using leading = await httpServer((_request, response) =>
    response.writeHead(302, { location: `${elsewhere.url}/` }).end(),
  );
  const led = await app.call(
    "POST",
    "/connection/test",
    rest(leading.url, { headers: '{"x-api-key":"cnry-header"}' }),
  );
  assert.deepEqual(outcomes(led.data), bad);
  const { authorization, "x-api-key": apiKey } = elsewhere.requests[0]!.headers;
  assert.deepEqual([authorization, apiKey], [undefined, undefined]);
});

test("signs in to a database, and says what it says", async (t) => {
  const app = await configurationApp(t);
  await using database = await createTestDatabase({ empty: true });
  const { hostname, port, username, password, pathname } = new URL(database.url);
  const good = {
    host: hostname,
    port,
    database: pathname.slice(1),
    username,
    password: decodeURIComponent(password),
  };
  const tested = async (variables: object, connectionType = "database-relational2") => {
    const { data, body } = await app.call("POST", "/connection/test", {
      name: "db",
      connectionType,
      variables,
    });
    assert.ok(data, JSON.stringify(body));
    return data as ConnectionTest;
  };
  const done = await tested(good);
  assert.deepEqual(outcomes(done), [
    "Settings SUCCESS",
    "Connect SUCCESS",
    "Sign in SUCCESS",
    "Query SUCCESS",
  ]);
  const wrong = await tested({ ...good, password: "cnry password" });
  assert.deepEqual(outcomes(wrong), [
    "Settings SUCCESS",
    "Connect SUCCESS",
    "Sign in FAILED",
    "Query SKIPPED",
  ]);
  assert.match(messages(wrong), /password authentication failed/);
  const short = await tested({ ...good, username: "p", database: "p", password: "p" });
  assert.match(messages(short), /is not shown: a secret of the connection is too short/);
  const noTls = await tested({ ...good, "x-sslmode": "verify-full" });
  assert.match(messages(noTls), /has no TLS/);
});

test("says of the other types that they can't be tested yet, and of each type whether it can", async (t) => {
  const app = await configurationApp(t);
  const types = (await app.call("GET", "/connection/types")).data as {
    connectionType: ConnectionType;
    testable: boolean;
  }[];
  assert.deepEqual(
    types
      .filter(({ testable }) => testable)
      .map(({ connectionType }) => connectionType)
      .sort(),
    [...testableTypes].sort(),
  );
  const made = await app.call("POST", "/connection/upsert", {
    name: "f",
    connectionType: "ftp",
    variables: { host: "ftp.example.com" },
  });
  const refused = await app.call("POST", `/connection/${made.data.id}/test`);
  assert.deepEqual([refused.status, refused.body.error.code], [409, "INVALID_STATE"]);
  assert.match(refused.body.message, /type ftp \(FTP\) can't be tested yet\. Those that can are rest-api/);
  for (const connectionType of connectionTypes.filter((type) => !testableTypes.includes(type))) {
    const { body } = await app.call("POST", "/connection/test", { name: "x", connectionType });
    assert.equal(body.error.code, "INVALID_STATE", connectionType);
  }
});

test("uses what is stored, on record first, and lets nobody send it elsewhere", async (t) => {
  const app = await configurationApp(t);
  await using server = await httpServer((_request, response) => response.end());
  await using attacker = await httpServer((_request, response) => response.end());
  const { data: made } = await app.call("POST", "/connection/upsert", rest(server.url));
  const writer = (await app.principal("writer", ["ConfigService:Connection:upsert"])).token;
  const reader = (await app.principal("reader", ["ConfigService:Connection:read"])).token;
  const ask = (token: string, body?: object) =>
    app.as(token, "POST", body ? "/connection/test" : `/connection/${made.id}/test`, body);

  for (const body of [undefined, rest(server.url)]) {
    assert.equal((await ask(reader, body)).status, 403);
    assert.equal(server.requests.length, 0);
  }
  app.trail.isAway = true;
  for (const body of [undefined, { ...rest(server.url), id: made.id }]) {
    assert.equal((await ask(writer, body)).body.error.code, "STORE_UNAVAILABLE");
  }
  assert.equal(server.requests.length, 0, "nothing is sent that is not on record");
  app.trail.isAway = false;

  assert.equal((await ask(writer)).data.status, "success");
  // As it was answered, secrets sealed: what a form sends.
  const { variables } = (await app.call("GET", `/connection/${made.id}`)).data;
  const kept = { id: made.id, name: "api", connectionType: "rest-api", variables };
  assert.equal((await ask(writer, kept)).data.status, "success");
  assert.equal((await ask(writer, { ...kept, variables: { baseUrl: server.url } })).data.status, "success");
  for (const { headers } of server.requests) assert.equal(headers.authorization, `Bearer ${secret}`);
  assert.equal(server.requests.length, 3);

  for (const given of [{ ...variables, baseUrl: attacker.url }, { baseUrl: attacker.url }]) {
    for (const named of [{ id: made.id }, {}]) {
      const body = { ...named, name: "api", connectionType: "rest-api", variables: given };
      assert.equal((await ask(writer, body)).body.error.code, "SECRET_REENTRY_REQUIRED");
    }
  }
  const moved = {
    name: "other",
    connectionType: "rest-api",
    variables: { ...variables, baseUrl: attacker.url },
  };
  assert.equal((await ask(writer, moved)).body.error.code, "DECRYPT_FAILED");
  assert.equal((await ask(writer, { ...kept, id: newId() })).status, 404);
  assert.equal((await ask(writer, { ...kept, variables: { baseUrl: "ftp://x" } })).status, 400);
  assert.equal(attacker.requests.length, 0);
  assert.equal((await app.as(writer, "POST", `/connection/${newId()}/test`)).status, 404);

  const { data: after } = await app.call("GET", `/connection/${made.id}`);
  assert.deepEqual([after.version, after.updatedAt], [1, made.updatedAt], "a test changes nothing");
  const lines = app.trail.entries.filter(({ action }) => action.startsWith("testConnection"));
  assert.deepEqual([...new Set(lines.map(({ outcome }) => outcome))].sort(), [
    "failed",
    "forbidden",
    "success",
  ]);
  assert.ok(!JSON.stringify(app.trail.entries).includes("cnry"));
});

test("tests a few at a time", async (t) => {
  const app = await configurationApp(t);
  const waiting: (() => void)[] = [];
  const arrived = Promise.withResolvers<void>();
  await using server = await httpServer((_request, response) => {
    waiting.push(() => response.end());
    if (waiting.length === 8) arrived.resolve();
  });
  const tests = Array.from({ length: 8 }, () => app.call("POST", "/connection/test", rest(server.url)));
  await arrived.promise;
  const refused = await app.call("POST", "/connection/test", rest(server.url));
  assert.deepEqual([refused.status, refused.body.error.code], [503, "OVERLOADED"]);
  for (const answer of waiting) answer();
  for (const { data } of await Promise.all(tests)) assert.equal(data.status, "success");
});
