import assert from "node:assert/strict";
import { test } from "node:test";
import { jobOf, jobsApp } from "../../test/helpers/jobs-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057";

test("keeps what was written, version by version", async (t) => {
  const { call, make } = await jobsApp(t);
  const input = jobOf({
    description: "Orders of the day",
    category: "finance",
    tags: ["b", "a"],
    parameters: { type: "object", required: ["day"], properties: { day: { type: "string" }, a: {} } },
    timeoutMs: 60_000,
    concurrency: { limit: 2, onLimit: "reject" },
    mcp: { exposed: false },
  });
  const made = await make(input);
  const { id, version, createdAt, createdBy, updatedAt, updatedBy, ...written } = made;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.deepEqual([version, createdBy, updatedBy], [1, "admin", "admin"]);
  assert.equal(createdAt, updatedAt);
  const steps = written.steps.map(({ id: _, ...step }: { id: string }) => step);
  assert.deepEqual(
    { ...written, steps },
    { ...input, collectionId: null, steps: input.steps.map((step) => ({ ...step, onError: "fail" })) },
  );

  assert.deepEqual((await call("GET", `/jobs/${id}`)).data, made);
  assert.deepEqual((await call("GET", `/jobs/${id.toUpperCase()}`)).data, made);

  const changed = await call("PUT", `/jobs/${id}`, { ...input, description: "Orders of the night" });
  assert.equal(changed.status, 200, changed.response.body);
  assert.equal(changed.data.version, 2);
  assert.equal(changed.data.createdAt, createdAt);
  assert.deepEqual(changed.data.steps, made.steps);

  const versions = await call("GET", `/jobs/${id}/versions`);
  assert.deepEqual(versions.body.meta, { totalElements: 2, page: 0, size: 10 });
  assert.deepEqual(
    versions.data.map((v: Record<string, unknown>) => [v.version, v.current, v.restoredFrom]),
    [
      [2, true, null],
      [1, false, null],
    ],
  );
  assert.equal(versions.data[1].definition.description, "Orders of the day");
  assert.deepEqual((await call("GET", `/jobs/${id}/versions?size=1&page=1`)).data, [versions.data[1]]);

  const restored = await call("POST", `/jobs/${id}/versions/1/restore`);
  assert.equal(restored.data.version, 3);
  assert.equal(restored.data.description, "Orders of the day");
  assert.equal((await call("GET", `/jobs/${id}/versions`)).data[0].restoredFrom, 1);

  assert.equal((await call("DELETE", `/jobs/${id}`)).data, null);
  assertRefused((await call("GET", `/jobs/${id}`)).response, 404, "NOT_FOUND");
  assert.equal((await make(input)).version, 1, "the name is free again");
});

test("makes no version of what says the same", async (t) => {
  const { call, make } = await jobsApp(t);
  const { id } = await make(jobOf({ tags: ["a"] }));
  assert.equal((await call("PUT", `/jobs/${id}`, jobOf({ tags: ["a"] }))).data.version, 1);
  const read = (await call("GET", `/jobs/${id}`)).data;
  const { version: _, createdAt, createdBy, updatedAt, updatedBy, id: own, ...body } = read;
  assert.equal(
    (await call("PUT", `/jobs/${id}`, { ...body, steps: read.steps })).data.version,
    2,
    "'' is written now",
  );
  assert.equal((await call("PUT", `/jobs/${id}`, { ...body, steps: read.steps })).data.version, 2);
  assert.equal((await call("POST", `/jobs/${id}/versions/2/restore`)).data.version, 2);
});

test("keeps the id of a step with its key, and through a change of the key", async (t) => {
  const { call, make, pool } = await jobsApp(t);
  const set = (key: string, id?: string) => ({
    key,
    type: "set",
    input: { values: {} },
    ...(id ? { id } : {}),
  });
  const ids = (job: { steps: { key: string; id: string }[] }) =>
    Object.fromEntries(job.steps.map((s) => [s.key, s.id]));
  const made = await make(jobOf({ steps: [set("a"), set("b")] }));
  const put = async (...steps: object[]) => {
    const { data, response } = await call("PUT", `/jobs/${made.id}`, jobOf({ steps }));
    assert.equal(response.statusCode, 200, response.body);
    return ids(data);
  };
  const { a, b } = ids(made);

  const moved = await put(set("b"), set("c"), set("a"));
  assert.deepEqual([moved.a, moved.b], [a, b]);
  assert.ok(![a, b].includes(moved.c!));

  const renamed = await put(set("z", a), set("a"), set("b"));
  assert.deepEqual([renamed.z, renamed.b], [a, b]);
  assert.notEqual(renamed.a, a, "the key is free, the id is not");

  const swapped = await put(set("z", b), set("b", a));
  assert.deepEqual(swapped, { z: b, b: a });
  const { rows } = await pool.query(
    "select key, position from search_item where job_id = $1 and type = 'step' order by position",
    [made.id],
  );
  assert.deepEqual(rows, [
    { key: "z", position: 0 },
    { key: "b", position: 1 },
  ]);

  const other = await make(jobOf({ name: "other", steps: [set("a")] }));
  for (const [steps, path] of [
    [[set("x", unknownId)], "/steps/0/id"],
    [[set("b"), set("x", other.steps[0].id)], "/steps/1/id"],
    [[set("x", a), set("y", a)], "/steps/1/id"],
  ] as const) {
    const refused = await call("PUT", `/jobs/${made.id}`, jobOf({ steps }));
    assertRefused(refused.response, 400, "VALIDATION_FAILED");
    assert.equal(refused.body.error.details[0].path, path);
  }
  assertRefused(
    (await call("POST", "/jobs", jobOf({ name: "new", steps: [set("a", a)] }))).response,
    400,
    "VALIDATION_FAILED",
  );
});

test("keeps all versions when a hundred replace at once", async (t) => {
  const { call, make, jobs } = await jobsApp(t);
  const { id } = await make(jobOf());
  /** A busy machine may have some wait for the others too long: they are told to come again, and have changed nothing. */
  const replace = async (i: number): ReturnType<typeof call> => {
    const answer = await call("PUT", `/jobs/${id}`, jobOf({ description: `change ${i}` }));
    return answer.status === 503 ? replace(i) : answer;
  };
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => replace(i)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const versions = (await call("GET", `/jobs/${id}/versions?size=1000`)).data;
  assert.deepEqual(
    versions.map((v: { version: number }) => v.version),
    Array.from({ length: 101 }, (_, i) => 101 - i),
  );
  for (const { data } of answers) {
    const kept = versions.find((v: { version: number }) => v.version === data.version);
    assert.equal(kept.definition.description, data.description);
  }
  const current = (await call("GET", `/jobs/${id}`)).data;
  assert.equal(current.version, 101);
  assert.equal(current.description, versions[0].definition.description);
  const principal = { id: "p", name: "p", authorities: [], jobs: null, tokenId: "t" };
  assert.equal((await jobs.findStartable(principal, id)).version, 101);
});

test("lets one of those who expect the same version win", async (t) => {
  const { call, make } = await jobsApp(t);
  const { id } = await make(jobOf());
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      call("PUT", `/jobs/${id}?expectedVersion=1`, jobOf({ description: `${i}` })),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(9).fill(409)]);
  const lost = answers.find(({ status }) => status === 409)!;
  assertRefused(lost.response, 409, "CONFLICT");
  assert.match(lost.body.message, /at version 2, and 1 was expected/);
});

test("refuses names that are taken, and ids that are not", async (t) => {
  const { call, make } = await jobsApp(t);
  const { id } = await make(jobOf());
  const { id: other } = await make(jobOf({ name: "other" }));
  for (const [method, url, body, status, code] of [
    ["POST", "/jobs", jobOf(), 409, "CONFLICT"],
    ["PUT", `/jobs/${other}`, jobOf(), 409, "CONFLICT"],
    ["POST", "/jobs/import?onExisting=fail", jobOf(), 409, "CONFLICT"],
    ["PUT", `/jobs/${id}?expectedVersion=7`, jobOf(), 409, "CONFLICT"],
    ["GET", `/jobs/${unknownId}`, undefined, 404, "NOT_FOUND"],
    ["PUT", `/jobs/${unknownId}`, jobOf(), 404, "NOT_FOUND"],
    ["DELETE", `/jobs/${unknownId}`, undefined, 404, "NOT_FOUND"],
    ["GET", `/jobs/${unknownId}/versions`, undefined, 404, "NOT_FOUND"],
    ["GET", `/jobs/${unknownId}/export`, undefined, 404, "NOT_FOUND"],
    ["POST", `/jobs/${unknownId}/versions/1/restore`, undefined, 404, "NOT_FOUND"],
    ["POST", `/jobs/${id}/versions/9/restore`, undefined, 404, "NOT_FOUND"],
    ["POST", `/jobs/${id}/versions/99999999999/restore`, undefined, 400, "VALIDATION_FAILED"],
    ["POST", `/jobs/${id}/versions/0/restore`, undefined, 400, "VALIDATION_FAILED"],
    ["PUT", `/jobs/${id}?expectedVersion=0`, jobOf(), 400, "VALIDATION_FAILED"],
    ["GET", "/jobs/x", undefined, 400, "VALIDATION_FAILED"],
    ["GET", `/jobs/${id}/export?format=xml`, undefined, 400, "VALIDATION_FAILED"],
    ["GET", `/jobs/${id}/versions?size=0`, undefined, 400, "VALIDATION_FAILED"],
  ] as const) {
    const { response } = await call(method, url, body);
    assertRefused(response, status, code);
  }
  const names = await Promise.all(
    Array.from({ length: 10 }, () => call("POST", "/jobs", jobOf({ name: "race" }))),
  );
  assert.deepEqual(names.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)]);
});

test("shows a limited principal its jobs only, and keeps it within its limits", async (t) => {
  const { as, make, principal, importYaml, jobs } = await jobsApp(t);
  const mine = await make(jobOf({ name: "mine", tags: ["orders", "x"] }));
  const byId = await make(jobOf({ name: "by id" }));
  const hidden = await make(jobOf({ name: "hidden", tags: ["payroll"] }));
  const limits = { tags: ["orders", "stock"], ids: [byId.id] };
  const { token } = await principal("limited", ["JobService:*:*"], limits);
  const { token: none } = await principal("none", ["JobService:*:*"], {});

  const found = await as(token, "POST", "/jobs/search", { sortBy: "name", sortOrder: "asc" });
  assert.deepEqual(
    found.data.map((job: { name: string }) => job.name),
    ["by id", "mine"],
  );
  assert.equal(found.body.meta.totalElements, 2);
  assert.equal((await as(none, "POST", "/jobs/search", {})).body.meta.totalElements, 0);
  assert.equal((await as(token, "GET", `/jobs/${mine.id}`)).status, 200);

  const missing = await as(token, "GET", `/jobs/${unknownId}`);
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PUT", "", jobOf({ name: "hidden", tags: ["orders"] })],
    ["PUT", "", jobOf({ name: "hidden", steps: [{ key: "a", type: "nope" }] })],
    ["DELETE", "", undefined],
    ["GET", "/versions", undefined],
    ["GET", "/export", undefined],
    ["POST", "/versions/1/restore", undefined],
  ] as const) {
    const refused = await as(token, method, `/jobs/${hidden.id}${path}`, body);
    assertRefused(refused.response, 404, "NOT_FOUND");
    assert.equal(refused.body.message, missing.body.message);
  }
  const caller = { id: "p", name: "limited", authorities: [], jobs: limits, tokenId: "t" };
  await assert.rejects(jobs.findStartable(caller, hidden.id), /no such job/);
  assert.equal((await jobs.findStartable(caller, mine.id)).name, "mine");

  for (const [method, url, body] of [
    ["POST", "/jobs", jobOf({ name: "new" })],
    ["POST", "/jobs", jobOf({ name: "new", tags: ["payroll"] })],
    ["POST", "/jobs/import", jobOf({ name: "new" })],
    ["PUT", `/jobs/${mine.id}`, jobOf({ name: "mine", tags: ["payroll"] })],
    ["PUT", `/jobs/${mine.id}`, jobOf({ name: "mine" })],
  ] as const) {
    const refused = await as(token, method, url, body);
    assertRefused(refused.response, 403, "FORBIDDEN");
    assert.match(refused.body.message, /one of these tags: orders, stock/);
  }
  assert.equal((await as(token, "POST", "/jobs", jobOf({ name: "new", tags: ["stock"] }))).status, 201);
  assert.equal(
    (await as(token, "PUT", `/jobs/${mine.id}`, jobOf({ name: "mine", tags: ["stock"] }))).status,
    200,
  );
  assert.equal(
    (await as(token, "PUT", `/jobs/${byId.id}`, jobOf({ name: "by id", tags: ["any"] }))).status,
    200,
  );

  const taken = await importYaml(
    `name: hidden\ntags: [orders]\nsteps: [{key: a, type: set, input: {values: {}}}]`,
    "",
    token,
  );
  assertRefused(taken.response, 409, "CONFLICT");
  assert.match(taken.body.message, /job named "hidden"/);
});

test("finds jobs by the seed's filters", async (t) => {
  const { call, make } = await jobsApp(t);
  await make(
    jobOf({ name: "Daily Orders", description: "pulls 100% of them", category: "finance", tags: ["orders"] }),
  );
  await make(jobOf({ name: "stock_take", category: "logistics", tags: ["stock", "orders"] }));
  const { id } = await make(jobOf({ name: "payroll", description: "Wages" }));
  await call("PUT", `/jobs/${id}`, jobOf({ name: "payroll", description: "Wages of the month" }));
  const gone = await make(jobOf({ name: "gone", tags: ["orders"] }));
  await call("DELETE", `/jobs/${gone.id}`);
  const names = async (request: object) => {
    const { data, response } = await call("POST", "/jobs/search", {
      sortBy: "name",
      sortOrder: "asc",
      ...request,
    });
    assert.equal(response.statusCode, 200, response.body);
    return data.map((job: { name: string }) => job.name);
  };
  const by = (field: string, matchMode: string, value: unknown) => ({
    filters: { [field]: { operator: "and", constraints: [{ matchMode, value }] } },
  });

  assert.deepEqual(await names({}), ["Daily Orders", "payroll", "stock_take"]);
  assert.deepEqual(await names({ searchText: "ORDERS daily" }), ["Daily Orders"]);
  assert.deepEqual(await names({ searchText: "100%" }), ["Daily Orders"]);
  assert.deepEqual(await names({ searchText: "k_t" }), ["stock_take"]);
  assert.deepEqual(await names(by("tags", "equals", "orders")), ["Daily Orders", "stock_take"]);
  assert.deepEqual(await names(by("tags", "notEquals", "stock")), ["Daily Orders", "payroll"]);
  assert.deepEqual(await names(by("category", "in", ["finance", "logistics"])), [
    "Daily Orders",
    "stock_take",
  ]);
  assert.deepEqual(await names(by("version", "gt", 1)), ["payroll"]);
  assert.deepEqual(await names(by("createdAt", "lt", "2020-01-01")), []);
  assert.deepEqual(await names(by("id", "equals", id)), ["payroll"]);
  assert.deepEqual(await names({ ...by("tags", "contains", "ORD"), searchText: "stock" }), ["stock_take"]);

  const paged = await call("POST", "/jobs/search", { size: 2, page: 1, sortBy: "name", sortOrder: "desc" });
  assert.deepEqual(paged.body.meta, { totalElements: 3, page: 1, size: 2 });
  assert.equal(paged.data[0].name, "Daily Orders");
  assert.deepEqual(paged.data[0], (await call("GET", `/jobs/${paged.data[0].id}`)).data, "the whole record");

  for (const request of [
    { sortBy: "definition" },
    { sortBy: "name; drop table job" },
    by("password", "equals", "x"),
    by("name", "gt", "x"),
    by("version", "equals", "1"),
    by("createdAt", "gt", "soon"),
    by("name", "contains", 3),
    { size: 1001 },
    { page: -1 },
    { sortOrder: "up" },
    { searchText: "x".repeat(257) },
    { filters: { name: { operator: "xor", constraints: [] } } },
    { nope: 1 },
  ]) {
    assertRefused((await call("POST", "/jobs/search", request)).response, 400, "VALIDATION_FAILED");
  }
});

test("lists the step types with the schemas of their inputs", async (t) => {
  const { call } = await jobsApp(t);
  const { data } = await call("GET", "/step-types");
  const set = data.find((type: { name: string }) => type.name === "set");
  assert.deepEqual(Object.keys(set).sort(), [
    "connectionRequired",
    "connectionTypes",
    "description",
    "input",
    "name",
    "output",
    "title",
  ]);
  assert.deepEqual(set.connectionTypes, []);
  const http = data.find((type: { name: string }) => type.name === "http");
  assert.deepEqual([http.connectionTypes, http.connectionRequired], [["rest-api"], false]);
  assert.equal(set.input.properties.values.type, "object");
});

test("needs the authority of each route", async (t) => {
  const { as, make, principal } = await jobsApp(t);
  const { id } = await make(jobOf());
  const { token } = await principal("reader", ["JobService:Job:read"]);
  assert.equal((await as(token, "GET", `/jobs/${id}`)).status, 200);
  for (const [method, url, body] of [
    ["POST", "/jobs", jobOf()],
    ["PUT", `/jobs/${id}`, jobOf()],
    ["POST", "/jobs/import", jobOf()],
    ["POST", `/jobs/${id}/versions/1/restore`, undefined],
    ["DELETE", `/jobs/${id}`, undefined],
  ] as const) {
    assertRefused((await as(token, method, url, body)).response, 403, "FORBIDDEN");
    assertRefused((await as(undefined, method, url, body)).response, 401, "UNAUTHENTICATED");
  }
});
