import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { jobOf } from "../../../test/helpers/jobs-app.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";

const variables = {
  host: "db.example.com",
  port: "5432",
  database: "orders",
  username: "app",
  password: "canary",
};
const orders = { name: "orders", connectionType: "database-relational2", variables };
const ftp = (name: string) => ({ name, connectionType: "ftp", variables: { host: "ftp.example.com" } });

type App = Awaited<ReturnType<typeof configurationApp>>;

async function upsert({ call }: App, body: object, query = "") {
  const done = await call("POST", `/connection/upsert${query}`, body);
  assert.ok([200, 201].includes(done.status), done.response.body);
  return done.data;
}

test("keeps connections: made, read in every way, changed, deleted", async (t) => {
  const app = await configurationApp(t);
  const { call } = app;
  const made = await call("POST", "/connection/upsert", { ...orders, description: "d" });
  assert.deepEqual([made.status, made.body.message], [201, "The connection is created."]);
  const { id, variables: shown, createdAt, ...rest } = made.data;
  assert.match(shown.password, /^ENC\(v1\./);
  assert.deepEqual(
    Object.entries({ ...shown, password: "canary" }),
    Object.entries(variables),
    "in this order",
  );
  assert.deepEqual(rest, {
    name: "orders",
    connectionType: "database-relational2",
    category: "database",
    description: "d",
    version: 1,
    createdBy: "admin",
    updatedBy: "admin",
    updatedAt: createdAt,
  });
  for (const path of [`/connection/${id}`, `/connection/${id.toUpperCase()}`, "/connection/name/orders"]) {
    assert.deepEqual((await call("GET", path)).data, made.data, path);
  }
  const item = { id, name: "orders", connectionType: "database-relational2", category: "database" };
  const found = await call("POST", "/connection/search", {});
  assert.deepEqual([found.data, found.body.meta], [[item], { totalElements: 1, page: 0, size: 10 }]);
  assert.deepEqual((await call("GET", "/connection/type/database-relational2")).data, [item]);
  assert.deepEqual((await call("GET", "/connection/type/ftp")).data, []);
  assert.deepEqual((await call("GET", "/connection/category/database")).data, [item]);
  assert.deepEqual((await call("GET", "/connection/category/none")).data, []);
  const identity = { name: "orders", connectionType: "database-relational2" };
  const check = async (body: object) => (await call("POST", "/connection/checkUniqueIdentifiers", body)).data;
  assert.deepEqual(await check(identity), { isPresent: true, existingConnectionId: id });
  assert.deepEqual(await check({ ...identity, connectionType: "ftp" }), {
    isPresent: false,
    existingConnectionId: null,
  });
  for (const [path, answer] of [
    ["/connection/orders/exists", true],
    [`/connection/orders/exists?id=${id}`, false],
    [`/connection/orders/exists?id=${newId()}`, true],
    ["/connection/Orders/exists", false],
  ] as const) {
    assert.equal((await call("GET", path)).data, answer, path);
  }
  const open = await call("GET", `/connection/decrypted/${id}`);
  assert.deepEqual(open.data, { ...made.data, variables, sensitiveVariables: ["password"] });
  assert.equal(open.response.headers["cache-control"], "no-store");
  const opened = await call("POST", "/connection/decrypt", { encryptedValue: shown.password });
  assert.deepEqual(opened.data, { decryptedValue: "canary" });

  const deleted = await call("DELETE", `/connection/delete/${id}`);
  assert.deepEqual([deleted.status, deleted.data], [200, null]);
  assertRefused((await call("GET", `/connection/${id}`)).response, 404, "NOT_FOUND");
  const kept = await call("POST", "/connection/decrypt", { encryptedValue: shown.password });
  assertRefused(kept.response, 422, "DECRYPT_FAILED");
});

test("tells a create from an update, and an update from nothing at all", async (t) => {
  const app = await configurationApp(t);
  const made = await upsert(app, { ...orders, category: "mine", description: "d" });
  const again = await app.call("POST", "/connection/upsert", {
    ...orders,
    category: "mine",
    description: "d",
    variables: made.variables,
  });
  assert.deepEqual([again.status, again.body.message], [200, "The connection is as it was."]);
  assert.deepEqual(again.data, made, "no new version, and the same sealed values");
  const { password: _, ...plain } = made.variables;
  const changed = await app.call("POST", "/connection/upsert", {
    ...orders,
    variables: { ...plain, "x-team": "7", username: "reader" },
  });
  assert.deepEqual([changed.status, changed.body.message], [200, "The connection is changed."]);
  assert.deepEqual(
    [changed.data.id, changed.data.version, changed.data.category, changed.data.description],
    [made.id, 2, "database", ""],
    "what is left out is as in a new one",
  );
  assert.deepEqual(
    changed.data.variables,
    { ...made.variables, username: "reader", "x-team": "7" },
    "a secret stays",
  );
  const gone = await upsert(app, { ...orders, variables: { ...plain, username: "reader", password: "" } });
  assert.deepEqual(gone.variables, { ...plain, username: "reader" });
  assert.equal(gone.version, 3);

  const other = await upsert(app, { ...orders, connectionType: "database-relational1" });
  assert.notEqual(other.id, made.id, "another type is another connection");
  const ambiguous = await app.call("GET", "/connection/name/orders");
  assertRefused(ambiguous.response, 409, "CONFLICT");
  assert.equal(
    (await app.call("GET", "/connection/name/orders?type=database-relational1")).data.id,
    other.id,
  );
});

test("renames by id, and refuses what another has or what is not there", async (t) => {
  const app = await configurationApp(t);
  const one = await upsert(app, orders);
  await upsert(app, { ...orders, name: "taken" });
  const renamed = await upsert(app, {
    ...orders,
    id: one.id.toUpperCase(),
    name: "renamed",
    variables: one.variables,
  });
  assert.deepEqual([renamed.id, renamed.name, renamed.variables], [one.id, "renamed", one.variables]);
  const send = (body: object, query = "") => app.call("POST", `/connection/upsert${query}`, body);
  assertRefused((await send({ ...orders, id: one.id, name: "taken" })).response, 409, "CONFLICT");
  assertRefused((await send({ ...orders, id: newId() })).response, 404, "NOT_FOUND");
  assertRefused((await send({ ...ftp("renamed"), id: one.id })).response, 400, "VALIDATION_FAILED");
  const stale = await send({ ...orders, name: "renamed" }, "?expectedVersion=1");
  assertRefused(stale.response, 409, "CONFLICT");
  assert.match(stale.body.message, /at version 2/);
  assertRefused((await send({ ...orders, name: "new" }, "?expectedVersion=1")).response, 409, "CONFLICT");
  assert.equal((await send({ ...orders, name: "renamed" }, "?expectedVersion=2")).status, 200);
});

test("of many upserts at once one creates, and each of the others sees what was before it", async (t) => {
  const app = await configurationApp(t);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      app.call("POST", "/connection/upsert", {
        ...ftp("one"),
        description: `${n}`,
        variables: { host: `h${n}`, password: `p${n}` },
      }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(49).fill(200), 201]);
  assert.equal(new Set(answers.map(({ data }) => data.id)).size, 1);
  assert.deepEqual(
    answers.map(({ data }) => data.version).sort((a, b) => a - b),
    Array.from({ length: 50 }, (_, n) => n + 1),
  );
  const { data } = await app.call("GET", `/connection/decrypted/${answers[0]!.data.id}`);
  assert.deepEqual(
    data.variables,
    { host: `h${data.description}`, password: `p${data.description}` },
    "one whole",
  );
  assert.equal((await app.pool.query("select from connection_secret")).rowCount, 1);
});

test("connections come and go at once without a fault of ours", async (t) => {
  const app = await configurationApp(t);
  for (let round = 0; round < 10; round++) {
    const { id } = await upsert(app, { ...ftp("one"), variables: { host: "h", password: "p" } });
    const answers = await Promise.all([
      app.call("DELETE", `/connection/delete/${id}`),
      app.call("POST", "/connection/upsert", { ...ftp("one"), description: `${round}` }),
      app.call("POST", "/connection/bulk-delete", { ids: [id] }),
      app.call("POST", "/connection/upsert", { ...ftp("one"), variables: { host: "h2", password: "q" } }),
      app.call("GET", `/connection/decrypted/${id}`),
    ]);
    for (const { status, response } of answers)
      assert.ok([200, 201, 404, 422].includes(status), response.body);
  }
});

const names = [
  "health",
  "a/b",
  "søk",
  "options",
  "name",
  "type",
  "exists",
  "upsert",
  "search",
  "decrypted",
  " ",
  "..",
  ".",
  "%",
  "_",
  "'; drop table connection; --",
  "🔑 key",
  "a?b#c&d",
  "\\",
  "%2F",
  "ﷺ",
  "e\u0301",
  "\u00e9",
  "x".repeat(200),
  newId(),
];

test("a name may be anything a person types, and no path is fooled by it", async (t) => {
  const app = await configurationApp(t);
  for (const name of names) {
    const made = await upsert(app, ftp(name));
    const encoded = encodeURIComponent(name);
    // Clients resolve these two away, however they are encoded.
    const isDots = name === "." || name === "..";
    if (!isDots) {
      const byName = await app.call("GET", `/connection/name/${encoded}`);
      assert.deepEqual([byName.status, byName.data?.id], [200, made.id], name);
    }
    // Between these two words a name would be a longer path: docs/connections.md.
    if (!isDots && !["name", "type", "decrypted"].includes(name)) {
      const exists = await app.call("GET", `/connection/${encoded}/exists`);
      assert.deepEqual([exists.status, exists.data], [200, true], name);
    }
    const identity = await app.call("POST", "/connection/checkUniqueIdentifiers", {
      name,
      connectionType: "ftp",
    });
    assert.equal(identity.data.existingConnectionId, made.id);
    const filters = { name: { operator: "and", constraints: [{ matchMode: "equals", value: name }] } };
    const found = await app.call("POST", "/connection/search", { filters });
    assert.deepEqual(
      found.data.map((one: { id: string }) => one.id),
      [made.id],
      name,
    );
  }
  const options = await app.call("GET", "/connection/options");
  assert.deepEqual(options.body.map((one: { label: string }) => one.label).sort(), names.toSorted());
  assert.ok((await app.call("GET", "/connection/types")).data.length === 12);
  for (const word of ["options", "types"])
    assert.notEqual((await app.call("GET", `/connection/${word}`)).data?.name, word);
  assertRefused((await app.call("GET", "/connection/health")).response, 400, "VALIDATION_FAILED");
});

test("finds and lists them by what may be asked, and by nothing of the variables", async (t) => {
  const app = await configurationApp(t);
  for (const [name, description] of [
    ["100%", "a"],
    ["100_", "b"],
    ["a\\b", "c"],
    ["O'Brien", "d"],
    ["plain", 'canary " text'],
  ] as const) {
    await upsert(app, { ...ftp(name), description, category: name.length > 4 ? "long" : "short" });
  }
  await upsert(app, orders);
  const search = async (body: object) =>
    (await app.call("POST", "/connection/search", { sortBy: "name", sortOrder: "asc", ...body })).data.map(
      (one: { name: string }) => one.name,
    );
  const where = (field: string, matchMode: string, value: unknown) => ({
    filters: { [field]: { operator: "and", constraints: [{ matchMode, value }] } },
  });
  for (const [mark, name] of [
    ["%", "100%"],
    ["_", "100_"],
    ["\\", "a\\b"],
    ["'", "O'Brien"],
  ] as const) {
    assert.deepEqual(await search(where("name", "contains", mark)), [name]);
    assert.deepEqual(await search({ searchText: mark }), [name]);
  }
  assert.deepEqual(await search({ searchText: '"' }), ["plain"]);
  assert.deepEqual(await search(where("connectionType", "equals", "database-relational2")), ["orders"]);
  assert.deepEqual(await search(where("category", "in", ["long", "database"])), [
    "O'Brien",
    "orders",
    "plain",
  ]);
  assert.deepEqual(await search({ searchText: "db.example.com" }), [], "variables are not looked at");
  assert.deepEqual(await search({ size: 2, page: 1 }), ["O'Brien", "a\\b"]);
  const newest = await app.call("POST", "/connection/search", { size: 1 });
  assert.equal(newest.data[0].name, "orders", "by id, the newest first");
  for (const field of [
    "variables",
    "variables.password",
    "password",
    "sealed",
    "key_id",
    "constructor",
    "id; drop table connection",
  ]) {
    for (const body of [where(field, "equals", "canary"), { sortBy: field }]) {
      const { response } = await app.call("POST", "/connection/search", body);
      assertRefused(response, 400, "VALIDATION_FAILED");
    }
  }
  const options = async (query: string) =>
    (await app.call("GET", `/connection/options${query}`)).body.map((one: { label: string }) => one.label);
  assert.deepEqual(await options("?type=database-relational2"), ["orders"]);
  assert.deepEqual(await options("?type=database-relational2&type=ssh&type=ftp"), await options(""));
  assert.deepEqual(await options("?type=ssh"), []);
});

test("keeps a connection that jobs use, unless it is forced, and names them to those who may see them", async (t) => {
  const app = await configurationApp(t);
  const [used, unused] = [await upsert(app, ftp("used")), await upsert(app, ftp("unused"))];
  const job = await app.make(jobOf({ name: "nightly", tags: ["mine"] }));
  const other = await app.make(jobOf({ name: "hidden" }));
  await app.pool.query(
    `update step set definition = (definition::jsonb || jsonb_build_object('connectionId', $1::text))::json
     where job_id = any($2::uuid[]) and definition ->> 'key' = 'first'`,
    [used.id, [job.id, other.id]],
  );
  const usage = await app.call("GET", `/connection/${used.id}/usage`);
  assert.deepEqual(usage.data, {
    jobs: [
      { id: other.id, name: "hidden", steps: ["first"] },
      { id: job.id, name: "nightly", steps: ["first"] },
    ],
    totalJobs: 2,
  });
  assert.deepEqual((await app.call("GET", `/connection/${unused.id}/usage`)).data, {
    jobs: [],
    totalJobs: 0,
  });
  assertRefused((await app.call("GET", `/connection/${newId()}/usage`)).response, 404, "NOT_FOUND");
  const limited = await app.principal("limited", ["*:*:*"], { tags: ["mine"] });
  const kept = await app.as(limited.token, "DELETE", `/connection/delete/${used.id}`);
  assertRefused(kept.response, 409, "INVALID_STATE");
  assert.match(kept.body.message, /used by "nightly" and 1 more\..*force=true/);
  assert.equal((await app.as(limited.token, "GET", `/connection/${used.id}/usage`)).data.jobs.length, 1);
  const blind = await app.principal("blind", ["ConfigService:*:*"]);
  const unnamed = await app.as(blind.token, "DELETE", `/connection/delete/${used.id}`);
  assert.match(unnamed.body.message, /used by 2 jobs\./);
  const ids = [used.id, unused.id, newId()];
  assertRefused((await app.call("POST", "/connection/bulk-delete", { ids })).response, 409, "INVALID_STATE");
  assert.equal((await app.call("GET", `/connection/${unused.id}`)).status, 200, "all or none");
  const forced = await app.call("POST", "/connection/bulk-delete?force=true", {
    ids: [ids[2], ids[0]!.toUpperCase()],
  });
  assert.deepEqual(forced.data, { deleted: [used.id], notFound: [ids[2]] });
  assert.equal((await app.call("DELETE", `/connection/delete/${unused.id}?force=true`)).status, 200);
});

test("are deleted in one order by all, so that two who delete the same never block each other", async (t) => {
  const app = await configurationApp(t);
  const ids: string[] = [];
  const upsert = async (name: string, description: string) => {
    const body = {
      name,
      description,
      connectionType: "rest-api",
      variables: { baseUrl: "http://a.example" },
    };
    return (await app.call("POST", "/connection/upsert", body)).data.id as string;
  };
  for (const name of ["one", "two"]) ids.push(await upsert(name, ""));
  // Where it is written anew it lies behind the other, and that is the order in which a plain delete would go.
  await upsert("one", "changed");
  await app.pool.query("analyze connection");
  const other = await app.pool.connect();
  try {
    await other.query("begin");
    await other.query("select from connection where id = $1 for update", [ids[0]]);
    const deleted = app.call("POST", "/connection/bulk-delete", { ids });
    const waits =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await app.pool.query(waits)).rowCount === 0);
    await other.query("select from connection where id = $1 for update", [ids[1]]);
    await other.query("commit");
    const { status, data, response } = await deleted;
    assert.equal(status, 200, response.body);
    assert.deepEqual(data.deleted, ids);
  } finally {
    await other.query("rollback");
    other.release();
  }
});
