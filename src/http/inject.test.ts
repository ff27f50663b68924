import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import fastify from "fastify";
import { injectedFetch } from "./inject.ts";

const url = "http://pawl.internal";

test("answers as over the network: status, headers, body, whatever was sent", async () => {
  const app = fastify();
  app.post("/echo", async (request, reply) =>
    reply
      .code(201)
      .header("x-seen", String(request.headers["x-mine"]))
      .send({ body: request.body, query: request.query }),
  );
  const fetch = injectedFetch(app);
  const answer = await fetch(`${url}/echo?a=%26`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-mine": "1" },
    body: '{"b":"ü"}',
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get("x-seen"), "1");
  assert.deepEqual(await answer.json(), { body: { b: "ü" }, query: { a: "&" } });
  assert.equal((await fetch(`${url}/nothing`)).status, 404);
});

test("hands events on as they come, and tells the handler when nobody reads any more", async () => {
  for (const how of ["abort", "cancel"] as const) {
    const app = fastify();
    const closed = Promise.withResolvers<void>();
    app.get("/events", (_request, reply) => {
      reply.raw.once("close", () => closed.resolve());
      const stream = new Readable({ read() {} });
      stream.push("data: 1\n\n");
      return reply.header("content-type", "text/event-stream").send(stream);
    });
    const abort = new AbortController();
    const headers = { accept: "text/event-stream" };
    const answer = await injectedFetch(app)(`${url}/events`, { headers, signal: abort.signal });
    const reader = answer.body!.getReader();
    const { value } = await reader.read();
    assert.equal(Buffer.from(value!).toString(), "data: 1\n\n");
    if (how === "abort") abort.abort(new Error("enough"));
    else await reader.cancel();
    await closed.promise;
  }
});

test("gives up waiting for an answer when it is told to", async () => {
  const app = fastify();
  const asked = Promise.withResolvers<void>();
  app.get("/never", () => {
    asked.resolve();
    return new Promise(() => {});
  });
  const abort = new AbortController();
  const reason = new Error("enough");
  const answer = injectedFetch(app)(`${url}/never`, { signal: abort.signal });
  await asked.promise;
  abort.abort(reason);
  await assert.rejects(answer, reason);
  await assert.rejects(injectedFetch(app)(`${url}/never`, { signal: abort.signal }), reason);
});
