import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { identityApp } from "../../test/helpers/identity-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";
import { createAuthenticator } from "./authenticate.ts";
import { ensureAdmin } from "./first-start.ts";
import { newToken } from "./tokens.ts";

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057";
const DAY_MS = 86_400_000;

test("makes an administrator at the first start, once", async (t) => {
  const { pool, admin, call } = await identityApp(t);
  const me = await call(admin, "GET", "/me");
  assert.equal(me.status, 200);
  assert.deepEqual({ ...me.data, id: "" }, { id: "", name: "admin", authorities: ["*:*:*"], jobs: null });
  const never = () => assert.fail("no second token");
  assert.equal(await ensureAdmin(pool, { keep: never }), null);
});

test("makes one administrator when several start at once, and none whose token could not be kept", async (t) => {
  const { pool } = await identityApp(t);
  await pool.query("delete from principal");
  const lost = new Error("disk full");
  await assert.rejects(ensureAdmin(pool, { keep: () => Promise.reject(lost) }), lost);
  const kept: string[] = [];
  const keep = async (token: string) => void kept.push(token);
  const made = await Promise.all([1, 2, 3, 4].map(() => ensureAdmin(pool, { keep })));
  assert.deepEqual(
    made.filter((token) => token !== null),
    kept,
  );
  assert.equal(kept.length, 1);
});

test("creates, reads, lists, changes and deletes principals", async (t) => {
  const { admin, call } = await identityApp(t);
  const input = { name: "ci", kind: "service", authorities: ["JobService:*:*"], jobs: { tags: ["ci"] } };
  const made = await call(admin, "POST", "/principal", input);
  assert.equal(made.status, 201);
  const { id, createdAt, ...rest } = made.data;
  assert.deepEqual(rest, { ...input, externalId: null });
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual((await call(admin, "GET", `/principal/${id.toUpperCase()}`)).data, made.data);

  const list = await call(admin, "GET", "/principal?size=1&page=1");
  assert.deepEqual(list.data, [made.data]);
  assert.deepEqual(list.body.meta, { totalElements: 2, page: 1, size: 1 });

  const changed = await call(admin, "PUT", `/principal/${id}`, { name: "cd", authorities: [] });
  assert.deepEqual(changed.data, { ...made.data, name: "cd", kind: "user", authorities: [], jobs: null });

  assert.equal((await call(admin, "DELETE", `/principal/${id}`)).data, null);
  assertRefused((await call(admin, "GET", `/principal/${id}`)).response, 404, "NOT_FOUND");
});

test("shows a token once, and keeps only its hash", async (t) => {
  const { pool, admin, call, log } = await identityApp(t);
  const { data: me } = await call(admin, "GET", "/me");
  const made = await call(admin, "POST", "/token", { principalId: me.id, name: "laptop", expiresInDays: 30 });
  assert.equal(made.status, 201);
  const { token, ...record } = made.data;
  assert.equal(record.prefix, token.slice(0, 13));
  assert.equal(record.principalName, "admin");
  assert.ok(Math.abs(Date.parse(record.expiresAt) - Date.now() - 30 * DAY_MS) < 60_000);

  const list = await call(admin, "GET", "/token");
  assert.deepEqual(list.data[0], record);
  assert.equal(list.body.meta.totalElements, 2);
  const revoked = await call(admin, "DELETE", `/token/${record.id}`);
  const { rows } = await pool.query("select *, hash from api_token where id = $1", [record.id]);
  assert.deepEqual(rows[0].hash, createHash("sha256").update(token).digest());
  const dump = JSON.stringify((await pool.query("select t::text from api_token t")).rows);
  for (const text of [list.response.body, revoked.response.body, dump, log()]) {
    assert.equal(text.includes(token.slice(13)), false);
    assert.equal(text.includes(admin.slice(13)), false);
  }
});

test("revokes at once, for good, and may be asked again", async (t) => {
  const { admin, call, principal } = await identityApp(t);
  const ci = await principal("ci", []);
  assert.equal((await call(ci.token, "GET", "/me")).status, 200);
  const first = await call(admin, "DELETE", `/token/${ci.tokenId}`);
  assert.match(first.data.revokedAt, /Z$/);
  assertRefused((await call(ci.token, "GET", "/me")).response, 401, "UNAUTHENTICATED");
  const again = await call(admin, "DELETE", `/token/${ci.tokenId}`);
  assert.equal(again.data.revokedAt, first.data.revokedAt);
});

test("changed rights hold for the next request, and deletion ends every token", async (t) => {
  const { admin, call, principal } = await identityApp(t);
  const ci = await principal("ci", ["IdentityService:Token:read"]);
  assert.equal((await call(ci.token, "GET", "/token")).status, 200);
  await call(admin, "PUT", `/principal/${ci.id}`, { name: "ci", authorities: [] });
  assertRefused((await call(ci.token, "GET", "/token")).response, 403, "FORBIDDEN");
  await call(admin, "DELETE", `/principal/${ci.id}`);
  assertRefused((await call(ci.token, "GET", "/me")).response, 401, "UNAUTHENTICATED");
});

test("a token that was read before it was revoked is not believed after", async (t) => {
  const { pool, uses, sessions, principal } = await identityApp(t);
  const ci = await principal("ci", []);
  const gate = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  // The real answer of the database, held back on its way.
  const slow = {
    async query(...args: unknown[]) {
      const result = await (pool.query as (...args: unknown[]) => Promise<unknown>).apply(pool, args);
      read.resolve();
      await gate.promise;
      return result;
    },
  } as unknown as typeof pool;
  const { authenticate, forget } = createAuthenticator(slow, { uses, sessions });
  const first = authenticate(`Bearer ${ci.token}`);
  await read.promise;
  await pool.query("update api_token set revoked_at = now() where id = $1", [ci.tokenId]);
  forget();
  gate.resolve();
  await first;
  await assert.rejects(async () => authenticate(`Bearer ${ci.token}`), { code: "UNAUTHENTICATED" });
});

test("asks the database once about an unknown token, and never about what can't be one", async (t) => {
  const { pool, uses, sessions, clock } = await identityApp(t);
  let queries = 0;
  const counting = {
    query(...args: unknown[]) {
      queries++;
      return (pool.query as (...args: unknown[]) => Promise<unknown>).apply(pool, args);
    },
  } as unknown as typeof pool;
  const { authenticate } = createAuthenticator(counting, {
    uses,
    sessions,
    now: () => Date.now() + clock.ahead,
  });
  const refuses = (header: string | undefined) =>
    assert.rejects(async () => authenticate(header), { code: "UNAUTHENTICATED" });
  for (const header of [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Bearer pawl_x",
    `Bearer ${"a".repeat(56)}`,
  ]) {
    await refuses(header);
  }
  assert.equal(queries, 0);
  const unknown = `Bearer ${newToken()}`;
  await Promise.all([refuses(unknown), refuses(unknown)]);
  await refuses(unknown);
  assert.equal(queries, 1);
  clock.ahead = 1_100;
  await refuses(unknown);
  assert.equal(queries, 2);
});

test("refuses an expired token to the millisecond, remembered or not", async (t) => {
  const { pool, admin, call, clock, principal, authenticator } = await identityApp(t);
  const ci = await principal("ci", []);
  await pool.query("update api_token set expires_at = now() + interval '4 seconds' where id = $1", [
    ci.tokenId,
  ]);
  authenticator.forget();
  assert.equal((await call(ci.token, "GET", "/me")).status, 200);
  clock.ahead = 4_001;
  const remembered = await call(ci.token, "GET", "/me");
  assertRefused(remembered.response, 401, "UNAUTHENTICATED");
  assert.match(remembered.body.message, /expired/);
  authenticator.forget();
  assertRefused((await call(ci.token, "GET", "/me")).response, 401, "UNAUTHENTICATED");
  assert.equal((await call(admin, "GET", "/me")).status, 200);
});

test("remembers a token for a few seconds, so that a busy caller does not ask the database each time", async (t) => {
  const { pool, call, clock, principal } = await identityApp(t);
  const ci = await principal("ci", []);
  assert.equal((await call(ci.token, "GET", "/me")).status, 200);
  // Behind the back of this process, as another one would.
  await pool.query("update api_token set revoked_at = now() where id = $1", [ci.tokenId]);
  clock.ahead = 4_000;
  assert.equal((await call(ci.token, "GET", "/me")).status, 200);
  clock.ahead = 5_100;
  assert.equal((await call(ci.token, "GET", "/me")).status, 401);
});

test("writes when a token was last used later, and lists it at once", async (t) => {
  const { admin, call, pool, principal } = await identityApp(t);
  const ci = await principal("ci", []);
  const before = Date.now();
  for (let i = 0; i < 5; i++) await call(ci.token, "GET", "/me");
  const { rows } = await pool.query("select last_used_at from api_token where id = $1", [ci.tokenId]);
  assert.deepEqual(rows, [{ last_used_at: null }]);
  const listed = (await call(admin, "GET", "/token")).data;
  assert.equal(listed.length, 2);
  for (const token of listed) assert.ok(Date.parse(token.lastUsedAt) >= before, token.name);
});

test("waits for uses that are just being written", async (t) => {
  const { pool, uses, principal } = await identityApp(t);
  const ci = await principal("ci", []);
  const locker = await pool.connect();
  await locker.query("begin");
  await locker.query("select from api_token for update");
  uses.used(ci.tokenId, Date.now());
  const first = uses.flush();
  let done = false;
  const second = uses.flush().then(() => {
    done = true;
  });
  await pool.query("select 1");
  const early = done;
  await locker.query("commit");
  locker.release();
  await Promise.all([first, second]);
  assert.equal(early, false);
});

test("answers 503 while the database is away, and goes on when it is back", async (t) => {
  const { pool, admin, call, authenticator } = await identityApp(t);
  const query = pool.query;
  authenticator.forget();
  pool.query = (() => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }))) as never;
  assertRefused((await call(admin, "GET", "/me")).response, 503, "STORE_UNAVAILABLE");
  pool.query = query;
  assert.equal((await call(admin, "GET", "/me")).status, 200);
});

const id = unknownId;
const wrong: [string, string, object | undefined, number, string][] = [
  ["POST", "/principal", { name: "", authorities: [] }, 400, "VALIDATION_FAILED"],
  ["POST", "/principal", { name: "x" }, 400, "VALIDATION_FAILED"],
  ["POST", "/principal", { name: "x", authorities: ["*"] }, 400, "VALIDATION_FAILED"],
  ["POST", "/principal", { name: "x", authorities: [], jobs: { ids: ["1"] } }, 400, "VALIDATION_FAILED"],
  ["POST", "/principal", { name: "x\0", authorities: [] }, 400, "VALIDATION_FAILED"],
  ["POST", "/principal", { name: "admin", authorities: [] }, 409, "CONFLICT"],
  ["GET", "/principal/x", undefined, 400, "VALIDATION_FAILED"],
  ["GET", `/principal/${id}`, undefined, 404, "NOT_FOUND"],
  ["PUT", `/principal/${id}`, { name: "x", authorities: [] }, 404, "NOT_FOUND"],
  ["DELETE", `/principal/${id}`, undefined, 404, "NOT_FOUND"],
  ["GET", "/principal?size=0", undefined, 400, "VALIDATION_FAILED"],
  ["POST", "/token", { principalId: id, name: "x" }, 404, "NOT_FOUND"],
  ["POST", "/token", { principalId: id, name: "x", expiresInDays: 0 }, 400, "VALIDATION_FAILED"],
  ["POST", "/token", { principalId: "x", name: "x" }, 400, "VALIDATION_FAILED"],
  ["DELETE", `/token/${id}`, undefined, 404, "NOT_FOUND"],
  ["DELETE", "/token/x", undefined, 400, "VALIDATION_FAILED"],
  ["GET", "/token?page=x", undefined, 400, "VALIDATION_FAILED"],
];
test("refuses what can't be, with the code that says why", async (t) => {
  const { admin, call } = await identityApp(t);
  for (const [method, url, payload, status, code] of wrong) {
    await t.test(`${method} ${url} ${payload ? JSON.stringify(payload) : ""}: ${status}`, async () => {
      assertRefused((await call(admin, method, url, payload)).response, status, code);
    });
  }
});

test("refuses to rename a principal to a name that is taken", async (t) => {
  const { admin, call, principal } = await identityApp(t);
  const ci = await principal("ci", []);
  const renamed = await call(admin, "PUT", `/principal/${ci.id}`, { name: "admin", authorities: [] });
  assertRefused(renamed.response, 409, "CONFLICT");
});

test("a token for MCP is no way in: the last API token of an administrator stays", async (t) => {
  const { admin, call } = await identityApp(t);
  const [own] = (await call(admin, "GET", "/token")).data;
  const made = { principalId: own.principalId, name: "assistant", for: "mcp", scopes: ["jobs:read"] };
  const assistant = await call(admin, "POST", "/token", made);
  assert.equal(assistant.status, 201);
  assert.match(assistant.data.prefix, /^pawl_mcp_[\w-]{8}$/);
  assertRefused((await call(admin, "DELETE", `/token/${own.id}`)).response, 409, "CONFLICT");
  assert.equal((await call(admin, "DELETE", `/token/${assistant.data.id}`)).status, 200);
});

test("two principals never have the same external id", async (t) => {
  const { admin, call } = await identityApp(t);
  const make = (name: string, externalId: string) =>
    call(admin, "POST", "/principal", { name, authorities: [], externalId });
  assert.equal((await make("ana", "auth|1")).data.externalId, "auth|1");
  const taken = await make("ben", "auth|1");
  assertRefused(taken.response, 409, "CONFLICT");
  assert.match(taken.body.message, /externalId/);
});
