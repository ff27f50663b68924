import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";
import { fillApiTemplate } from "./fill.ts";
import { loadApiTemplate } from "./load.ts";

type App = Awaited<ReturnType<typeof configurationApp>>;

const order = {
  name: "a/b søk",
  description: "d",
  category: "shop",
  method: "POST",
  path: "/orders/{{ params.id }}/lines?at={{ params.at }}",
  headers: { "X-Trace": "{{ params.trace }}", accept: "text/plain" },
  query: { limit: 5, tag: ["{{ params.tag }}", "b"] },
  body: { json: { lines: "{{ params.lines }}", note: "for {{ params.id }}" } },
  parameters: {
    type: "object",
    required: ["id"],
    additionalProperties: false,
    properties: {
      id: { type: ["string", "integer"] },
      at: { type: "string", default: "now" },
      trace: { type: ["string", "integer", "null"], default: null },
      tag: { type: "string", default: "a" },
      lines: { type: "array", default: [] },
    },
  },
};
const plain = { method: "GET", path: "/orders" };

async function upsert({ call }: App, body: object, query = "") {
  const done = await call("POST", `/api/upsert${query}`, body);
  assert.ok([200, 201].includes(done.status), done.response.body);
  return done;
}

test("keeps API templates: made, read, found, changed, deleted", async (t) => {
  const app = await configurationApp(t);
  const made = await upsert(app, order);
  assert.equal(made.status, 201);
  const { id, version, createdAt, createdBy, updatedAt, updatedBy, ...rest } = made.data;
  assert.deepEqual(rest, { ...order, connectionType: "rest-api" });
  assert.deepEqual([version, createdBy, updatedBy, createdAt], [1, "admin", "admin", updatedAt]);
  for (const path of [`/api/${id}`, `/api/name/${encodeURIComponent(order.name)}`]) {
    assert.deepEqual((await app.call("GET", path)).data, made.data, path);
  }
  const { headers: _h, query: _q, body: _b, parameters: _p, ...item } = made.data;
  for (const body of [
    { searchText: "SØK" },
    { filters: { method: { operator: "and", constraints: [{ matchMode: "in", value: ["POST"] }] } } },
    { filters: { path: { operator: "and", constraints: [{ matchMode: "contains", value: "{{" }] } } },
  ]) {
    assert.deepEqual((await app.call("POST", "/api/search", body)).data, [item], JSON.stringify(body));
  }
  assert.deepEqual((await app.call("GET", "/api/options")).body, [{ label: order.name, value: id }]);
  assert.equal((await app.call("GET", `/api/${encodeURIComponent(order.name)}/exists`)).data, true);
  assert.equal((await app.call("GET", `/api/${encodeURIComponent(order.name)}/exists?id=${id}`)).data, false);

  const same = await upsert(app, order);
  assert.deepEqual(
    [same.status, same.data, same.body.message],
    [200, made.data, "The API template is as it was."],
  );
  const renamed = await upsert(app, { ...order, id, name: "v2" }, "?expectedVersion=1");
  assert.deepEqual([renamed.data.id, renamed.data.name, renamed.data.version], [id, "v2", 2]);
  const bare = await upsert(app, { name: "v2", ...plain });
  assert.deepEqual(
    [bare.data.version, bare.data.description, bare.data.headers, bare.data.body, bare.data.parameters],
    [3, "", {}, null, {}],
    "what is left out is as in a new one",
  );
  assert.equal((await app.call("GET", "/api/v2/exists")).data, true, "beside the paths that begin so");
  assert.deepEqual((await app.call("DELETE", `/api/delete/${id}`)).data, null);
  assertRefused((await app.call("GET", `/api/${id}`)).response, 404, "NOT_FOUND");

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      app.call("POST", "/api/upsert", { name: "race", ...plain, path: `/${n}` }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(9).fill(200), 201]);
  const race = answers[0]!.data.id;
  const gone = newId();
  const both = await app.call("POST", "/api/bulk-delete", { ids: [gone, race] });
  assert.deepEqual(both.data, { deleted: [race], notFound: [gone] });
  const changes = app.trail.entries.filter(({ target }) => target?.id === id).map((entry) => entry.changed);
  assert.deepEqual(changes.at(1) ?? [], []);
  assert.deepEqual(changes.at(2), ["name"]);
});

test("fills a template in: values stay in their place, with their type", async (t) => {
  const app = await configurationApp(t);
  const { id } = (await upsert(app, order)).data;
  const filled = async (params: Record<string, unknown>, which = order.name) =>
    fillApiTemplate((await loadApiTemplate(app.pool, which))!, params);
  assert.deepEqual(await filled({ id: 7, lines: [{ n: 1 }], trace: 5 }), {
    method: "POST",
    path: "/orders/7/lines?at=now",
    headers: { "X-Trace": "5", accept: "text/plain" },
    query: { limit: 5, tag: ["a", "b"] },
    json: { lines: [{ n: 1 }], note: "for 7" },
  });
  assert.deepEqual(await filled({ id: "x" }, id), await filled({ id: "x" }), "by its id too");
  assert.deepEqual((await filled({ id: "x" })).headers, { accept: "text/plain" }, "null leaves a header out");
  const hostile = "../../admin?x=1&y#z\\%2e é";
  const { path, json } = await filled({ id: hostile, at: hostile });
  const kept = encodeURIComponent(hostile);
  assert.equal(path, `/orders/${kept}/lines?at=${kept}`);
  assert.deepEqual(json, { lines: [], note: `for ${hostile}` }, "elsewhere it is data as it is");
  for (const [params, message] of [
    [{}, /"a\/b søk" can't be filled in: .*id.* is required/],
    [{ id: "x", no: 1 }, /no/],
    [{ id: "" }, /into the path of the API template is empty/],
    [{ id: ".." }, /is of dots only/],
    [{ id: "x", at: "." }, /is of dots only/],
  ] as const) {
    await assert.rejects(filled(params), { code: "INVALID_INPUT", retryable: false, message });
  }
  const open = { name: "open", method: "GET", path: "/{{ params.x }}" };
  await upsert(app, open);
  for (const x of [null, [1], { a: 1 }]) {
    await assert.rejects(filled({ x }, "open"), /is no text and no number/);
  }
  await assert.rejects(filled({}, "open"), { code: "INVALID_INPUT" });
  assert.equal((await filled({ x: true }, "open")).path, "/true");
  const whole = {
    name: "whole",
    method: "GET",
    connectionType: null,
    path: "https://a.example/{{ params.x }}",
  };
  await upsert(app, whole);
  assert.equal((await filled({ x: "@evil.example/" }, "whole")).url, "https://a.example/%40evil.example%2F");
  for (const body of [{ text: "hi {{ params.x }}" }, { form: { a: "{{ params.x }}", b: [1, true] } }]) {
    await upsert(app, { name: "body", method: "PUT", path: "/", body });
    const { text, form } = await filled({ x: "&=" }, "body");
    assert.deepEqual({ text, form }, { form: undefined, text: undefined, ...fill(body) });
  }
  await upsert(app, { name: "body", method: "PUT", path: "/", body: { text: "{{ params.x }}" } });
  assert.equal((await filled({ x: { a: 1 } }, "body")).text, '{"a":1}');
  for (const [more, message] of [
    [{ query: { a: "{{ params.x }}" } }, /a of its query is an object/],
    [{ body: { form: { a: "{{ params.x }}" } } }, /a of its form is an object/],
  ] as const) {
    await upsert(app, { name: "body", method: "PUT", path: "/", ...more });
    await assert.rejects(filled({ x: { a: 1 } }, "body"), { code: "INVALID_INPUT", message });
    await filled({ x: [1, null, "b", true] }, "body");
  }
  // Nobody takes the place of a template by calling another by its id.
  await upsert(app, { ...plain, name: id });
  assert.equal((await loadApiTemplate(app.pool, id))!.name, order.name);
  assert.equal(await loadApiTemplate(app.pool, "none"), undefined);
});

function fill(body: object): object {
  return JSON.parse(JSON.stringify(body).replaceAll("{{ params.x }}", "&="));
}

test("refuses who may not, what can't be sent, what leaks, and what is taken", async (t) => {
  const app = await configurationApp(t);
  const { id } = (await upsert(app, { name: "one", ...plain })).data;
  await upsert(app, { name: "two", ...plain });
  const reader = await app.principal("reader", ["ConfigService:ApiTemplate:read"]);
  const writer = await app.principal("writer", ["ConfigService:ApiTemplate:upsert"]);
  const calls: [string | undefined, string, string, object | undefined, number, string][] = [
    [undefined, "GET", `/api/${id}`, undefined, 401, "UNAUTHENTICATED"],
    [undefined, "POST", "/api/upsert", { name: "n", ...plain }, 401, "UNAUTHENTICATED"],
    [reader.token, "POST", "/api/upsert", { name: "n", ...plain }, 403, "FORBIDDEN"],
    [reader.token, "DELETE", `/api/delete/${id}`, undefined, 403, "FORBIDDEN"],
    [writer.token, "GET", `/api/${id}`, undefined, 403, "FORBIDDEN"],
    [writer.token, "POST", "/api/search", {}, 403, "FORBIDDEN"],
    [app.admin, "GET", `/api/${newId()}`, undefined, 404, "NOT_FOUND"],
    [app.admin, "GET", "/api/name/three", undefined, 404, "NOT_FOUND"],
    [app.admin, "DELETE", `/api/delete/${newId()}`, undefined, 404, "NOT_FOUND"],
    [app.admin, "POST", "/api/upsert", { id: newId(), name: "n", ...plain }, 404, "NOT_FOUND"],
    [app.admin, "GET", "/api/one", undefined, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/api/upsert", { id, name: "two", ...plain }, 409, "CONFLICT"],
    [app.admin, "POST", "/api/upsert?expectedVersion=2", { name: "one", ...plain }, 409, "CONFLICT"],
    [app.admin, "POST", "/api/upsert?expectedVersion=1", { name: "none", ...plain }, 409, "CONFLICT"],
  ];
  for (const [token, method, url, body, status, code] of calls) {
    assertRefused((await app.as(token, method, url, body)).response, status, code);
  }
  const closed = { type: "object", additionalProperties: false, properties: { day: { type: "string" } } };
  const whole = (path: string) => ({ connectionType: null, path });
  const wrong: [object, string, RegExp][] = [
    [{ path: "https://a.example/x" }, "/path", /whole URL/],
    [{ path: "/a b" }, "/path", /space/],
    [{ path: "/a#b" }, "/path", /space, a #/],
    [{ path: "/a\r\nHost: b" }, "/path", /control/],
    [{ path: "/{{ params.a" }, "/path", /no "}}"/],
    [{ path: "/{{ 1 + }}" }, "/path", /at character/],
    [{ path: "/{{ params.dayy }}", parameters: closed }, "/path", /no parameter "dayy"\. Did you mean "day"/],
    [whole("/orders"), "/path", /absolute http or https URL/],
    [whole("file:///etc/passwd"), "/path", /absolute/],
    [whole("https://{{ params.host }}/"), "/path", /host written out/],
    [whole("https://a.example{{ params.rest }}"), "/path", /host written out/],
    [whole("https://a.example:{{ params.port }}/"), "/path", /host written out/],
    [whole("https://me:pw@a.example/"), "/path", /credentials belong in a connection/],
    [{ headers: { Authorization: "Bearer x" } }, "/headers/Authorization", /credentials/],
    [{ headers: { "X-API-Key": "{{ params.key }}" } }, "/headers/X-API-Key", /credentials/],
    [{ headers: { Cookie: "a=b" } }, "/headers/Cookie", /credentials/],
    [{ headers: { "a b": "x" } }, "/headers/a b", /name that HTTP does not allow/],
    [{ headers: { "x/~y": "x" } }, "/headers/x~1~0y", /name that HTTP/],
    [{ headers: { "transfer-encoding": "chunked" } }, "/headers/transfer-encoding", /can't be set/],
    [{ headers: { a: "x\r\ny: z" } }, "/headers/a", /line break/],
    [{ headers: { a: "x", A: "y" } }, "/headers/A", /twice/],
    [{ headers: { a: "{{ vars.key }}" } }, "/headers/a", /knows its params only, and no vars/],
    [{ query: { a: "{{ steps.x.output }}" } }, "/query/a", /no steps/],
    [{ body: { json: { a: ["{{ nope }}"] } } }, "/body/json/a/0", /nope/],
    [{ body: {} }, "/body", /empty/],
    [{ body: { json: 1, text: "x" } }, "/body/text", /second body/],
    [{ body: { json: "x".repeat(300_000) } }, "", /262144 characters/],
    [{ body: { json: Array(501).fill("{{ params.a }}") } }, "", /500 expressions/],
    [{ parameters: { type: "array" } }, "/parameters/type", /must be "object"/],
    [{ parameters: { properties: { a: { typo: 1 } } } }, "/parameters/properties/a/typo", /./],
    [{ connectionType: "ftp" }, "/connectionType", /./],
    [{ method: "BREW" }, "/method", /./],
    [{ method: "get" }, "/method", /./],
  ];
  for (const [more, path, message] of wrong) {
    const { response, body } = await app.call("POST", "/api/upsert", { name: "n", ...plain, ...more });
    assertRefused(response, 400, "VALIDATION_FAILED");
    const shown = `${JSON.stringify(more).slice(0, 100)}: ${response.body.slice(0, 300)}`;
    const said = body.error.details.filter((detail: { path: string }) => detail.path === path);
    assert.match(said.map((detail: { message: string }) => detail.message).join(), message, shown);
  }
  for (const body of [
    '{"name":"n","method":"GET","path":"/","headers":{"__proto__":"x"}}',
    '{"name":"n\\u0000","method":"GET","path":"/"}',
  ]) {
    const headers = { authorization: `Bearer ${app.admin}`, "content-type": "application/json" };
    const response = await app.app.inject({ method: "POST", url: "/api/upsert", headers, payload: body });
    assertRefused(response as never, 400, "VALIDATION_FAILED");
  }
  assert.equal((await app.call("GET", "/api/n/exists")).data, false);
});
