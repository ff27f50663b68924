import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { secretMask } from "../../../src/contract/mcp-server.ts";
import { newId } from "../../../src/lib/ids.ts";
import { registryApp } from "../../helpers/registry-app.ts";

const url = "http://127.0.0.1:9/mcp";
const bearer = { authType: "BEARER", authConfig: { token: "a-bearer-token" } };

async function setUp(t: TestContext) {
  const app = await registryApp(t);
  const register = async (body: object) => {
    const made = await app.call("POST", "", { name: "server", url, ...body });
    assert.equal(made.status, 201, made.response.body);
    return made.data;
  };
  const stored = async (id: string) => {
    const { rows } = await app.pool.query("select auth_config from mcp_server where id = $1", [id]);
    return rows[0].auth_config;
  };
  return { ...app, register, stored };
}

test("registers a server without asking it for anything", async (t) => {
  const { call, register } = await setUp(t);
  const made = await register({ name: "  Weather ", description: "Rain", tags: ["sky"], ...bearer });
  const { id, createdAt, updatedAt, ...rest } = made;
  assert.deepEqual(rest, {
    name: "Weather",
    url,
    description: "Rain",
    authType: "BEARER",
    authConfig: { token: secretMask },
    status: "UNKNOWN",
    toolCount: 0,
    discoveredTools: [],
    tags: ["sky"],
    lastCheckedAt: null,
    lastError: null,
    protocolVersion: null,
    era: null,
    serverInfo: null,
    createdBy: "admin",
    updatedBy: "admin",
  });
  assert.equal(createdAt, updatedAt);
  assert.deepEqual((await call("GET", `/${id}`)).data, made);
  const plain = await register({ name: "plain" });
  assert.deepEqual([plain.authType, plain.authConfig, plain.tags], ["NONE", {}, []]);
  const tools = await call("GET", `/${id}/tools`);
  assert.deepEqual([tools.data, tools.body.meta.totalElements], [[], 0]);
});

test("gives a name once, whatever its case, and says whose it is", async (t) => {
  const { call, register } = await setUp(t);
  const first = await register({ name: "Wetter Ü" });
  const again = await call("POST", "", { name: " wetter ü ", url });
  assert.equal(again.status, 409);
  assert.equal(again.body.error.code, "CONFLICT");
  assert.ok(again.body.message.includes(first.id), again.body.message);
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, i) => call("POST", "", { name: i % 2 ? "MANY" : "many", url })),
  );
  const made = all.filter((answer) => answer.status === 201);
  assert.equal(made.length, 1);
  for (const answer of all.filter((answer) => answer.status !== 201)) {
    assert.equal(answer.status, 409);
    assert.ok(answer.body.message.includes(made[0]!.data.id));
  }
  const other = await register({ name: "other" });
  assert.equal((await call("PUT", `/${other.id}`, { name: "MaNy", url })).status, 409);
  assert.equal((await call("PUT", `/${first.id}`, { name: "WETTER ü", url })).status, 200);
});

test("refuses what it can't use, and says what and where", async (t) => {
  const { call } = await setUp(t);
  const table: [object, string, RegExp][] = [
    [{ name: "  " }, "/name", /empty/],
    [{ url: "ftp://example.org" }, "/url", /http/],
    [{ url: "not a url" }, "/url", /http/],
    [{ url: "http://user:pw@example.org/mcp" }, "/url", /authConfig/],
    [{ url: "http://example.org/mcp#x" }, "/url", /fragment/],
    [{ authType: "OAUTH" }, "/authType", /NONE/],
    [{ authConfig: { token: "x" } }, "/authConfig/token", /takes no credentials/],
    [{ authType: "BEARER" }, "/authConfig/token", /required/],
    [{ authType: "BEARER", authConfig: { tokn: "x" } }, "/authConfig/tokn", /Did you mean "?token/],
    [{ authType: "BEARER", authConfig: { token: 7 } }, "/authConfig/token", /string/],
    [{ authType: "BEARER", authConfig: { token: "a\r\nb" } }, "/authConfig/token", /line break/],
    [{ authType: "BEARER", authConfig: { token: secretMask } }, "/authConfig/token", /mask/],
    [
      { authType: "API_KEY", authConfig: { apiKey: "k", placement: "cookie" } },
      "/authConfig/placement",
      /query/,
    ],
    [{ authType: "API_KEY", authConfig: { apiKey: "k", name: "Host" } }, "/authConfig/name", /connection/],
    [{ authType: "BASIC", authConfig: { username: "a:b", password: "p" } }, "/authConfig/username", /colon/],
    [{ authType: "BASIC", authConfig: { username: "a" } }, "/authConfig/password", /required/],
    [{ authType: "CUSTOM", authConfig: {} }, "/authConfig", /headers/],
    [
      { authType: "CUSTOM", authConfig: { headers: { "Mcp-Session-Id": "x" } } },
      "/authConfig/headers/Mcp-Session-Id",
      /can't be set/,
    ],
    [{ authType: "CUSTOM", authConfig: { headers: { "a b": "x" } } }, "/authConfig/headers/a b", /name/],
    [{ authType: "CUSTOM", authConfig: { headers: [] } }, "/authConfig/headers", /object/],
    [{ nope: 1 }, "/nope", /known field/],
  ];
  for (const [body, path, reason] of table) {
    const { status, body: answer } = await call("POST", "", { name: "n", url, ...body });
    assert.equal(status, 400, JSON.stringify(body));
    const detail = answer.error.details.find((detail: { path: string }) => detail.path === path);
    assert.ok(detail, `${JSON.stringify(body)}: ${JSON.stringify(answer.error.details)}`);
    assert.match(detail.message, reason);
  }
});

test("seals every credential at any depth for its own place, and never answers one", async (t) => {
  const { call, register, stored, deps, log } = await setUp(t);
  const config = {
    headers: { "X-Team": "team-value", "X-Other": "other-value" },
    region: "eu",
    oauth: {
      clientId: "me",
      clientSecret: "secret-1",
      keys: [{ privateKey: "secret-2" }, { apikey: "secret-3" }],
    },
  };
  const made = await register({ authType: "CUSTOM", authConfig: config });
  const masked = {
    headers: { "X-Team": secretMask, "X-Other": secretMask },
    region: "eu",
    oauth: {
      clientId: "me",
      clientSecret: secretMask,
      keys: [{ privateKey: secretMask }, { apikey: secretMask }],
    },
  };
  assert.deepEqual(made.authConfig, masked);
  const kept = await stored(made.id);
  const text = JSON.stringify(kept);
  for (const secret of ["team-value", "other-value", "secret-1", "secret-2", "secret-3"]) {
    assert.ok(!text.includes(secret) && !log().includes(secret), secret);
  }
  assert.equal(text.match(/"vault:v1\./g)!.length, 5);
  // Moved to another field, or to another record, it opens nowhere.
  const sealed = kept.headers["X-Team"].replace("vault:", "ENC(").concat(")");
  const open = (record: string, field: string) => deps.vault.open("mcp", { record, field }, sealed);
  assert.equal(open(made.id, "/headers/X-Team"), "team-value");
  assert.throws(() => open(made.id, "/headers/X-Other"));
  assert.throws(() => open(newId(), "/headers/X-Team"));

  const found = await call("POST", "/search", { searchText: "server" });
  assert.equal(found.data.length, 1);
  assert.ok(!("authConfig" in found.data[0]) && !("discoveredTools" in found.data[0]));

  const foreign = await register({
    name: "sealed elsewhere",
    authType: "BEARER",
    authConfig: { token: "vault:v1.x" },
  });
  assert.equal((await stored(foreign.id)).token, "vault:v1.x", "left as it is");
  assert.equal(foreign.authConfig.token, secretMask);
});

test("keeps a credential that comes back masked or is left out, and only for the same origin", async (t) => {
  const { call, register, stored } = await setUp(t);
  const basic = { authType: "BASIC", authConfig: { username: "me", password: "pass-word" } };
  const { id } = await register(basic);
  const before = await stored(id);
  const put = (body: object) => call("PUT", `/${id}`, { name: "server", url, ...body });
  for (const body of [
    {},
    { authType: "BASIC" },
    { authConfig: { username: "me", password: secretMask } },
    { authConfig: { username: "me" } },
    { url: "http://127.0.0.1:9/other/path" },
  ]) {
    const { status, response } = await put(body);
    assert.equal(status, 200, response.body);
    assert.deepEqual(await stored(id), before, JSON.stringify(body));
  }
  for (const elsewhere of ["https://127.0.0.1:9/mcp", "http://127.0.0.1:10/mcp", "http://evil.example/mcp"]) {
    for (const authConfig of [
      undefined,
      { username: "me", password: secretMask },
      { username: "me" },
      before,
    ]) {
      const refused = await put({ url: elsewhere, ...(authConfig ? { authConfig } : {}) });
      assert.equal(refused.status, 422, refused.response.body);
      assert.equal(refused.body.error.code, "SECRET_REENTRY_REQUIRED");
      assert.equal(refused.body.error.details[0].path, "/authConfig/password");
    }
    assert.deepEqual(await stored(id), before);
  }
  const moved = await put({
    url: "http://127.0.0.1:10/mcp",
    authConfig: { username: "me", password: "another" },
  });
  assert.equal(moved.status, 200);
  // Another type of authentication has nothing of the old one.
  assert.equal(
    (await put({ authType: "BEARER", authConfig: { token: secretMask }, url: "http://127.0.0.1:10/mcp" }))
      .status,
    400,
  );
  const none = await put({ authType: "NONE", url: "http://127.0.0.1:10/mcp" });
  assert.deepEqual([none.status, none.data.authConfig], [200, {}]);
});

test("deletes what no job uses, and the rest when it is forced", async (t) => {
  const { call, register, usage } = await setUp(t);
  const { id } = await register({});
  Object.assign(usage, { jobs: [{ id: newId(), name: "nightly", steps: ["ask"] }], totalJobs: 3 });
  assert.deepEqual((await call("GET", `/${id}/usage`)).data, usage);
  const refused = await call("DELETE", `/${id}`);
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /used by "nightly" \(ask\) and 2 more/);
  assert.equal((await call("DELETE", `/${id}?force=true`)).status, 200);
  assert.equal((await call("GET", `/${id}`)).status, 404);
  assert.equal((await call("DELETE", `/${id}`)).status, 404);
});

test("answers what it does not have, and what was taken away, with 404", async (t) => {
  const { call } = await setUp(t);
  const id = newId();
  for (const [method, path, body] of [
    ["GET", `/${id}`],
    ["PUT", `/${id}`, { name: "n", url }],
    ["GET", `/${id}/tools`],
    ["GET", `/${id}/usage`],
    ["POST", `/${id}/discover`],
  ] as const) {
    assert.equal((await call(method, path, body)).status, 404, `${method} ${path}`);
  }
  const removed = await call("POST", `/${id}/test`);
  assert.equal(removed.status, 404);
  assert.match(removed.body.message, /\/ai\/mcp-servers\/\{id\}\/discover/);
});
