import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { createClient } from "./client.ts";
import { ClientError } from "./error.ts";

interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const id = "01890a5d-ac96-774b-bcce-b302099a8057";
let seen: Seen;
let answer: (response: ServerResponse) => void;
let url: string;

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  seen = { method: request.method!, url: request.url!, headers: request.headers, body };
  answer(response);
});

function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (response: ServerResponse) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));
}

function success(data: unknown, meta?: unknown) {
  return json(200, {
    status: "success",
    message: "Here it is.",
    data,
    error: null,
    ...(meta ? { meta } : {}),
  });
}

async function faultOf(promise: Promise<unknown>): Promise<ClientError> {
  const fault = await promise.then(
    () => assert.fail("the call succeeded"),
    (error: unknown) => error,
  );
  assert.ok(fault instanceof ClientError, String(fault));
  return fault;
}

describe("the client", () => {
  before(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it("unwraps the envelope", async () => {
    answer = success([{ name: "a" }], { totalElements: 1, page: 0, size: 10 });
    const found = await createClient({ url, token: "pawl_x" }).searchJobs({ body: { searchText: "a" } });
    assert.equal(found.data[0]?.name, "a");
    assert.equal(found.meta.totalElements, 1);
    assert.equal(found.message, "Here it is.");
    assert.equal(found.status, 200);
    assert.equal(found.headers.get("content-type"), "application/json");
    assert.deepEqual(JSON.parse(seen.body), { searchText: "a" });
    assert.equal(seen.headers.authorization, "Bearer pawl_x");
    assert.equal(seen.headers["content-type"], "application/json");
  });

  it("takes an answer without envelope as it is", async () => {
    answer = json(200, { executionId: id, status: "RUNNING" });
    const started = await createClient({ url }).startJob({
      body: { jobId: id },
      headers: { "idempotency-key": "once" },
    });
    assert.equal(started.data.executionId, id);
    assert.equal(seen.headers["idempotency-key"], "once");
    assert.equal(seen.headers.authorization, undefined);
  });

  it("encodes what it puts into the path and the query", async () => {
    answer = success(null);
    const client = createClient({ url: `${url}/behind/a/proxy/` });
    await client.getJob({ params: { id: "a/b?c#d" } });
    assert.equal(seen.url, "/behind/a/proxy/jobs/a%2Fb%3Fc%23d");
    await client.getExecutionLogs({ params: { id }, query: { step: "a&b", size: 5 } });
    assert.equal(seen.url, `/behind/a/proxy/jobExecution/${id}/logs?step=a%26b&size=5`);
  });

  it("refuses a path parameter that would name another route", async () => {
    const client = createClient({ url });
    for (const bad of ["", ".", ".."]) {
      await assert.rejects(client.getJob({ params: { id: bad } }), /needs a value for "id"/);
    }
  });

  it("sends and reads other media types where the route has them", async () => {
    answer = success({ id });
    await createClient({ url }).importJob({ text: { type: "application/yaml", content: "name: a\n" } });
    assert.equal(seen.headers["content-type"], "application/yaml");
    assert.equal(seen.body, "name: a\n");

    answer = (response) =>
      void response.writeHead(200, { "content-type": "application/yaml" }).end("name: a\n");
    const exported = await createClient({ url }).exportJob({ params: { id } });
    assert.equal(exported.data, "name: a\n");
    assert.match(seen.headers.accept!, /application\/yaml/);
  });

  it("sends no token where none is asked for", async () => {
    answer = json(200, { status: "ok" });
    await createClient({ url, token: "pawl_x" }).live();
    assert.equal(seen.headers.authorization, undefined);
    assert.equal(seen.headers["content-type"], undefined);
  });

  it("throws Pawl's refusal with its code, details, request id and delay", async () => {
    const details = [{ path: "/name", message: "must be a string" }];
    const error = { code: "OVERLOADED", details, requestId: "req-1" };
    answer = json(503, { status: "error", message: "Too much.", data: null, error }, { "retry-after": "3" });
    const fault = await faultOf(createClient({ url }).whoAmI());
    assert.equal(fault.code, "OVERLOADED");
    assert.equal(fault.message, "Too much.");
    assert.equal(fault.status, 503);
    assert.deepEqual(fault.details, details);
    assert.equal(fault.requestId, "req-1");
    assert.equal(fault.retryAfter, 3);
  });

  it("says so when nothing listens", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => closed.once("listening", listening));
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    const fault = await faultOf(createClient({ url: `http://127.0.0.1:${port}` }).whoAmI());
    assert.equal(fault.code, "UNREACHABLE");
    assert.equal(
      fault.message,
      `Pawl does not answer at http://127.0.0.1:${port}: is it running? Start it with \`npx pawl serve\`.`,
    );
  });

  it("says so when the connection breaks before or during the answer", async () => {
    answer = (response) => void response.destroy();
    assert.match((await faultOf(createClient({ url }).whoAmI())).message, /closed the connection/);
    answer = (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"data', () => response.destroy());
    };
    assert.match((await faultOf(createClient({ url }).whoAmI())).message, /closed the connection/);
  });

  it("says so when something else answers", async () => {
    for (const status of [200, 404, 502]) {
      answer = (response) =>
        void response.writeHead(status, { "content-type": "text/html" }).end("<p>hi</p>");
      const fault = await faultOf(createClient({ url }).whoAmI());
      assert.equal(fault.code, "UNEXPECTED_ANSWER");
      assert.match(fault.message, /is not Pawl/);
      assert.equal(fault.status, status);
    }
  });

  it("follows no redirect, so that the token goes nowhere else", async () => {
    answer = (response) => void response.writeHead(302, { location: "https://elsewhere.example/" }).end();
    const fault = await faultOf(createClient({ url, token: "pawl_x" }).whoAmI());
    assert.match(fault.message, /redirects to https:\/\/elsewhere\.example\//);
  });

  it("throws the reason of an abort as it is", async () => {
    const abort = new AbortController();
    const reason = new Error("enough");
    answer = () => abort.abort(reason);
    await assert.rejects(
      createClient({ url }).whoAmI({ signal: abort.signal }),
      (thrown) => thrown === reason,
    );
    server.closeAllConnections();
  });

  it("types requests and answers from the route table", () => {
    const client = createClient({ url, fetch: () => assert.fail("never called") });
    // Never run: the compiler checks each line, and a line that should fail and does not is an error.
    const lines = [
      // @ts-expect-error a path parameter is missing
      () => client.getJob(),
      // @ts-expect-error a body is missing
      () => client.startJob({}),
      // @ts-expect-error an unknown sort field
      () => client.listExecutions({ params: { jobId: id }, body: { sortField: "nothing" } }),
      // @ts-expect-error this route takes no body
      () => client.whoAmI({ body: {} }),
      async () => (await client.whoAmI()).data.authorities.length,
      () => client.searchJobs(),
    ];
    assert.equal(lines.length, 6);
  });
});
