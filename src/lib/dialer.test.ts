import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { echo, httpServer } from "../../test/helpers/http-server.ts";
import { createDialer, type DialerOptions } from "./dialer.ts";
import { guardedRequest } from "./dialer-request.ts";

// Every spelling of 127.0.0.1 and its neighbours that reached the server when only the lookup hook was guarded.
const SPELLINGS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "0x7f000001",
  "0x7f.1",
  "2130706433",
  "017700000001",
  "0177.0.0.1",
  "①②⑦.0.0.①",
  "localhost",
  "LOCALHOST",
  "0",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "127.255.255.254",
];

// The same for the metadata service, which no policy and no list ever opens.
const METADATA = [
  "169.254.169.254",
  "169.254.169.254.",
  "169.254.43518",
  "169.16689662",
  "2852039166",
  "0xa9fea9fe",
  "0xA9.0xFE.0xA9.0xFE",
  "025177524776",
  "0251.0376.0251.0376",
  "１６９．２５４．１６９．２５４",
  "169。254。169。254",
  "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
  "%31%36%39.254.169.254",
  "[::ffff:169.254.169.254]",
  "[::ffff:a9fe:a9fe]",
  "[::169.254.169.254]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b:1::a9fe:a9fe]",
  "[2002:a9fe:a9fe::1]",
  "[2001:0:a9fe:a9fe::1]",
  "[fe80::1]",
  "[fd00:ec2::254]",
  "168.63.129.16",
  "2822734096",
  "100.100.100.200",
  "0x646464c8",
  "192.0.0.192",
];

const dialers: { close(): Promise<void> }[] = [];
after(() => Promise.all(dialers.map((dialer) => dialer.close())));

function dialerOf(options: Partial<DialerOptions> = {}) {
  const dialer = createDialer({ policy: "guarded", ownPorts: () => [], ...options });
  dialers.push(dialer);
  return dialer;
}

function get(dialer: ReturnType<typeof dialerOf>, url: string) {
  return guardedRequest(dialer, {
    method: "GET",
    url: new URL(url),
    maxRedirects: 3,
    maxResponseBytes: 10_000,
  });
}

const blocked = { name: "StepError", code: "EGRESS_BLOCKED", retryable: false };

for (const host of SPELLINGS) {
  test(`refuses http://${host} when strict, and when guarded on one of Pawl's own ports`, async () => {
    await using server = await httpServer(echo);
    const strict = dialerOf({ policy: "strict" });
    const guarded = dialerOf({ ownPorts: () => [server.port] });
    for (const dialer of [strict, guarded]) {
      await assert.rejects(get(dialer, `http://${host}:${server.port}/`), blocked);
      await assert.rejects(dialer.connect(host, server.port), blocked);
    }
    assert.equal(server.requests.length, 0);
  });
}

for (const host of METADATA) {
  test(`refuses http://${host} under either policy, listed or not, and where a redirect or a name leads to it`, async () => {
    const url = `http://${host}/latest/meta-data`;
    const { hostname } = new URL(url);
    const all = ["0.0.0.0/0", "::/0", hostname, "inside.example"];
    await using server = await httpServer((_request, response) => {
      // A header holds Latin-1 only.
      const location = url.replace(/[^ -~]/g, encodeURIComponent);
      response.writeHead(302, { location }).end();
    });
    const address = hostname.replace(/^\[|\]$|\.$/g, "");
    const family = address.includes(":") ? 6 : 4;
    for (const policy of ["guarded", "strict"] as const) {
      const dialer = dialerOf({
        policy,
        allow: all,
        lookup: (_name, _options, done) => done(null, [{ address, family }]),
      });
      await assert.rejects(get(dialer, url), blocked);
      await assert.rejects(get(dialer, server.url), blocked);
      await assert.rejects(get(dialer, "http://inside.example/"), blocked);
      await assert.rejects(dialer.connect(hostname, 80), blocked);
      await assert.rejects(dialer.connect("inside.example", 5432), blocked);
    }
  });
}

test("reaches loopback when guarded, and when strict once it is listed", async () => {
  await using server = await httpServer(echo);
  const byName = dialerOf({ policy: "strict", allow: ["localhost"] });
  const byRange = dialerOf({ policy: "strict", allow: ["127.0.0.0/8"] });
  assert.equal((await get(dialerOf(), server.url)).status, 200);
  assert.equal((await get(byRange, server.url)).status, 200);
  assert.equal((await get(byName, `http://localhost:${server.port}`)).status, 200);
  await assert.rejects(get(byName, server.url), blocked);
});

test("keeps Pawl's own ports closed even to what strict egress lists", async () => {
  await using server = await httpServer(echo);
  const dialer = dialerOf({ policy: "strict", allow: ["127.0.0.1"], ownPorts: () => [server.port] });
  await assert.rejects(get(dialer, server.url), { ...blocked, message: /Pawl itself listens there/ });
});

test("asks for its own ports at each connection, as they are known late", async () => {
  await using server = await httpServer((request, response) => {
    response.setHeader("connection", "close");
    echo(request, response);
  });
  const own: number[] = [];
  const dialer = dialerOf({ ownPorts: () => own });
  await get(dialer, server.url);
  own.push(server.port);
  await assert.rejects(get(dialer, server.url), blocked);
});

test("names the host and the rule, and not the address behind a name", async () => {
  const dialer = dialerOf({
    lookup: (_name, _options, done) => done(null, [{ address: "169.254.169.254", family: 4 }]),
  });
  await assert.rejects(get(dialer, "http://inside.example/"), (error: Error) => {
    assert.match(error.message, /may not connect to inside\.example: it is a link-local address/);
    assert.doesNotMatch(error.message, /169\.254/);
    return true;
  });
});

test("refuses a name when any one of its addresses is refused", async () => {
  await using server = await httpServer(echo);
  const dialer = dialerOf({
    lookup: (_name, _options, done) =>
      done(null, [
        { address: "127.0.0.1", family: 4 },
        { address: "fe80::1", family: 6 },
      ]),
  });
  await assert.rejects(get(dialer, `http://two.example:${server.port}/`), blocked);
  assert.equal(server.requests.length, 0);
});

test("refuses a name that resolves to something else the second time", async () => {
  await using server = await httpServer((request, response) => {
    response.setHeader("connection", "close");
    echo(request, response);
  });
  const answers = ["127.0.0.1", "169.254.169.254"];
  const dialer = dialerOf({
    lookup: (_name, _options, done) => done(null, [{ address: answers.shift()!, family: 4 }]),
  });
  const url = `http://rebind.example:${server.port}/`;
  assert.equal((await get(dialer, url)).status, 200);
  await assert.rejects(get(dialer, url), blocked);
});

test("refuses the peer when the address changes between the check and the connection", async () => {
  await using server = await httpServer(echo);
  const turncoat = () => {
    let reads = 0;
    return {
      family: 4,
      get address() {
        return reads++ === 0 ? "93.184.216.34" : "127.0.0.1";
      },
    };
  };
  const dialer = dialerOf({ policy: "strict", lookup: (_name, _options, done) => done(null, [turncoat()]) });
  await assert.rejects(get(dialer, `http://turncoat.example:${server.port}/`), blocked);
  await assert.rejects(dialer.connect("turncoat.example", server.port), blocked);
  assert.equal(server.requests.length, 0);
});

test("uses no proxy from the environment: a proxy would resolve names out of sight", async (t) => {
  await using server = await httpServer(echo);
  await using proxy = await httpServer(echo);
  const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "NODE_USE_ENV_PROXY"];
  const before = names.map((name) => process.env[name]);
  t.after(() => {
    for (const [i, name] of names.entries()) {
      if (before[i] === undefined) delete process.env[name];
      else process.env[name] = before[i];
    }
  });
  for (const name of names) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : proxy.url;
  assert.equal((await get(dialerOf(), server.url)).status, 200);
  assert.equal(proxy.requests.length, 0);
});

test("hands out a connected TCP socket for the other protocols", async () => {
  await using listener = await tcpServer((socket) => socket.end("220 hello"));
  const socket = await dialerOf().connect("127.0.0.1", listener.port);
  const [greeting] = await once(socket, "data");
  assert.equal(String(greeting), "220 hello");
  socket.destroy();
});

test("gives up a TCP connection when its signal is aborted or its host is empty", async () => {
  const stop = new AbortController();
  const dialer = dialerOf({ lookup: () => stop.abort(new Error("stopped")) });
  await assert.rejects(dialer.connect("never.example", 25, { signal: stop.signal }), { message: "stopped" });
  const gone = AbortSignal.abort(new Error("no"));
  await assert.rejects(dialer.connect("a.example", 25, { signal: gone }), { message: "no" });
  await assert.rejects(dialer.connect(" ", 25), { code: "INVALID_INPUT" });
});

test("gives up a TCP connection that takes too long", async () => {
  const dialer = dialerOf({ lookup: () => {} });
  await assert.rejects(dialer.connect("slow.example", 25, { timeoutMs: 20 }), {
    code: "CONNECTION_FAILED",
    message: /slow\.example:25 could not be reached: it did not answer in time/,
  });
});

async function tcpServer(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}
