import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { test } from "node:test";
import { asAdmin, dummyApp } from "../../test/helpers/dummy-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";
import { ApiError, type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import { isStoreUnavailable } from "../db/faults.ts";
import { healthRoutes } from "./health.ts";

const failing = (error: unknown) => dummyApp(() => Promise.reject(error));
const me = { url: "/me", headers: asAdmin };

test("wraps data in the envelope, and leaves a bare body bare", async () => {
  const { app } = await dummyApp((name) => {
    if (name === "whoAmI") return { data: { id: "1" }, message: "Hello." };
    if (name === "listTokens") return { data: [], meta: { totalElements: 0, page: 0, size: 100 } };
    if (name === "createPrincipal") return { data: { id: "2" } };
    if (name === "exportJob") return { body: "a: 1\n", type: "application/yaml" };
    return { body: { status: "RUNNING" }, status: 202 };
  });
  assert.deepEqual((await app.inject(me)).json(), {
    status: "success",
    message: "Hello.",
    data: { id: "1" },
    error: null,
  });
  const list = (await app.inject({ url: "/token", headers: asAdmin })).json();
  assert.deepEqual(list.meta, { totalElements: 0, page: 0, size: 100 });
  const payload = { name: "a", authorities: [] };
  const made = await app.inject({ method: "POST", url: "/principal", headers: asAdmin, payload });
  assert.equal(made.statusCode, 201);
  const id = "01890a5d-ac96-774b-bcce-b302099a8057";
  const yaml = await app.inject({ url: `/jobs/${id}/export`, headers: asAdmin });
  assert.equal(yaml.headers["content-type"], "application/yaml; charset=utf-8");
  assert.equal(yaml.body, "a: 1\n");
  const start = {
    method: "POST",
    url: "/api/v2/job/start",
    headers: asAdmin,
    payload: { jobId: id },
  } as const;
  assert.deepEqual((await app.inject(start)).json(), { status: "RUNNING" });
  assert.equal((await app.inject(start)).statusCode, 202);
});

test("answers every code of the catalogue with its status", async () => {
  for (const [code, { status }] of Object.entries(errorCatalogue)) {
    const details = [{ path: "/a", message: "b." }];
    const { app } = await failing(
      new ApiError(code as ErrorCode, "Do this next.", { details, retryAfter: 7 }),
    );
    const response = await app.inject(me);
    assertRefused(response, status, code);
    assert.equal(response.headers["retry-after"], status === 429 || status === 503 ? "7" : undefined);
    if (code !== "INTERNAL") assert.deepEqual(response.json().error.details, details);
  }
});

test("tells nothing of an unknown fault, and logs it with its stack under the request id", async () => {
  const { app, logged } = await failing(new Error("password=hunter2 in /srv/pawl"));
  const response = await app.inject({ ...me, headers: { ...asAdmin, "x-request-id": "find-me" } });
  assertRefused(response, 500, "INTERNAL");
  assert.doesNotMatch(response.body, /hunter2|srv|stack/);
  assert.match(response.json().message, /find-me/);
  const line = logged.find((entry) => entry.level === 50)!;
  assert.equal(line.reqId, "find-me");
  assert.match((line.err as { stack: string }).stack, /hunter2[\s\S]*at /);
});

test("takes whatever is thrown, even nothing", async () => {
  for (const thrown of [undefined, null, "text", 5, {}, Object.assign(new Error("x"), { statusCode: 200 })]) {
    assertRefused(await (await failing(thrown)).app.inject(me), 500, "INTERNAL");
  }
});

test("answers 503 with Retry-After when the store is away", async () => {
  const { app } = await failing(Object.assign(new Error("connect 10.0.0.1"), { code: "ECONNREFUSED" }));
  const response = await app.inject(me);
  assertRefused(response, 503, "STORE_UNAVAILABLE");
  assert.ok(Number(response.headers["retry-after"]) >= 1);
  assert.doesNotMatch(response.body, /10\.0\.0\.1/);
});

test("tells a lost database connection from a client that went away", async () => {
  const { refusalOf } = await import("./failure.ts");
  const reset = (extra: object) =>
    Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", ...extra });
  const codeOf = (error: unknown) => refusalOf(error, "id", isStoreUnavailable).body.error.code;
  assert.equal(codeOf(reset({})), "STORE_UNAVAILABLE");
  assert.equal(codeOf(reset({ statusCode: 400 })), "MALFORMED_JSON");
  assert.equal(codeOf(new TypeError("x is not a function")), "INTERNAL");
});

test("answers 404 for unknown paths and 405 with Allow for known ones", async () => {
  const { app } = await dummyApp();
  assertRefused(await app.inject({ url: "/nothing?x=1" }), 404, "NOT_FOUND");
  assertRefused(await app.inject({ method: "POST", url: "/nothing", payload: { a: 1 } }), 404, "NOT_FOUND");
  for (const [method, url, allow] of [
    ["DELETE", "/me", "GET"],
    ["PATCH", "/principal", "GET, POST"],
    ["GET", "/api/v2/job/start", "POST"],
    ["HEAD", "/me", "GET"],
    ["OPTIONS", "/token", "GET, POST"],
    ["POST", "/principal/x", "GET, PUT, DELETE"],
  ] as const) {
    const response = await app.inject({ method, url });
    assert.equal(response.statusCode, 405, `${method} ${url}`);
    assert.equal(response.headers.allow, allow);
    if (method !== "HEAD") assertRefused(response, 405, "METHOD_NOT_ALLOWED");
  }
});

test("answers paths that can't be read", async () => {
  const { app } = await dummyApp();
  assertRefused(await app.inject({ url: "/jobs/%zz" }), 400, "VALIDATION_FAILED");
  assertRefused(await app.inject({ url: "/jobs/%ff" }), 400, "VALIDATION_FAILED");
  assertRefused(
    await app.inject({ url: `/jobs/${"x".repeat(3000)}`, headers: asAdmin }),
    400,
    "VALIDATION_FAILED",
  );
});

test("gives every request an id, the client's own when it is harmless", async () => {
  const { app } = await dummyApp();
  const idFor = async (given?: string) =>
    (await app.inject({ url: "/nothing", headers: given ? { "x-request-id": given } : {} })).headers[
      "x-request-id"
    ];
  assert.match(String(await idFor()), /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.notEqual(await idFor(), await idFor());
  assert.equal(await idFor("Trace_1.2-3"), "Trace_1.2-3");
  for (const bad of ["a b", "x".repeat(65), "<script>", "a,b", "é"])
    assert.match(String(await idFor(bad)), /-7/);
});

test("logs one line a request, without credentials, query or body", async () => {
  const { app, logged } = await dummyApp(() => ({ data: null }));
  await app.inject({ ...me, url: "/principal?size=5", headers: { ...asAdmin, cookie: "c00kie" } });
  const payload = { name: "s3cret", authorities: [] };
  await app.inject({ method: "POST", url: "/principal", headers: asAdmin, payload });
  assert.equal(logged.length, 2);
  const { level, method, path, route, status, by, reqId } = logged[0]!;
  assert.deepEqual(
    { level, method, path, route, status, by },
    { level: 30, method: "GET", path: "/principal", route: "listPrincipals", status: 200, by: "admin" },
  );
  assert.equal(typeof reqId, "string");
  assert.doesNotMatch(JSON.stringify(logged), /Bearer|c00kie|size|s3cret/);
});

test("keeps credentials out of whatever else is logged", async () => {
  const { app, logged } = await dummyApp();
  app.log.info(
    { headers: { authorization: "Bearer s3cret", cookie: "s3cret", "set-cookie": "s3cret" } },
    "a",
  );
  app.log.info({ req: { headers: { authorization: "Bearer s3cret" } }, authorization: "s3cret" }, "b");
  assert.doesNotMatch(JSON.stringify(logged), /s3cret/);
});

test("sends the security headers with answers and refusals", async () => {
  const { app } = await dummyApp(() => ({ data: null }));
  for (const request of [me, { url: "/me" }, { url: "/nothing" }]) {
    const { headers } = await app.inject(request);
    assert.match(String(headers["content-security-policy"]), /default-src 'none'/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-powered-by"], undefined);
  }
});

test("answers what is not HTTP in the envelope too", async (t) => {
  const { app } = await dummyApp();
  t.after(() => app.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  for (const raw of [
    "NONSENSE\r\n\r\n",
    `GET /me HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
    "POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ]) {
    const socket = connect(port, "127.0.0.1");
    socket.write(raw);
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk));
    await once(socket, "close");
    const [head, body] = answer.split("\r\n\r\n") as [string, string];
    assert.match(head, /^HTTP\/1.1 400 /);
    assert.equal(JSON.parse(body).error.code, "VALIDATION_FAILED");
    assert.ok(head.includes(`X-Request-Id: ${JSON.parse(body).error.requestId}`));
  }
});

test("ignores an expectation that it doesn't know, rather than refuse outside the envelope", async (t) => {
  const { app } = await dummyApp();
  t.after(() => app.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /me HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n");
  const [answer] = await once(socket, "data");
  assert.match(String(answer), /^HTTP\/1.1 401 [\s\S]*UNAUTHENTICATED/);
});

test("is ready when every check passes, and else names those that don't", async () => {
  const { createApp } = await import("./app.ts");
  const authenticate = () => assert.fail("health needs no credential");
  async function ask(checks: Parameters<typeof healthRoutes>[1]) {
    const app = await createApp({ authenticate, isStoreUnavailable: () => false });
    healthRoutes(app, checks);
    assert.deepEqual((await app.inject("/health/live")).json(), { status: "ok" });
    return app.inject("/health/ready");
  }
  const fine = async () => {};
  assert.deepEqual((await ask({ database: fine, engine: fine })).json(), {
    status: "ok",
    checks: { database: "ok", engine: "ok" },
  });
  const away = await ask({
    database: () => Promise.reject(new Error("user postgres at 10.0.0.1")),
    engine: fine,
  });
  assertRefused(away, 503, "STORE_UNAVAILABLE");
  assert.match(away.json().message, /database/);
  assert.doesNotMatch(away.body, /postgres at/);
  assert.ok(away.headers["retry-after"]);
  const busy = await ask({ engine: () => Promise.reject(new ApiError("OVERLOADED", "Still recovering.")) });
  assertRefused(busy, 503, "OVERLOADED");
  assertRefused(
    await ask({
      engine: () => {
        throw new Error("at once");
      },
    }),
    503,
    "STORE_UNAVAILABLE",
  );
});
