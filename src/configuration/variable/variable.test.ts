import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";

type App = Awaited<ReturnType<typeof configurationApp>>;
const canary = "canary-91c2";

async function upsert({ call }: App, body: object) {
  const done = await call("POST", "/global-variable/upsert", body);
  assert.ok([200, 201].includes(done.status), done.response.body);
  return done.data;
}

test("keeps variables of any JSON, plain and secret, and loads them as they are", async (t) => {
  const app = await configurationApp(t);
  const values: Record<string, unknown> = {
    text: "a",
    number: 1.5,
    yes: true,
    none: null,
    list: [1, [2]],
    object: { b: 1, a: { c: "ENC(x)" } },
    empty: "",
  };
  for (const [name, value] of Object.entries(values)) {
    const made = await app.call("POST", "/global-variable/upsert", { name, value });
    assert.deepEqual(
      [made.status, made.data.value, made.data.secret],
      [201, value, false],
      made.response.body,
    );
    assert.deepEqual((await app.call("GET", `/global-variable/${made.data.id}`)).data, made.data);
  }
  const secret = await upsert(app, { name: "key", value: canary, secret: true, description: "d" });
  assert.match(secret.value, /^ENC\(v1\./);
  assert.deepEqual((await app.call("GET", "/global-variable/name/key")).data, secret);
  const loaded = await app.loadVariables([...Object.keys(values), "key", "missing", "key", "constructor"]);
  assert.deepEqual(
    Object.fromEntries(loaded),
    Object.fromEntries([
      ...Object.entries(values).map(([name, value]) => [name, { value, secret: false }]),
      ["key", { value: canary, secret: true }],
    ]),
  );
  assert.equal((await app.loadVariables([])).size, 0);
  const found = await app.call("POST", "/global-variable/search", { searchText: "key" });
  const { id, name, description, updatedAt } = secret;
  assert.deepEqual(
    [found.data, found.body.meta.totalElements],
    [[{ id, name, description, secret: true, updatedAt }], 1],
  );
  const options = await app.call("GET", "/global-variable/options");
  assert.deepEqual(
    options.body.map(({ label }: { label: string }) => label),
    [...Object.keys(values), "key"].sort(),
  );
  assert.equal((await app.call("GET", "/global-variable/key/exists")).data, true);
  assert.equal((await app.call("GET", `/global-variable/key/exists?id=${id}`)).data, false);
  assert.equal((await app.call("GET", "/global-variable/a%2Fb/exists")).data, false);
  const deleted = await app.call("POST", "/global-variable/bulk-delete", { ids: [id.toUpperCase()] });
  assert.equal(deleted.status, 200, deleted.response.body);
  assert.deepEqual(deleted.data, { deleted: [id], notFound: [] });
  assertRefused((await app.call("DELETE", `/global-variable/delete/${id}`)).response, 404, "NOT_FOUND");
  const rest = (await app.call("GET", "/global-variable/name/text")).data;
  assert.deepEqual((await app.call("DELETE", `/global-variable/delete/${rest.id}`)).data, null);
  for (const text of [app.log(), JSON.stringify(app.trail.entries)]) assert.ok(!text.includes(canary));
});

test("changes what is given, keeps what is not, and never turns a secret plain", async (t) => {
  const app = await configurationApp(t);
  const send = (body: object, query = "") => app.call("POST", `/global-variable/upsert${query}`, body);
  const made = await upsert(app, { name: "v", value: "one" });
  const same = await send({ name: "v", value: "one" });
  assert.deepEqual([same.status, same.body.message, same.data], [200, "The variable is as it was.", made]);
  const described = await upsert(app, { name: "v", description: "d" });
  assert.deepEqual([described.value, described.version], ["one", 2], "a value left out stays");
  const sealed = await upsert(app, { name: "v", secret: true });
  assert.deepEqual([sealed.secret, sealed.version, sealed.description], [true, 3, ""]);
  const { rows } = await app.pool.query("select value from global_variable");
  assert.deepEqual(rows, [{ value: null }], "it is plain no more");
  assert.deepEqual(await app.loadVariables(["v"]), new Map([["v", { value: "one", secret: true }]]));
  assert.deepEqual(await upsert(app, { name: "v", value: sealed.value }), sealed, "sent back it stays");
  const renamed = await upsert(app, { id: made.id, name: "w" });
  assert.deepEqual([renamed.id, renamed.name, renamed.value], [made.id, "w", sealed.value]);
  for (const body of [
    { name: "w", secret: false },
    { name: "w", secret: false, value: sealed.value },
  ]) {
    const refused = await send(body);
    assertRefused(refused.response, 422, "SECRET_REENTRY_REQUIRED");
    assert.deepEqual(refused.body.error.details, [{ path: "/value", message: "must be entered again." }]);
  }
  const open = await upsert(app, { name: "w", secret: false, value: 7 });
  assert.deepEqual([open.secret, open.value], [false, 7]);
  assert.equal((await app.pool.query("select from global_variable_secret")).rowCount, 0);
  assertRefused((await send({ name: "w", secret: true })).response, 400, "VALIDATION_FAILED");

  const [a, b] = [
    await upsert(app, { name: "a", secret: true, value: "a" }),
    await upsert(app, { name: "b", secret: true, value: "b" }),
  ];
  for (const body of [
    { name: "a", value: b.value },
    { name: "a", value: "ENC(made up)" },
    { name: "a", value: `${a.value.slice(0, -2)}A)` },
    { name: "w", value: a.value },
    { name: "new", value: a.value },
    { name: "new", value: a.value, secret: true },
  ]) {
    assertRefused((await send(body)).response, 422, "DECRYPT_FAILED");
  }
  const connection = { name: "c", connectionType: "ftp", variables: { host: "h", password: a.value } };
  assertRefused((await app.call("POST", "/connection/upsert", connection)).response, 422, "DECRYPT_FAILED");
  await app.pool.query("update global_variable_secret set sealed = $2 where variable_id = $1", [
    a.id,
    b.value,
  ]);
  await assert.rejects(app.loadVariables(["a", "b"]), { code: "DECRYPT_FAILED" });
  assert.equal((await app.loadVariables(["b"])).get("b")?.value, "b");
});

test("of many upserts at once one creates, and a reader sees what was answered before it asked", async (t) => {
  const app = await configurationApp(t);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      app.call("POST", "/global-variable/upsert", { name: "v", value: n, secret: false }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(49).fill(200), 201]);
  assert.equal(new Set(answers.map(({ data }) => data.id)).size, 1);
  for (let n = 0; n < 20; n++) {
    const others = Array.from({ length: 20 }, () => app.loadVariables(["v", "none"]));
    await app.call("POST", "/global-variable/upsert", { name: "v", value: `after ${n}` });
    assert.equal((await app.loadVariables(["v"])).get("v")?.value, `after ${n}`);
    await Promise.all(others);
  }
});

test("finds what is typed as it is typed, by what may be asked", async (t) => {
  const app = await configurationApp(t);
  const texts = { a: "100%", b: "100_", c: "back\\slash", d: "O'Brien", e: 'say "hi"; drop table x' };
  for (const [name, description] of Object.entries(texts)) {
    await upsert(app, { name, description, value: "100% of it", secret: name > "c" });
  }
  const found = async (body: object) =>
    (await app.call("POST", "/global-variable/search", body)).data.map(({ name }: { name: string }) => name);
  const contains = (value: string) => ({
    filters: { description: { operator: "and", constraints: [{ matchMode: "contains", value }] } },
  });
  const marks: [string, string][] = [
    ["%", "a"],
    ["_", "b"],
    ["\\", "c"],
    ["'", "d"],
    ['"', "e"],
  ];
  for (const [mark, name] of marks) {
    assert.deepEqual(await found(contains(mark)), [name], mark);
    assert.deepEqual(await found({ searchText: mark }), [name], mark);
  }
  assert.deepEqual(await found({ searchText: "of it" }), [], "values are not looked at");
  const secret = { secret: { operator: "and", constraints: [{ matchMode: "equals", value: true }] } };
  assert.deepEqual(await found({ filters: secret, sortBy: "name", sortOrder: "asc" }), ["d", "e"]);
});

test("refuses what it should: who, what, which", async (t) => {
  const app = await configurationApp(t);
  const made = await upsert(app, { name: "v", value: 1 });
  await upsert(app, { name: "taken", value: 1 });
  type Ask = [method: string, url: string, body?: object];
  const asks: Record<string, Ask[]> = {
    upsert: [["POST", "/global-variable/upsert", { name: "w", value: 1 }]],
    delete: [
      ["DELETE", `/global-variable/delete/${newId()}`],
      ["POST", "/global-variable/bulk-delete", { ids: [newId()] }],
    ],
    read: [
      ["GET", `/global-variable/${made.id}`],
      ["GET", "/global-variable/name/v"],
      ["GET", "/global-variable/v/exists"],
      ["GET", "/global-variable/options"],
      ["POST", "/global-variable/search", {}],
    ],
  };
  const everything = Object.values(asks).flat();
  for (const [action, mine] of Object.entries(asks)) {
    const { token } = await app.principal(action, [`ConfigService:GlobalVariable:${action}`]);
    for (const ask of everything) {
      const { status, response } = await app.as(token, ...ask);
      assert.equal(status === 403, !mine.includes(ask), `${action} ${ask[1]}: ${response.body}`);
    }
  }
  for (const ask of everything) {
    assertRefused((await app.as(undefined, ...ask)).response, 401, "UNAUTHENTICATED");
  }
  const where = (field: string) => ({
    filters: { [field]: { operator: "and", constraints: [{ matchMode: "equals", value: 1 }] } },
  });
  const table: [...Ask, number, string][] = [
    ...["", "1a", "a-b", "a b", "ø", "a".repeat(65), "in", "true", "null", "__proto__"].map(
      (name): [...Ask, number, string] => [
        "POST",
        "/global-variable/upsert",
        { name, value: 1 },
        400,
        "VALIDATION_FAILED",
      ],
    ),
    ["POST", "/global-variable/upsert", { name: "new" }, 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/upsert", { name: "new", secret: true }, 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/upsert", { name: "new", secret: true, value: 1 }, 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/upsert", { name: "new", secret: true, value: "" }, 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/upsert", { name: "new", value: "x".repeat(65_536) }, 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/upsert", { name: "new", value: { constructor: 1 } }, 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/upsert", { name: "new", value: 1, type: "x" }, 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/upsert", { id: newId(), name: "new", value: 1 }, 404, "NOT_FOUND"],
    ["POST", "/global-variable/upsert", { id: made.id, name: "taken" }, 409, "CONFLICT"],
    ["POST", "/global-variable/upsert?expectedVersion=9", { name: "v", value: 2 }, 409, "CONFLICT"],
    ["POST", "/global-variable/upsert?expectedVersion=1", { name: "new", value: 2 }, 409, "CONFLICT"],
    ["GET", "/global-variable/v", undefined, 400, "VALIDATION_FAILED"],
    ["GET", `/global-variable/${newId()}`, undefined, 404, "NOT_FOUND"],
    ["GET", "/global-variable/name/none", undefined, 404, "NOT_FOUND"],
    ["DELETE", `/global-variable/delete/${newId()}`, undefined, 404, "NOT_FOUND"],
    ["POST", "/global-variable/bulk-delete", { ids: [] }, 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/search", where("value"), 400, "VALIDATION_FAILED"],
    ["POST", "/global-variable/search", { sortBy: "sealed" }, 400, "VALIDATION_FAILED"],
  ];
  for (const [method, url, body, status, code] of table) {
    assertRefused((await app.call(method, url, body)).response, status, code);
  }
  assert.equal(
    (await upsert(app, { name: "v", value: "x".repeat(65_534) })).version,
    2,
    "64 KiB is not too long",
  );
});

test("is kept while jobs use it, tells which they are, and goes when it is forced", async (t) => {
  const app = await configurationApp(t);
  const ids: Record<string, string> = {};
  for (const name of ["rate", "unused", "region", "in_code"]) {
    ids[name] = (await upsert(app, { name, value: 1 })).id;
  }
  const log = (key: string, message: string, more: object = {}) => ({
    key,
    type: "log",
    input: { message },
    ...more,
  });
  const jobs: Record<string, object[]> = {
    "by a dot": [log("a", "no"), log("b", "{{ vars.rate }}"), log("c", "{{ 1 + vars . rate }}")],
    "by an index": [log("a", '{{ vars["rate"] }}')],
    "when it runs": [log("a", "no", { when: "vars.rate > 1" })],
    "by a script": [{ key: "s", type: "script", input: { source: "return vars.in_code + vars['rate']" } }],
    "by another name": [
      log("a", "{{ vars.region }} vars.rate"),
      log("rate", "vars.unused {{ 'vars.rate' }}"),
    ],
    "once, and not any more": [log("a", "{{ vars.rate }}")],
    deleted: [log("a", "{{ vars.rate }}")],
  };
  const made: Record<string, string> = {};
  for (const [name, steps] of Object.entries(jobs)) made[name] = (await app.make({ name, steps })).id;
  const past = { name: "once, and not any more", steps: [log("a", "nothing")] };
  assert.equal((await app.call("PUT", `/jobs/${made["once, and not any more"]}`, past)).status, 200);
  await app.call("DELETE", `/jobs/${made.deleted}`);

  const usage = await app.call("GET", `/global-variable/${ids.rate}/usage`);
  assert.deepEqual(
    usage.data.jobs.map(({ name, steps }: { name: string; steps: string[] }) => `${name}: ${steps}`),
    ["by a dot: b,c", "by a script: s", "by an index: a", "when it runs: a"],
  );
  assert.deepEqual([usage.data.totalJobs, usage.data.jobs[0].id], [4, made["by a dot"]]);
  const none = (await app.call("GET", `/global-variable/${ids.unused}/usage`)).data;
  assert.deepEqual(none, { jobs: [], totalJobs: 0 });
  assertRefused((await app.call("GET", `/global-variable/${newId()}/usage`)).response, 404, "NOT_FOUND");

  const { token: limited } = await app.principal("limited", ["*:*:*"], { ids: [made["by an index"]!] });
  const seen = (await app.as(limited, "GET", `/global-variable/${ids.rate}/usage`)).data;
  assert.deepEqual(
    [seen.jobs.map(({ name }: { name: string }) => name), seen.totalJobs],
    [["by an index"], 4],
  );

  const refused = await app.call("DELETE", `/global-variable/delete/${ids.rate}`);
  assertRefused(refused.response, 409, "INVALID_STATE");
  assert.match(refused.body.message, /^The variable is used by "by a dot", "by a script", .*\?force=true\.$/);
  const both = { ids: [ids.unused, ids.in_code] };
  assertRefused(
    (await app.call("POST", "/global-variable/bulk-delete", both)).response,
    409,
    "INVALID_STATE",
  );
  assert.equal((await app.call("GET", `/global-variable/${ids.unused}`)).status, 200, "all or none");
  const hidden = await app.as(limited, "DELETE", `/global-variable/delete/${ids.in_code}`);
  assert.match(hidden.body.message, /^The variable is used by 1 job\./);
  assert.equal((await app.call("DELETE", `/global-variable/delete/${ids.unused}`)).status, 200);
  const forced = await app.call("DELETE", `/global-variable/delete/${ids.rate}?force=true`);
  assert.equal(forced.status, 200, forced.response.body);
});
