import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { after, test } from "node:test";
import { echo, httpServer } from "../../../test/helpers/http-server.ts";
import { noResources } from "../../../test/helpers/no-sources.ts";
import { runStep, type StepCall } from "../../../test/helpers/step.ts";
import { createDialer } from "../../lib/dialer.ts";
import { createMasker } from "../../lib/masker.ts";
import { http } from "./http.ts";
import type { HttpInput } from "./input.ts";

const dialer = createDialer({ policy: "guarded", ownPorts: () => [] });
const type = http(dialer, noResources());
after(() => dialer.close());

interface Output {
  status: number;
  headers: Record<string, string | string[]>;
  body: unknown;
  url: string;
  durationMs: number;
}

function request(input: HttpInput, call: Partial<StepCall> = {}) {
  return runStep(type, { ...call, input }) as Promise<Output>;
}

/** What an echoing server was sent. */
async function sent(input: Omit<HttpInput, "url">, path = "/") {
  await using server = await httpServer(echo);
  const { body } = await request({ ...input, url: server.url + path });
  return body as { method: string; url: string; headers: Record<string, string>; body: string };
}

function answering(body: string | Buffer, contentType?: string, status = 200): RequestListener {
  return (_request, response) =>
    response.writeHead(status, contentType === undefined ? {} : { "content-type": contentType }).end(body);
}

test("gives status, headers, parsed body, address and duration", async () => {
  await using server = await httpServer((_request, response) => {
    response
      .setHeader("set-cookie", ["a=1", "b=2"])
      .setHeader("content-type", "application/json")
      .end('{"a":[1]}');
  });
  const output = await request({ url: `${server.url}/x?api_key=1234&page=2#there` });
  assert.equal(output.status, 200);
  assert.deepEqual(output.body, { a: [1] });
  assert.deepEqual(output.headers["set-cookie"], ["a=1", "b=2"]);
  assert.equal(output.url, `${server.url}/x?api_key=***&page=2`);
  assert.ok(Number.isInteger(output.durationMs));
});

test("sends JSON, text, a form and bytes, each with its content type", async () => {
  const post = { method: "POST" } as const;
  const json = await sent({ ...post, json: { a: null } });
  assert.deepEqual([json.body, json.headers["content-type"]], ['{"a":null}', "application/json"]);
  assert.equal((await sent({ ...post, json: null })).body, "null");
  const text = await sent({ ...post, text: "héllo" });
  assert.deepEqual([text.body, text.headers["content-type"]], ["héllo", "text/plain; charset=utf-8"]);
  const form = await sent({ ...post, form: { a: "x&y", b: [1, true] } });
  assert.equal(form.body, "a=x%26y&b=1&b=true");
  assert.equal(form.headers["content-type"], "application/x-www-form-urlencoded");
  const bytes = await sent({ ...post, binary: btoa("raw"), headers: { "Content-Type": "image/x" } });
  assert.deepEqual([bytes.body, bytes.headers["content-type"]], ["raw", "image/x"]);
});

test("adds query parameters and leaves those of the URL as they are spelled", async () => {
  const query = { q: "a b", list: [1, 2], flag: true, none: null };
  assert.equal((await sent({ query }, "/p?x=%20y+z")).url, "/p?x=%20y+z&q=a+b&list=1&list=2&flag=true");
  assert.equal((await sent({ query: { a: 1 } })).url, "/?a=1");
});

test("sends the step's idempotency key with what changes something, unless one is given", async () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
    assert.equal((await sent({ method })).headers["idempotency-key"], "execution/step/1", method);
  }
  assert.equal((await sent({})).headers["idempotency-key"], undefined);
  const own = await sent({ method: "POST", headers: { "Idempotency-Key": "mine" } });
  assert.equal(own.headers["idempotency-key"], "mine");
});

test("names itself, unless a user agent is given", async () => {
  assert.equal((await sent({})).headers["user-agent"], "pawl");
  assert.equal((await sent({ headers: { "User-Agent": "me/1" } })).headers["user-agent"], "me/1");
});

for (const [what, body, contentType, responseType, expected] of [
  ["JSON by its content type", '{"a":1}', "application/json; charset=utf-8", "auto", { a: 1 }],
  ["JSON by its suffix", "[1]", "application/problem+json", "auto", [1]],
  ["text", "a,b", "text/csv", "auto", "a,b"],
  ["text in another charset", Buffer.from([0xe9]), "text/plain; charset=iso-8859-1", "auto", "é"],
  ["bytes as base64", Buffer.from([1, 2, 255]), "image/png", "auto", "AQL/"],
  ["text without a content type", "plain", undefined, "auto", "plain"],
  ["bytes without a content type", Buffer.from([0, 159]), undefined, "auto", "AJ8="],
  ["an empty body as null", "", "application/json", "auto", null],
  ["JSON when told so", "[1]", "text/html", "json", [1]],
  ["text when told so", '{"a":1}', "application/json", "text", '{"a":1}'],
  ["bytes when told so", "hi", "text/plain", "binary", "aGk="],
] as const) {
  test(`reads ${what}`, async () => {
    await using server = await httpServer(answering(body, contentType));
    assert.deepEqual((await request({ url: server.url, responseType })).body, expected);
  });
}

test("fails on JSON that is none, and says how to take it anyway", async () => {
  await using server = await httpServer(answering("<html>", "application/json"));
  for (const responseType of ["auto", "json"] as const) {
    await assert.rejects(request({ url: server.url, responseType }), {
      code: "RESPONSE_INVALID",
      message: /JSON.*Set responseType to text/,
    });
  }
});

test("refuses JSON nested so deep that nothing could write it again", async () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  await using deep = await httpServer(answering(nested(100_000), "application/json"));
  await assert.rejects(request({ url: deep.url }), { code: "RESPONSE_INVALID", retryable: false });
  await using fine = await httpServer(answering(nested(400), "application/json"));
  assert.equal(JSON.stringify((await request({ url: fine.url })).body), nested(400));
});

test("lets no answer reach a prototype", async () => {
  await using server = await httpServer(answering('{"a":{"__proto__":{"polluted":1}}}', "application/json"));
  const { body } = await request({ url: server.url });
  assert.equal(
    Object.assign({}, (body as { a: object }).a, {} as { polluted?: unknown }).polluted,
    undefined,
  );
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

for (const [status, retryable] of [
  [400, false],
  [401, false],
  [404, false],
  [408, true],
  [409, false],
  [425, true],
  [429, true],
  [500, true],
  [503, true],
] as const) {
  test(`fails on ${status}, ${retryable ? "worth" : "not worth"} another try`, async () => {
    await using server = await httpServer(answering("no such thing", "text/plain", status));
    await assert.rejects(request({ url: `${server.url}/a` }), {
      code: "HTTP_STATUS",
      message: `GET ${server.url}/a answered ${status}: no such thing`,
      retryable,
    });
  });
}

test("shows of a failure its first 500 characters, and no credentials of the URL", async () => {
  await using server = await httpServer(answering("x".repeat(3_000_000), "text/html", 500));
  const url = `http://me:hunter2@127.0.0.1:${server.port}/p?token=hunter2&a=1`;
  await assert.rejects(request({ url }), (error: Error) => {
    assert.match(error.message, /^GET http:\/\/127\.0\.0\.1:\d+\/p\?token=\*\*\*&a=1 answered 500: x{500}…$/);
    return true;
  });
});

test("passes on how long a server asks to be left alone", async () => {
  const retryAfter =
    (value: string): RequestListener =>
    (_request, response) =>
      response.writeHead(503, { "retry-after": value }).end();
  for (const [value, check] of [
    ["7", (ms: unknown) => ms === 7_000],
    ["999999999", (ms: unknown) => ms === 86_400_000],
    [
      new Date(Date.now() + 60_000).toUTCString(),
      (ms: unknown) => (ms as number) > 50_000 && (ms as number) < 61_000,
    ],
    ["soon", (ms: unknown) => ms === undefined],
  ] as const) {
    await using server = await httpServer(retryAfter(value));
    await assert.rejects(request({ url: server.url }), (error: { retryAfterMs?: number }) =>
      check(error.retryAfterMs),
    );
  }
});

test("takes any status as an answer when told not to fail", async () => {
  await using server = await httpServer(answering('{"error":"x"}', "application/json", 422));
  const output = await request({ url: server.url, failOnStatus: false });
  assert.deepEqual([output.status, output.body], [422, { error: "x" }]);
});

test("follows redirects as far as told, or not at all", async () => {
  await using server = await httpServer((request, response) => {
    const left = Number(request.url!.slice(1));
    if (left === 0) response.end("here");
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  const output = await request({ url: `${server.url}/3` });
  assert.deepEqual([output.body, output.url], ["here", `${server.url}/0`]);
  await assert.rejects(request({ url: `${server.url}/3`, maxRedirects: 2 }), { code: "REDIRECT_REFUSED" });
  assert.equal((await request({ url: `${server.url}/3`, followRedirects: false })).status, 302);
});

test("fails on an answer above the limit, and says which limit", async () => {
  await using server = await httpServer(answering("x".repeat(11), "text/plain"));
  assert.equal((await request({ url: server.url, maxResponseBytes: 11 })).body, "x".repeat(11));
  await assert.rejects(request({ url: server.url, maxResponseBytes: 10 }), {
    code: "RESPONSE_TOO_LARGE",
    message: /more than 10 bytes. Raise maxResponseBytes/,
    retryable: false,
  });
});

test("stops when the step is stopped", async () => {
  const stop = new AbortController();
  await using server = await httpServer(() => stop.abort(new Error("stopped")));
  await assert.rejects(request({ url: server.url }, { signal: stop.signal }), { message: "stopped" });
});

test("refuses to connect where the dialer does not", async () => {
  const url = "http://169.254.169.254/latest/meta-data/";
  await assert.rejects(request({ url }), { code: "EGRESS_BLOCKED", retryable: false });
});

test("finds faults at save that the schema can't see, and again at the run", async () => {
  const check = (input: Record<string, unknown>) =>
    (type.check!(input) as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(check({ url: "https://example.org/{{ params.id }}" }), []);
  assert.deepEqual(check({ url: "{{ params.url }}", headers: { "x-a": "{{ params.a }}" } }), []);
  assert.deepEqual(check({ url: "/relative" }), ["/url"]);
  assert.deepEqual(check({ url: "file:///etc/passwd" }), ["/url"]);
  assert.deepEqual(check({ url: "http://a", json: 1, text: "x" }), ["/text"]);
  assert.deepEqual(check({ url: "http://a", binary: "@@" }), ["/binary"]);
  assert.deepEqual(check({ url: "http://a", headers: { "a b": "1", Host: "x", "Content-Length": "0" } }), [
    "/headers/a b",
    "/headers/Content-Length",
  ]);
  await assert.rejects(request({ url: "gopher://x" }), { code: "INVALID_INPUT", retryable: false });
  await assert.rejects(request({ url: "http://127.0.0.1", headers: { a: "x\r\nb: y" } }), {
    code: "INVALID_INPUT",
  });
});

const restApi = (variables: Record<string, string>) => ({
  id: "1",
  name: "api",
  connectionType: "rest-api" as const,
  variables,
  sensitiveVariables: ["token", "headers"],
});

test("sends a request below the base URL of its connection, with its credentials", async () => {
  await using server = await httpServer(echo);
  const connection = restApi({
    baseUrl: `${server.url}/v1`,
    token: "hunter2",
    headers: '{"X-Tenant": "7", "User-Agent": "ours"}',
  });
  const { body } = await request({ path: "/orders?day=1", query: { a: 1 } }, { connection });
  const { url, headers } = body as { url: string; headers: Record<string, string> };
  assert.equal(url, "/v1/orders?day=1&a=1");
  assert.equal(headers.authorization, "Bearer hunter2");
  assert.equal(headers["x-tenant"], "7");
  assert.equal(headers["user-agent"], "ours");
  const own = await request({ url: `${server.url}/elsewhere`, headers: { "x-tenant": "8" } }, { connection });
  assert.equal(
    (own.body as typeof body & { headers: Record<string, string> }).headers.authorization,
    "Bearer hunter2",
  );
  assert.equal((own.body as typeof body & { headers: Record<string, string> }).headers["x-tenant"], "8");
});

test("sends credentials of a connection nowhere else: not to another URL, and not behind a redirect", async () => {
  await using other = await httpServer(echo);
  await using api = await httpServer((_request, response) => {
    response.writeHead(307, { location: `${other.url}/there` }).end();
  });
  const connection = restApi({
    baseUrl: api.url,
    authType: "apiKey",
    token: "hunter2",
    headers:
      '{"X-Tenant": "hunter2", "User-Agent": "hunter2", "Accept": "hunter2", "Idempotency-Key": "hunter2"}',
  });
  const lines: string[] = [];
  const log = (level: string, message: string) => lines.push(`${level} ${message}`);
  for (const input of [{ url: other.url }, { path: "/" }, { path: "/", method: "POST" as const, json: {} }]) {
    const { body } = await request(input, { connection, log });
    assert.doesNotMatch(JSON.stringify(body), /hunter2/);
  }
  assert.equal(api.requests[0]!.headers["x-api-key"], "hunter2");
  assert.deepEqual(lines, [`warn ${other.url} is not the connection's: its credentials are not sent there.`]);
});

test("masks what a server says before it cuts it", async () => {
  const secret = "a-secret-of-some-length";
  await using server = await httpServer(answering(`${"x".repeat(490)}${secret} and more`, "text/plain", 500));
  const { text } = createMasker([secret]);
  await assert.rejects(request({ url: server.url }, { mask: text }), (error: Error) => {
    assert.match(error.message, /x\*\*\* and mo…$/);
    return true;
  });
});

test("says at save which address is missing, or one too many", () => {
  const faults = (input: object, connected: boolean) =>
    type.check!(input as Record<string, unknown>, { connected });
  assert.deepEqual(faults({ path: "/a" }, true), []);
  assert.deepEqual(faults({ url: "https://x.example" }, true), []);
  for (const [input, connected, path, message] of [
    [{}, false, "/url", /is required/],
    [{}, true, "/path", /below the connection's base URL/],
    [{ path: "/a" }, false, "/path", /needs a connection/],
    [{ path: "/a", url: "https://x.example" }, true, "/path", /second address/],
  ] as const) {
    const [fault] = faults(input, connected) as { path: string; message: string }[];
    assert.equal(fault!.path, path);
    assert.match(fault!.message, message);
  }
});
