import assert from "node:assert/strict";
import { test } from "node:test";
import { asAdmin, dummyApp } from "../../test/helpers/dummy-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";
import type { FaultDetail } from "../contract/errors.ts";

const jobId = "01890a5d-ac96-774b-bcce-b302099a8057";
const json = { ...asAdmin, "content-type": "application/json" };

async function post(url: string, payload: string | Buffer | object, headers: Record<string, string> = json) {
  const { app, calls } = await dummyApp();
  const response = await app.inject({ method: "POST", url, headers, payload });
  return { response, call: calls.at(-1)?.call, calls };
}

const hostile: [string, string | Buffer, number, string][] = [
  ["no JSON", "{", 400, "MALFORMED_JSON"],
  ["two values", "{}{}", 400, "MALFORMED_JSON"],
  ["single quotes", "{'a':1}", 400, "MALFORMED_JSON"],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400, "MALFORMED_JSON"],
  ["an overlong encoding", Buffer.from([0x22, 0xc0, 0x80, 0x22]), 400, "MALFORMED_JSON"],
  ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 400, "MALFORMED_JSON"],
  ["a raw NUL", '{"jobId":"\0"}', 400, "MALFORMED_JSON"],
  ["too much", `"${"x".repeat(1024 * 1024)}"`, 413, "PAYLOAD_TOO_LARGE"],
  ["nothing", "", 400, "VALIDATION_FAILED"],
  ["null", "null", 400, "VALIDATION_FAILED"],
  ["an array", "[]", 400, "VALIDATION_FAILED"],
  ["a string", '"a"', 400, "VALIDATION_FAILED"],
  ["NaN", "NaN", 400, "MALFORMED_JSON"],
  ["great depth", `${"[".repeat(400_000)}${"]".repeat(400_000)}`, 400, "VALIDATION_FAILED"],
  ["NUL", `{"jobId":"${jobId}","parameters":{"a":"\\u0000"}}`, 400, "VALIDATION_FAILED"],
  ["a lone surrogate", `{"jobId":"${jobId}","parameters":{"a":"\\ud800"}}`, 400, "VALIDATION_FAILED"],
  ["1e400", `{"jobId":"${jobId}","parameters":{"a":1e400}}`, 400, "VALIDATION_FAILED"],
  ["2^53 + 1", `{"jobId":"${jobId}","parameters":{"a":9007199254740993}}`, 400, "VALIDATION_FAILED"],
  ["__proto__", `{"jobId":"${jobId}","__proto__":{"async":false}}`, 400, "VALIDATION_FAILED"],
  ["constructor", `{"jobId":"${jobId}","parameters":{"constructor":1}}`, 400, "VALIDATION_FAILED"],
];
for (const [what, payload, status, code] of hostile) {
  test(`refuses a body that holds ${what}: ${status} ${code}`, async () => {
    const { response, calls } = await post("/api/v2/job/start", payload);
    assertRefused(response, status, code);
    assert.equal(calls.length, 0);
  });
}

test("says where JSON is broken, and repeats nothing of it", async () => {
  const { response } = await post("/api/v2/job/start", '{\n  "jobId": "s3cret" oops\n}');
  assert.match(response.json().message, /line 2, column 21/);
  assert.doesNotMatch(response.body, /s3cret|oops/);
});

test("takes a body of exactly 1 MiB", async () => {
  const body = `{"jobId":"${jobId}","parameters":{"a":""}}`;
  const full = body.replace('""', `"${"x".repeat(1024 * 1024 - body.length)}"`);
  assert.equal(full.length, 1024 * 1024);
  assert.equal((await post("/api/v2/job/start", full)).response.statusCode, 200);
});

for (const type of [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "nonsense",
  "application/json; charset=utf-16",
  "application/yaml",
  undefined,
]) {
  test(`refuses a JSON route's body as ${type}`, async () => {
    const { response } = await post("/api/v2/job/start", `{"jobId":"${jobId}"}`, {
      ...asAdmin,
      ...(type ? { "content-type": type } : {}),
    });
    assertRefused(response, 415, "UNSUPPORTED_MEDIA_TYPE");
  });
}

test("refuses a compressed body instead of taking it for broken JSON", async () => {
  const { response } = await post("/api/v2/job/start", "x", { ...json, "content-encoding": "gzip" });
  assertRefused(response, 415, "UNSUPPORTED_MEDIA_TYPE");
});

test("hands YAML to the route that takes it, as text, and checks its JSON", async () => {
  for (const type of ["application/yaml", "text/yaml; charset=utf-8", "application/x-yaml"]) {
    const { response, call } = await post("/jobs/import", "name: x", { ...asAdmin, "content-type": type });
    assert.equal(response.statusCode, 200, response.body);
    assert.equal(call!.body, "name: x");
  }
  assertRefused((await post("/jobs/import", { name: "x" })).response, 400, "VALIDATION_FAILED");
  assertRefused((await post("/jobs/import", '"name: x"')).response, 400, "VALIDATION_FAILED");
  const empty = await post("/jobs/import", "", { ...asAdmin, "content-type": "application/yaml" });
  assertRefused(empty.response, 400, "VALIDATION_FAILED");
});

test("tells a caller without a body what to send", async () => {
  const { response } = await post("/api/v2/job/start", "", asAdmin);
  assertRefused(response, 400, "VALIDATION_FAILED");
  assert.match(response.json().message, /no body.*jobId/);
});

test("takes no body for {} where every field is optional, and fills in the defaults", async () => {
  const history = `/jobExecution/job/${jobId}`;
  for (const headers of [asAdmin, json]) {
    const { response, call } = await post(history, "", headers);
    assert.equal(response.statusCode, 200, response.body);
    assert.deepEqual(call!.body, { page: 0, size: 10, sortField: "startTime", sortDirection: "desc" });
  }
});

test("refuses a body where none is taken, but not an empty one", async () => {
  const restore = `/jobs/${jobId}/versions/1/restore`;
  assert.equal((await post(restore, "", asAdmin)).response.statusCode, 200);
  assert.equal((await post(restore, "{}")).response.statusCode, 200);
  assertRefused((await post(restore, '{"a":1}')).response, 400, "VALIDATION_FAILED");
});

async function details(method: "GET" | "POST", url: string, payload?: object): Promise<FaultDetail[]> {
  const { app } = await dummyApp();
  const response = await app.inject({ method, url, headers: asAdmin, ...(payload ? { payload } : {}) });
  assertRefused(response, 400, "VALIDATION_FAILED");
  return response.json().error.details;
}

test("lists every fault of a body once, with its path and what would be right", async () => {
  const step = { key: "1", typ: "http", retry: { maxAttempts: "a" }, onError: "contineu" };
  const job = { name: "", steps: [step], mcp: { exposd: true }, tags: ["a", "a"] };
  assert.deepEqual(
    (await details("POST", "/jobs", job)).map(({ path, message }) => `${path} ${message}`).sort(),
    [
      '/mcp/exposd is not a known field. Did you mean "exposed"?',
      "/name must not be empty.",
      "/steps/0/key must begin with a letter and have only letters, digits and _, 64 at most.",
      '/steps/0/onError must be one of fail, continue. Did you mean "continue"?',
      "/steps/0/retry/maxAttempts must be an integer.",
      '/steps/0/typ is not a known field. Did you mean "type"?',
      "/steps/0/type is required.",
      "/tags must not have the same item twice.",
    ],
  );
});

test("settles alternatives: the faults of the one that was meant, or all the types", async () => {
  const search = (body: object) => details("POST", "/jobs/search", body);
  assert.deepEqual(await search({ searchText: 5 }), [
    { path: "/searchText", message: "must be a string or null." },
  ]);
  const constraint = { value: 1, matchMode: "equal" };
  assert.deepEqual(await search({ filters: { "a/b": { operator: "and", constraints: [constraint] } } }), [
    {
      path: "/filters/a~1b/constraints/0/matchMode",
      message:
        'must be one of equals, notEquals, contains, notContains, startsWith, endsWith, in, gt, lt, gte, lte, between. Did you mean "equals"?',
    },
  ]);
  assert.deepEqual(await details("POST", "/principal", { name: "a", authorities: [], jobs: { id: [] } }), [
    { path: "/jobs/id", message: 'is not a known field. Did you mean "ids"?' },
  ]);
});

test("answers a body with thousands of faults with a list that ends", async () => {
  const faults = await details("POST", "/jobs", { name: "a", steps: Array(500).fill({ a: 1 }) });
  assert.ok(faults.length > 20 && faults.length <= 100, String(faults.length));
});

test("names unknown fields even when there are thousands, and cuts long names", async () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, 1]));
  assert.ok((await details("POST", "/jobs", many)).some(({ path }) => path === "/k0"));
  const [, , fault] = await details("POST", "/jobs", { ["k".repeat(1_000_000)]: 1 });
  assert.ok(fault!.path.startsWith("/kkk") && fault!.path.length < 1000);
});

test("does not read a list item by item that is far too long", async () => {
  const steps = Array(20_000).fill({ key: "a", type: "x", onError: 1 });
  assert.deepEqual(await details("POST", "/jobs", { name: "a", steps }), [
    { path: "/steps", message: "must have 500 items at most." },
  ]);
});

const refusedUrls: [string, string, RegExp][] = [
  ["/principal?size=abc", "query/size", /must be an integer/],
  ["/principal?size=1.5", "query/size", /must be an integer/],
  ["/principal?size=", "query/size", /must be an integer/],
  ["/principal?size=0", "query/size", /1 or more/],
  ["/principal?size=1001", "query/size", /1000 or less/],
  ["/principal?page=-1", "query/page", /0 or more/],
  ["/principal?page=99999999999999999999", "query/page", /must be an integer/],
  ["/principal?page=1&page=2", "query/page", /once/],
  ["/principal?sise=1", "query/sise", /Did you mean "size"/],
  ["/principal?__proto__=1", "query/__proto__", /not a parameter/],
  ["/me?x=1", "query/x", /not a parameter/],
  ["/jobs/abc", "params/id", /a UUID/],
  [`/jobs/${jobId}%00`, "params/id", /can't be kept/],
  [`/jobExecution/${jobId}/logs?step=%00`, "query/step", /can't be kept/],
  [`/jobs/${jobId}/export?format=xml`, "query/format", /yaml, json/],
];
for (const [url, path, message] of refusedUrls) {
  test(`refuses ${url}, naming ${path}`, async () => {
    const [fault] = await details("GET", url);
    assert.equal(fault!.path, path);
    assert.match(fault!.message, message);
  });
}

test("lists the faults of path, query and body together", async () => {
  const paths = (await details("POST", "/jobs/import?onExisting=x&y=1", {})).map((fault) => fault.path);
  assert.deepEqual(paths.sort(), ["/name", "/steps", "query/onExisting", "query/y"]);
});

test("hands numbers, defaults and ids in lower case to the handler", async () => {
  const { app, calls } = await dummyApp();
  await app.inject({ url: `/jobs/${jobId.toUpperCase()}/versions?page=2`, headers: asAdmin });
  assert.deepEqual(calls.at(-1)!.call.params, { id: jobId });
  assert.deepEqual(calls.at(-1)!.call.query, { page: 2, size: 10 });
  const payload = { jobId: jobId.toUpperCase(), parameters: { id: jobId.toUpperCase() } };
  await app.inject({ method: "POST", url: "/api/v2/job/start", headers: asAdmin, payload });
  assert.deepEqual(calls.at(-1)!.call.body, {
    jobId,
    parameters: { id: jobId.toUpperCase() },
    async: true,
    triggeredBy: "api",
    priority: 5,
  });
  const limits = { ids: [jobId.toUpperCase()], tags: ["Keep"] };
  const principal = { name: "a", authorities: [], jobs: limits };
  await app.inject({ method: "POST", url: "/principal", headers: asAdmin, payload: principal });
  assert.deepEqual(calls.at(-1)!.call.body, {
    name: "a",
    kind: "user",
    authorities: [],
    jobs: { ids: [jobId], tags: ["Keep"] },
  });
});

test("checks headers that the route names", async () => {
  const key = (value: string) => ({ ...json, "idempotency-key": value });
  const start = (value: string) => post("/api/v2/job/start", { jobId }, key(value));
  assert.equal((await start("k1")).call!.headers!["idempotency-key" as never], "k1");
  const { response } = await start("x".repeat(256));
  assertRefused(response, 400, "VALIDATION_FAILED");
  assert.equal(response.json().error.details[0].path, "headers/idempotency-key");
});
