import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { echo, httpServer } from "../../test/helpers/http-server.ts";
import { createDialer } from "./dialer.ts";
import { type GuardedRequest, guardedRequest } from "./dialer-request.ts";

const dialer = createDialer({ policy: "guarded", ownPorts: () => [] });
after(() => dialer.close());

function send(url: string, options: Partial<GuardedRequest> = {}) {
  return guardedRequest(dialer, {
    method: "GET",
    url: new URL(url),
    maxRedirects: 3,
    maxResponseBytes: 100_000,
    ...options,
  });
}

async function sendJson(url: string, options: Partial<GuardedRequest> = {}) {
  return JSON.parse(String((await send(url, options)).body));
}

function redirect(status: number, location: string): RequestListener {
  return (_request, response) => response.writeHead(status, { location }).end("moved");
}

const SECRETS = {
  authorization: "Bearer a",
  cookie: "b=1",
  "proxy-authorization": "Basic c",
  "x-api-key": "d",
  "private-token": "e",
};

test("drops every header that may be a credential when a redirect leads to another origin", async () => {
  await using target = await httpServer(echo);
  await using origin = await httpServer(redirect(307, `${target.url}/there`));
  const headers = { ...SECRETS, accept: "application/json", "user-agent": "pawl", "idempotency-key": "k" };
  const seen = (await sendJson(origin.url, { method: "POST", body: "x", headers })).headers;
  for (const name of Object.keys(SECRETS)) assert.equal(seen[name], undefined, name);
  assert.equal(seen.accept, "application/json");
  assert.equal(seen["idempotency-key"], "k");
  assert.equal(origin.requests[0]!.headers["x-api-key"], "d");
});

test("keeps dropped credentials dropped when the redirects come back", async () => {
  await using home = await httpServer((request, response) => {
    if (request.url === "/start") redirect(302, `${away.url}/`)(request, response);
    else echo(request, response);
  });
  await using away = await httpServer((request, response) =>
    redirect(302, `${home.url}/end`)(request, response),
  );
  const seen = (await sendJson(`${home.url}/start`, { headers: SECRETS })).headers;
  for (const name of Object.keys(SECRETS)) assert.equal(seen[name], undefined, name);
});

test("keeps credentials on a redirect within the origin", async () => {
  await using server = await httpServer((request, response) => {
    if (request.url === "/a") redirect(302, "/b?x=1")(request, response);
    else echo(request, response);
  });
  const seen = await sendJson(`${server.url}/a`, { headers: SECRETS });
  assert.equal(seen.url, "/b?x=1");
  assert.equal(seen.headers["x-api-key"], "d");
});

test("sends the user and password of a URL to its own origin only", async () => {
  await using target = await httpServer(echo);
  await using origin = await httpServer(redirect(302, `http://evil:twin@127.0.0.1:${target.port}/`));
  const url = `http://me:p%40ss@127.0.0.1:${origin.port}/`;
  const answer = await send(url);
  assert.equal(origin.requests[0]!.headers.authorization, `Basic ${btoa("me:p@ss")}`);
  assert.equal(target.requests[0]!.headers.authorization, undefined);
  assert.equal(answer.url.href, `${target.url}/`);
});

for (const [status, method, becomes, sent] of [
  [301, "POST", "GET", ""],
  [302, "POST", "GET", ""],
  [303, "POST", "GET", ""],
  [303, "PUT", "GET", ""],
  [302, "PUT", "PUT", "body"],
  [307, "POST", "POST", "body"],
  [308, "POST", "POST", "body"],
] as const) {
  test(`follows a ${status} after ${method} with ${becomes}${sent && " and the body again"}`, async () => {
    await using server = await httpServer((request, response) => {
      if (request.url === "/a") redirect(status, "/b")(request, response);
      else echo(request, response);
    });
    const headers = { "content-type": "text/plain", "idempotency-key": "k" };
    const seen = await sendJson(`${server.url}/a`, { method, body: "body", headers });
    assert.equal(seen.method, becomes);
    assert.equal(seen.body, sent);
    assert.equal(seen.headers["content-type"], sent ? "text/plain" : undefined);
    assert.equal(seen.headers["idempotency-key"], sent ? "k" : undefined);
  });
}

test("checks where a redirect leads before it goes there", async () => {
  for (const location of [
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:a9fe:a9fe]/",
    "http://0/",
  ]) {
    await using server = await httpServer(redirect(302, location));
    await assert.rejects(send(server.url), { code: "EGRESS_BLOCKED", retryable: false }, location);
  }
});

test("refuses a redirect to another protocol, and more redirects than allowed", async () => {
  await using file = await httpServer(redirect(302, "file:///etc/passwd"));
  await assert.rejects(send(file.url), { code: "REDIRECT_REFUSED", message: /file: address/ });
  await using loop = await httpServer(redirect(302, "/again"));
  await assert.rejects(send(loop.url), { code: "REDIRECT_REFUSED", message: /more than 3 times/ });
  assert.equal(loop.requests.length, 4);
});

test("hands back a redirect that is not to be followed, or that leads nowhere", async () => {
  await using server = await httpServer(redirect(302, "/b"));
  assert.equal((await send(server.url, { maxRedirects: 0 })).status, 302);
  await using nowhere = await httpServer((_request, response) => response.writeHead(302).end());
  assert.equal((await send(nowhere.url)).status, 302);
});

test("does not wait for the body of a redirect", async () => {
  await using server = await httpServer((request, response) => {
    if (request.url === "/b") return void response.end("done");
    response.writeHead(302, { location: "/b" }).write("and then nothing");
  });
  assert.equal(String((await send(server.url)).body), "done");
});

test("cuts an answer without end at the limit, and closes its connection", async () => {
  let sent = 0;
  const closed = Promise.withResolvers<void>();
  await using server = await httpServer((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const pour = () => {
      while (sent < 10 * 2 ** 30 && response.write(chunk)) sent += chunk.length;
    };
    response.on("drain", pour).on("close", closed.resolve);
    pour();
  });
  const answer = await send(server.url);
  assert.equal(answer.truncated, true);
  assert.equal(answer.body.length, 100_000);
  await closed.promise;
  assert.ok(sent < 50 * 2 ** 20, `${sent} bytes were taken`);
});

test("takes an answer of exactly the limit as whole", async () => {
  await using server = await httpServer((_request, response) => response.end("x".repeat(100_000)));
  const answer = await send(server.url);
  assert.equal(answer.truncated, false);
  assert.equal(answer.body.length, 100_000);
});

for (const [coding, compress] of [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
] as const) {
  test(`decodes ${coding}, and unpacks a bomb of it only up to the limit`, async () => {
    const bomb = compress(Buffer.alloc(64 * 2 ** 20));
    await using server = await httpServer((request, response) => {
      const body = request.url === "/bomb" ? bomb : compress("hello");
      response.writeHead(200, { "content-encoding": coding }).end(body);
    });
    assert.equal(String((await send(server.url)).body), "hello");
    const answer = await send(`${server.url}/bomb`);
    assert.equal(answer.truncated, true);
    assert.equal(answer.body.length, 100_000);
  });
}

test("says so when the body is not in the coding that was announced, or in one it does not know", async () => {
  await using broken = await httpServer((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip at all");
  });
  await assert.rejects(send(broken.url), { code: "RESPONSE_INVALID", message: /not in the content coding/ });
  await using odd = await httpServer((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip, gzip" }).end("x");
  });
  await assert.rejects(send(odd.url), { code: "RESPONSE_INVALID", message: /not supported: gzip, gzip/ });
});

test("takes an answer without a body, whatever coding it announces", async () => {
  await using server = await httpServer((request, response) => {
    const coding = new URL(request.url!, "http://x").searchParams.get("coding")!;
    response.writeHead(request.url!.startsWith("/204") ? 204 : 200, { "content-encoding": coding }).end();
  });
  for (const coding of ["gzip", "deflate", "br", "zstd"]) {
    assert.equal((await send(`${server.url}/204?coding=${coding}`)).body.length, 0);
    assert.equal((await send(`${server.url}/?coding=${coding}`)).body.length, 0, coding);
    assert.equal((await send(`${server.url}/?coding=${coding}`, { method: "HEAD" })).body.length, 0);
  }
});

test("stops at once when aborted in the middle of a trickling answer, with the reason it was given", async () => {
  const gone = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await using server = await httpServer((_request, response) => {
    response.on("close", gone.resolve).write("drip");
    begun.resolve();
  });
  const stop = new AbortController();
  const sending = send(server.url, { signal: stop.signal });
  await begun.promise;
  stop.abort(new Error("stopped by Ann"));
  await assert.rejects(sending, { message: "stopped by Ann" });
  await gone.promise;
});

for (const [name, answer, code, message] of [
  [
    "hangs up without an answer",
    (socket: Socket) => socket.end(),
    "CONNECTION_FAILED",
    /closed the connection/,
  ],
  [
    "resets the connection",
    (socket: Socket) => socket.resetAndDestroy(),
    "CONNECTION_FAILED",
    /did not answer/,
  ],
  [
    "speaks another protocol",
    (socket: Socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    "CONNECTION_FAILED",
    /did not answer in HTTP/,
  ],
  [
    "stops in the middle of the body",
    (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"),
    "CONNECTION_FAILED",
    /closed the connection before the answer was complete/,
  ],
  [
    "sends headers without end",
    (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}`),
    "CONNECTION_FAILED",
    /response headers are too large/,
  ],
] as const) {
  test(`explains a server that ${name}`, async (t) => {
    const server = createServer((socket) => {
      socket.on("error", () => {}).once("data", () => answer(socket));
    }).listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    await assert.rejects(send(`http://127.0.0.1:${port}/x`), { code, message, retryable: true });
  });
}

test("explains a port where nothing listens, a name that does not exist, and plain HTTP behind https", async () => {
  await using server = await httpServer(echo);
  await assert.rejects(send(server.url.replace("http:", "https:")), { code: "TLS_FAILED", retryable: true });
  const { port } = server;
  await server[Symbol.asyncDispose]();
  await assert.rejects(send(`http://127.0.0.1:${port}/a?b=1`), {
    code: "CONNECTION_FAILED",
    message: `GET http://127.0.0.1:${port}/a?b=1 could not be reached: nothing listens there (connection refused).`,
    retryable: true,
  });
  const nowhere = createDialer({
    policy: "guarded",
    ownPorts: () => [],
    lookup: (_name, _options, done) => done(Object.assign(new Error("no"), { code: "ENOTFOUND" }), []),
  });
  const request = {
    method: "GET",
    url: new URL("http://nowhere.example/"),
    maxRedirects: 0,
    maxResponseBytes: 1,
  };
  await assert.rejects(guardedRequest(nowhere, request), {
    code: "CONNECTION_FAILED",
    message: /the host name does not exist/,
  });
  await nowhere.close();
});

test("refuses headers that would split the request", async () => {
  await using server = await httpServer(echo);
  await assert.rejects(send(server.url, { headers: { "x-a": "1\r\nx-b: 2" } }), {
    code: "INVALID_INPUT",
    retryable: false,
  });
  assert.equal(server.requests.length, 0);
});
