import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { dummyApp } from "../../test/helpers/dummy-app.ts";
import { close } from "./shutdown.ts";

const request = "GET /me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\n\r\n";

/** An app whose handler of /me waits to be released, and that tells when one has begun. */
async function slowApp() {
  const started = Promise.withResolvers<AbortSignal>();
  const release = Promise.withResolvers<void>();
  const { app } = await dummyApp(async (name, call) => {
    if (name !== "whoAmI") return { data: null };
    started.resolve(call.signal);
    await release.promise;
    return { data: null, message: "finished" };
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, started: started.promise, release: release.resolve };
}

async function open(port: number): Promise<{ socket: Socket; text: () => string; gone: Promise<unknown> }> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  return { socket, text: () => text, gone: new Promise((resolve) => socket.once("close", resolve)) };
}

test("finishes what is in flight, closes idle connections at once, accepts nothing new", async () => {
  const { app, port, started, release } = await slowApp();
  const busy = await open(port);
  const idle = await open(port);
  idle.socket.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(idle.socket, "data");
  busy.socket.write(request);
  await started;
  const closed = close(app, 60_000);
  await idle.gone;
  const late = connect(port, "127.0.0.1");
  assert.equal((await once(late, "error"))[0].code, "ECONNREFUSED");
  release();
  await busy.gone;
  await closed;
  assert.match(busy.text(), /^HTTP\/1.1 200 [\s\S]*connection: close[\s\S]*finished/i);
});

test("refuses in the envelope a request that was half sent when the shutdown began", async () => {
  const { app, port, started, release } = await slowApp();
  const half = await open(port);
  half.socket.write(request.slice(0, 20));
  const busy = await open(port);
  busy.socket.write(request);
  // What came before on another connection has been read by now.
  await started;
  const closed = close(app, 60_000);
  half.socket.write(request.slice(20));
  await half.gone;
  assert.match(half.text(), /^HTTP\/1.1 503 [\s\S]*connection: close[\s\S]*"code":"OVERLOADED"/i);
  release();
  await closed;
});

test("cuts what does not finish in time, and tells its handler", async () => {
  const { app, port, started, release } = await slowApp();
  const busy = await open(port);
  busy.socket.write(request);
  const signal = await started;
  const told = once(signal, "abort");
  await close(app, 20);
  await Promise.all([busy.gone, told]);
  assert.equal(busy.text(), "");
  release();
});

test("tells a handler that its client has gone, and nothing when it was answered", async () => {
  const { app, port, started, release } = await slowApp();
  const client = await open(port);
  client.socket.write(request);
  const signal = await started;
  const told = once(signal, "abort");
  client.socket.destroy();
  await told;
  release();
  await close(app, 1_000);

  const other = await slowApp();
  other.release();
  const answered = await open(other.port);
  answered.socket.write(request);
  const quiet = await other.started;
  await once(answered.socket, "data");
  await close(other.app, 1_000);
  await answered.gone;
  assert.equal(quiet.aborted, false);
});
