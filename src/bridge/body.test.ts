import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { readMessage } from "./body.ts";

function arriving() {
  const stream = Object.assign(new PassThrough(), { headers: {} });
  return { stream, request: stream as unknown as IncomingMessage };
}

test("gives up on a body that trickles in", async () => {
  const { stream, request } = arriving();
  const reading = readMessage(request, { withinMs: 20 });
  stream.write("{");
  const read = await reading;
  assert.ok("fault" in read);
  assert.equal(read.fault.status, 408);
  stream.destroy(new Error("gone"));
});

test("takes a body that breaks off for none", async () => {
  const { stream, request } = arriving();
  const reading = readMessage(request);
  stream.write('{"jsonrpc":');
  stream.destroy(new Error("aborted"));
  const read = await reading;
  assert.ok("fault" in read);
  assert.deepEqual([read.fault.status, read.fault.code], [400, -32700]);
});

test("reads a message that comes in pieces, in the middle of a character too", async () => {
  const { stream, request } = arriving();
  const bytes = Buffer.from(JSON.stringify({ method: "tools/list", params: { word: "søk 👩‍👧" } }));
  for (const byte of bytes) stream.write(Buffer.of(byte));
  stream.end();
  const read = await readMessage(request);
  assert.ok("message" in read);
  assert.deepEqual(read.message, { method: "tools/list", params: { word: "søk 👩‍👧" } });
});
