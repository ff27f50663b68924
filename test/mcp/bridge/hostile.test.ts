import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { request } from "undici";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { assistantOf, type Era, eras, errorIn } from "./client.ts";
import { makeJobs } from "./jobs.ts";
import { type RawCall, resultOf, revision, rpc } from "./raw.ts";

let pawl: RunningPawl;
let jobs: Awaited<ReturnType<typeof makeJobs>>;
const perMinute = 60;

before(async () => {
  pawl = await startTestPawl({
    PAWL_MCP_REQUESTS_PER_MINUTE: String(perMinute),
    PAWL_SIGN_IN_LIMIT: String(perMinute),
    PAWL_MCP_CONFIRM: "off",
  });
  jobs = await makeJobs(pawl);
});
after(() => pawl.close());

/** Each test has a token of its own: what one may ask in a minute is little here. */
async function asker() {
  const { mcpToken: token } = await assistantOf(pawl);
  return {
    token,
    /** Sends a body as it is. */
    post: (body: string | Buffer, headers: Record<string, string> = {}) =>
      pawl.send({
        method: "POST",
        path: "/mcp",
        token,
        headers: { accept: "application/json, text/event-stream", ...headers },
        body,
      }),
    ask: (call: RawCall) => rpc(pawl, { token, ...call }),
  };
}

const message = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const nested = (levels: number, inner = "1") => `${'{"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`;

test("refuses bodies that are no message, in the words of JSON-RPC, and goes on", async () => {
  const { post, ask } = await asker();
  const call = JSON.stringify(message("tools/call", { name: "list_runs", arguments: {} }));
  const rows: [string, string | Buffer, status: number, code: number][] = [
    ["nothing", "", 400, -32700],
    ["half a message", call.slice(0, -1), 400, -32700],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00]), 400, -32700],
    ["null", "null", 400, -32600],
    ["a number", "1", 400, -32600],
    ["a text", '"tools/list"', 400, -32600],
    ["an empty batch", "[]", 400, -32600],
    ["a batch of one", `[${call}]`, 400, -32600],
    ["a batch of thousands", `[${Array(5000).fill(call).join(",")}]`, 400, -32600],
    ["a hundred thousand open brackets", "[".repeat(100_000), 400, -32700],
    ["a list within itself, a hundred thousand times", `${"[".repeat(1e5)}${"]".repeat(1e5)}`, 400, -32600],
    ["an object within itself, a hundred thousand times", nested(100_000), 400, -32600],
    ["two hundred thousand values", JSON.stringify(message("x", { a: Array(200_000).fill(1) })), 400, -32600],
    ["more than 1 MiB", JSON.stringify(message("x", { a: "x".repeat(1 << 20) })), 413, -32000],
  ];
  for (const [what, body, status, code] of rows) {
    const answer = await post(body);
    assert.deepEqual([answer.status, answer.json?.error?.code, answer.json?.id], [status, code, null], what);
    assert.ok(answer.text.length < 500, what);
  }
  assert.equal((await ask({ method: "tools/list" })).status, 200);
});

test("stops reading a body that goes on and on, whatever it said about its length", async () => {
  const { token } = await asker();
  let sent = 0;
  const endless = new Readable({
    read() {
      sent += 65_536;
      this.push(Buffer.alloc(65_536, " "));
    },
  });
  const { statusCode, body } = await request(new URL("/mcp", pawl.url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: endless,
  });
  assert.equal(statusCode, 413);
  await body.dump();
  endless.destroy();
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were taken`);
});

test("takes parameters as deep as the API does, and answers deeper ones with a refusal", async () => {
  const { ask } = await asker();
  const start = (levels: number) =>
    ask({
      method: "tools/call",
      params: {
        name: "start_job",
        arguments: { jobId: jobs.slow.id, parameters: JSON.parse(nested(levels)) },
      },
    });
  const deep = resultOf(await start(60));
  assert.equal(deep.isError ?? false, false, JSON.stringify(deep));
  await pawl.client.stopExecution({ body: { jobExecutionId: deep.structuredContent.executionId } });
  assert.equal(errorIn(resultOf(await start(64)))?.code, "INVALID_PARAMETERS");
  assert.equal((await start(90)).status, 400);
});

const errorOf = (answer: Awaited<ReturnType<typeof rpc>>) => resultOf(answer).error;

test("knows no method but its own", async () => {
  const { ask } = await asker();
  const methods = [
    "tools/drop",
    "resources/list",
    "prompts/list",
    "completion/complete",
    "__proto__",
    "constructor",
  ];
  for (const era of eras) {
    for (const method of methods) {
      const answer = await ask({ era, method });
      assert.equal(errorOf(answer)?.code, -32601, `${era} ${method}: ${answer.text}`);
    }
  }
  // There is nothing to listen for: it is acknowledged and over, and holds nothing open.
  const params = { notifications: { toolsListChanged: true } };
  const listened = await ask({ method: "subscriptions/listen", params });
  assert.match(listened.text, /"resultType":"complete"/);
  assert.equal(errorOf(await ask({ era: "legacy", method: "subscriptions/listen", params }))?.code, -32601);
});

test("knows no tool but its own", async () => {
  const { ask } = await asker();
  for (const era of eras) {
    for (const name of [
      "restart_run",
      "toString",
      "__proto__",
      "constructor",
      "start_job\u0000",
      "x".repeat(5000),
    ]) {
      const headers: Record<string, string> = /^[\x21-\x7e]*$/.test(name)
        ? {}
        : { "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` };
      const answer = await ask({ era, method: "tools/call", params: { name, arguments: {} }, headers });
      assert.equal(
        errorOf(answer)?.code,
        -32602,
        `${era} ${name.slice(0, 20)}: ${answer.status} ${answer.text}`,
      );
    }
  }
});

test("says which versions it speaks to those who speak another", async () => {
  const { post, ask } = await asker();
  const meta = (version: unknown) => ({
    _meta: {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });
  for (const version of ["2099-01-01", "banana", "2026-07-28\u0000"]) {
    const body = JSON.stringify(message("tools/list", meta(version)));
    const answer = await post(body, { "mcp-method": "tools/list" });
    assert.equal(answer.status, 400, answer.text);
    assert.ok([-32020, -32022].includes(answer.json.error.code), answer.text);
  }
  const unknown = await post(JSON.stringify(message("tools/list", meta("2099-01-01"))), {
    "mcp-method": "tools/list",
    "mcp-protocol-version": "2099-01-01",
  });
  assert.deepEqual([unknown.json.error.code, unknown.json.error.data.supported], [-32022, [revision]]);
  for (const version of [1, null, {}, ["2026-07-28"]]) {
    const answer = await post(JSON.stringify(message("tools/list", meta(version))), {
      "mcp-method": "tools/list",
      "mcp-protocol-version": revision,
    });
    assert.equal(answer.status, 400, answer.text);
  }
  // The older revisions settle on one that both know.
  const params = {
    protocolVersion: "1999-01-01",
    capabilities: {},
    clientInfo: { name: "old", version: "1" },
  };
  const settled = resultOf(
    await ask({
      era: "legacy",
      method: "initialize",
      params,
      headers: { "mcp-protocol-version": "2025-11-25" },
    }),
  );
  assert.match(settled.protocolVersion, /^2025-\d\d-\d\d$/);
  const wrong = await ask({
    era: "legacy",
    method: "tools/list",
    headers: { "mcp-protocol-version": "banana" },
  });
  assert.equal(wrong.status, 400);
});

test("is not shaken by messages of a strange make", async () => {
  const { post, ask } = await asker();
  const strange: object[] = [
    { ...message("tools/list"), jsonrpc: "1.0" },
    { ...message("tools/list"), id: { a: 1 } },
    { ...message("tools/list"), params: [] },
    { jsonrpc: "2.0", id: 1 },
    { jsonrpc: "2.0", id: 1, method: 7 },
    { jsonrpc: "2.0", id: 1, result: { forged: true } },
    { jsonrpc: "2.0", id: 1, error: { code: 1, message: "forged" } },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    {
      jsonrpc: "2.0",
      method: "tools/call",
      params: { name: "start_job", arguments: { jobId: jobs.greet.id } },
    },
  ];
  for (const body of strange) {
    const answer = await post(JSON.stringify(body));
    assert.ok(answer.status < 500, `${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
  }
  assert.equal((await ask({ method: "tools/list" })).status, 200);
});

test("limits what one token may ask in a minute, and no other token, nor the API", async () => {
  const [eager, patient] = [await asker(), await asker()];
  const answers = await Promise.all(
    Array.from({ length: perMinute + 10 }, (_, i) =>
      eager.ask({ era: eras[i % 2] as Era, method: "tools/list" }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 8, `${refused.length}`);
  assert.equal(answers.filter(({ status }) => status === 200).length, answers.length - refused.length);
  for (const { headers, json } of refused) {
    assert.match(
      json.error.message,
      /RATE_LIMITED: This token may make 60 requests a minute\. Wait \d+ seconds?\./,
    );
    assert.ok(Number(headers["retry-after"]) >= 1);
  }
  assert.equal((await patient.ask({ method: "tools/list" })).status, 200);
  assert.equal((await pawl.client.whoAmI()).data.name, "admin");
});

test("holds up who tries tokens, and nobody with a right one at the same address", async () => {
  const { ask } = await asker();
  const guesses = await Promise.all(
    Array.from({ length: perMinute + 5 }, (_, i) =>
      rpc(pawl, { token: `pawl_mcp_${i}`, method: "tools/list" }),
    ),
  );
  const statuses = guesses.map(({ status }) => status);
  assert.deepEqual(
    [statuses.filter((it) => it === 401).length, statuses.filter((it) => it === 429).length],
    [perMinute, 5],
  );
  const held = guesses.find(({ status }) => status === 429)!;
  assert.match(held.json.error.message, /Too many tokens that are not valid came from your address/);
  assert.ok(Number(held.headers["retry-after"]) >= 1);
  assert.equal((await ask({ method: "tools/list" })).status, 200);
  assert.equal(
    (await rpc(pawl, { token: null, method: "tools/list" })).status,
    401,
    "who sends none tries nothing",
  );
});

test("stops at once where the operator has nobody asked", async () => {
  const { ask } = await asker();
  const { data } = await pawl.client.startJob({ body: { jobId: jobs.slow.id } });
  const params = { name: "stop_run", arguments: { executionId: data.executionId } };
  const capabilities = { elicitation: { form: {} } };
  const stopped = resultOf(await ask({ method: "tools/call", params, capabilities }));
  assert.equal(stopped.structuredContent?.status, "STOPPED", JSON.stringify(stopped));
});
