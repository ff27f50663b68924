import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DiscoveryStep } from "../../../src/contract/mcp-server.ts";
import { createDialer } from "../../../src/lib/dialer.ts";
import { StepError } from "../../../src/lib/step-error.ts";
import { mcpTool } from "../../../src/plugins/mcp-tool/mcp-tool.ts";
import { registryApp } from "../../helpers/registry-app.ts";
import { runStep } from "../../helpers/step.ts";
import { hostileServer, listening, mischiefs, tool } from "../hostile.ts";

/** For those who would never end by themselves. The rest are to be found out long before. */
const short = { requestMs: 400, totalMs: 800 };
const long = { requestMs: 10_000, totalMs: 15_000 };
/** The machine may have other things to do. */
const grace = 2_000;
const MIB = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const inUse = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** How long it takes, and by how much the memory in use grows meanwhile at most. */
async function measured<T>(work: () => Promise<T>) {
  collect();
  const before = inUse();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, inUse());
  }, 5);
  const since = performance.now();
  try {
    const result = await work();
    return { result, took: performance.now() - since, grew: peak - before };
  } finally {
    clearInterval(sampler);
  }
}

test("ends within its time and memory, whatever the server does, and keeps nothing of it but the reason", async (t) => {
  const { call, pool, deps } = await registryApp(t);
  const hostile = await hostileServer();
  t.after(() => hostile[Symbol.asyncDispose]());
  for (const [i, [what, { code, atInitialize }]] of Object.entries(mischiefs).entries()) {
    const url = hostile.url.replace("/mcp", `/${i}`);
    const times = code === "TIMEOUT" ? short : long;
    Object.assign(deps, { times });
    const { data: made } = await call("POST", "", { name: what, url });
    const { took, grew, result } = await measured(() => call("POST", `/${made.id}/discover`));
    const { status, data: found, response } = result;
    assert.equal(status, 200, `${what}: ${response.body}`);
    assert.deepEqual(
      [found.status, found.error?.code],
      ["failure", code],
      `${what}: ${JSON.stringify(found)}`,
    );
    assert.equal(found.error.step, atInitialize ? "INITIALIZE" : "LIST_TOOLS", what);
    assert.ok(took < times.totalMs + grace, `${what}: it took ${Math.round(took)} ms`);
    assert.ok(grew < 50 * MIB, `${what}: it took ${Math.round(grew / MIB)} MiB`);
    assert.ok(found.error.message.length < 500 && !/\u202e/.test(found.error.message), what);
    const { data: read } = await call("GET", `/${made.id}`);
    assert.deepEqual(
      [read.status, read.toolCount, read.discoveredTools, read.serverInfo, read.lastError],
      ["OFFLINE", 0, [], null, found.error],
      what,
    );
  }
  const { rows } = await pool.query("select count(*)::int as kept from mcp_server_tool");
  assert.equal(rows[0].kept, 0);
});

test("ends a step within its time and memory too, whatever the server that it calls has become", async (t) => {
  const dialer = createDialer({ policy: "guarded", ownPorts: () => [] });
  t.after(() => dialer.close());
  const hostile = await hostileServer();
  t.after(() => hostile[Symbol.asyncDispose]());
  for (const [i, what] of Object.keys(mischiefs).entries()) {
    const server = {
      id: "1",
      name: what,
      url: new URL(hostile.url.replace("/mcp", `/${i}`)),
      headers: {},
      secrets: [],
      era: "legacy" as const,
      tools: new Map(),
    };
    const type = mcpTool({ dialer, version: "1", findServer: async () => server });
    const { code } = mischiefs[what]!;
    // An answer to another request is none: it is waited on for the right one.
    const timeoutMs = code === "TIMEOUT" || what === "answers another request" ? 400 : 10_000;
    const { took, grew, result } = await measured(async () =>
      runStep(type, { input: { serverId: "1", tool: "t", timeoutMs } }).catch((error: unknown) => error),
    );
    assert.ok(result instanceof StepError, `${what}: ${JSON.stringify(result)}`);
    if (/TIMEOUT|kB|events|line|200 MB$/.test(`${code} ${what}`)) {
      assert.match(result.code, /MCP_TIMEOUT|RESPONSE_TOO_LARGE/, what);
      assert.equal(result.code === "MCP_TIMEOUT", code === "TIMEOUT", `${what}: ${result.message}`);
    }
    assert.ok(took < timeoutMs + grace, `${what}: it took ${Math.round(took)} ms`);
    assert.ok(grew < 50 * MIB, `${what}: it took ${Math.round(grew / MIB)} MiB`);
    assert.ok(result.message.length < 1000 && !/\u202e/.test(result.message), what);
  }
});

test("takes out of a list what hides in it or can't be kept, masks the credential in it, and says so", async (t) => {
  const { call } = await registryApp(t);
  const list = [
    tool("good", {
      description: "Reads\u202e files\u200b of \u{e0041}the key top-secret-token",
      title: "Good\u0007",
    }),
    tool("schema", {
      inputSchema: { type: "object", properties: { a: { type: "string", description: "A\u2066b" } } },
    }),
    tool("bad name"),
    tool("n\u0430me"),
    { name: "no-schema" },
    { inputSchema: {} },
    tool("large", { description: "x".repeat(70_000) }),
    tool("deep", { inputSchema: JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`) }),
    null,
    7,
  ];
  const peer = await listening(
    createServer(async (request, response) => {
      const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const result =
        method === "initialize"
          ? { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "odd\u202e", version: 1 } }
          : { tools: list };
      response.setHeader("content-type", "text/event-stream");
      response.end(
        `: hi\r\nid: 1\r\ndata:\r\n\r\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\r\n\r\n`,
      );
    }),
  );
  t.after(() => peer[Symbol.asyncDispose]());
  const auth = { authType: "BEARER", authConfig: { token: "top-secret-token" } };
  const { data: made } = await call("POST", "", { name: "odd", url: peer.url, ...auth });
  const { data: found } = await call("POST", `/${made.id}/discover`);
  assert.deepEqual([found.status, found.toolCount], ["success", 2], JSON.stringify(found));
  const step = (name: string) => found.steps.find((each: DiscoveryStep) => each.name === name);
  assert.equal(step("LIST_TOOLS").status, "WARNING");
  assert.match(step("LIST_TOOLS").message, /Left out: .*and 5 more.*removed from 2 of the tools/);
  assert.equal(step("INITIALIZE").status, "WARNING");
  const { data: read } = await call("GET", `/${made.id}`);
  assert.deepEqual(read.serverInfo, { name: "odd", version: "" });
  const [good, schema] = read.discoveredTools;
  assert.deepEqual([good.description, good.title], ["Reads files of the key ***", "Good"]);
  assert.equal(schema.inputSchema.properties.a.description, "Ab");
});
