import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { BridgeHealth } from "../../../src/contract/bridge.ts";
import { cuttable } from "../../helpers/cuttable.ts";
import { spawnPawl } from "../../helpers/pawl-command.ts";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { assistantOf, call, connect } from "./client.ts";
import { makeJobs } from "./jobs.ts";

let pawl: RunningPawl;
let way: Awaited<ReturnType<typeof cuttable>>;
let bridgePort: number;
let bridgeUrl: string;
let bridgeToken: string;
const running = new Set<() => Promise<unknown>>();

/** A port that nobody has; the platform has to know it before the bridge is there. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** `pawl serve --services bridge`, as a process of its own. */
async function startBridge(env: Record<string, string> = {}) {
  const command = spawnPawl(["serve", "--services", "bridge"], {
    env: {
      PAWL_PORT: String(bridgePort),
      PAWL_PLATFORM_URL: way.url,
      PAWL_BRIDGE_TOKEN: bridgeToken,
      PAWL_LOG_LEVEL: "warn",
      PAWL_SHUTDOWN_GRACE: "1s",
      ...env,
    },
  });
  const end = async (signal: NodeJS.Signals) => {
    command.process.kill(signal);
    running.delete(kill);
    return command.ended;
  };
  const kill = () => end("SIGKILL");
  running.add(kill);
  process.once("exit", kill);
  await command.until(/Pawl is ready at (\S+)/);
  return { end, ended: command.ended };
}

async function health(): Promise<BridgeHealth> {
  const answer = await pawl.send({ method: "GET", path: "/ai/mcp-bridge/health" });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.message, `MCP bridge is ${answer.json.data.status}`);
  return answer.json.data;
}

/** Asks until the bridge has noticed: it looks at the platform every two seconds at most. */
async function healthIs(status: BridgeHealth["status"], check?: string): Promise<BridgeHealth> {
  for (const giveUp = Date.now() + 15_000; ; await delay(100)) {
    const seen = await health();
    if (seen.status === status && (!check || failed(seen).some(([name]) => name === check))) return seen;
    if (Date.now() > giveUp) assert.deepEqual(seen, status);
  }
}

const failed = ({ checks }: BridgeHealth) =>
  checks.filter(({ status }) => status === "FAIL").map(({ name, code }) => [name, code]);

before(async () => {
  bridgePort = await freePort();
  bridgeUrl = `http://127.0.0.1:${bridgePort}`;
  pawl = await startTestPawl({ PAWL_SERVICES: "platform", PAWL_MCP_BRIDGE_URL: bridgeUrl });
  way = await cuttable(pawl.url);
  bridgeToken = (await pawl.principal(["IdentityService:McpSession:create"])).token;
});
afterEach(async () => {
  await Promise.all([...running].map((end) => end()));
});
after(async () => {
  await way[Symbol.asyncDispose]();
  await pawl.close();
});

test("a bridge apart serves the tools, and is told to be Healthy, Misconfigured or Unavailable as it is", async () => {
  const none = await health();
  assert.equal(none.status, "Unavailable");
  assert.match(none.message, /AI assistants may be unable to run or monitor jobs/);
  assert.deepEqual(failed(none), [
    ["bridge", "NO_ANSWER"],
    ["mcp", "NO_ANSWER"],
  ]);
  assert.equal(
    (await pawl.send({ method: "POST", path: "/mcp", token: null })).status,
    404,
    "no bridge here",
  );

  const bridge = await startBridge();
  const well = await health();
  assert.deepEqual([well.status, failed(well)], ["Healthy", []]);
  assert.deepEqual(
    well.checks.map(({ name }) => name),
    ["bridge", "mcp", "platform", "credential"],
  );
  assert.ok(well.protocolVersions.includes("2026-07-28") && well.protocolVersions.includes("2025-11-25"));

  const jobs = await makeJobs(pawl);
  const ana = await assistantOf(pawl);
  const client = await connect(bridgeUrl, ana.mcpToken, "modern");
  const started = await call(client, "start_job", {
    jobId: jobs.greet.id,
    parameters: { name: "Ana" },
    waitSeconds: 20,
  });
  assert.deepEqual(started.answer.result, { greeting: "Hello, Ana" });
  assert.equal(started.answer.runUrl, `${pawl.url}/executions/${started.answer.executionId}`);
  const { data: run } = await pawl.client.getExecution({
    params: { id: String(started.answer.executionId) },
  });
  assert.deepEqual(
    [run.startedBy, run.triggerSource, run.client?.name],
    [ana.name, "mcp-server", "test-assistant"],
  );

  way.cut();
  const cut = await healthIs("Misconfigured", "platform");
  assert.ok(failed(cut).some(([name, code]) => name === "platform" && code === "UNREACHABLE"));
  const away = await call(client, "list_runs");
  assert.equal(away.error?.code, "PLATFORM_UNAVAILABLE");
  assert.equal(away.error?.retryable, true);
  assert.ok(!away.error.message.includes(String(way.url)), "it names no address of ours");
  const ready = await fetch(`${bridgeUrl}/health/ready`);
  assert.equal(ready.status, 503);
  way.mend();
  await healthIs("Healthy");
  assert.equal((await call(client, "list_runs")).error, undefined);

  await pawl.client.revokeToken({ params: { id: ana.mcpTokenId } });
  for (const giveUp = Date.now() + 10_000; ; await delay(100)) {
    const refused = await call(client, "search_jobs").then(
      () => false,
      () => true,
    );
    if (refused) break;
    assert.ok(Date.now() < giveUp, "a revoked token is refused within seconds");
  }

  await bridge.end("SIGKILL");
  assert.equal((await health()).status, "Unavailable");
});

test("a bridge with a wrong credential, or one that is too weak, is Misconfigured and says why", async () => {
  const weak = (await pawl.principal(["JobService:*:*"])).token;
  const altered = bridgeToken.slice(0, -9) + (bridgeToken.at(-9) === "a" ? "b" : "a") + bridgeToken.slice(-8);
  for (const [token, code] of [
    [altered, "CREDENTIAL_REFUSED"],
    [weak, "CREDENTIAL_TOO_WEAK"],
  ] as const) {
    const bridge = await startBridge({ PAWL_BRIDGE_TOKEN: token });
    const seen = await health();
    assert.equal(seen.status, "Misconfigured");
    assert.deepEqual(failed(seen), [
      ["mcp", "PLATFORM_UNAVAILABLE"],
      ["credential", code],
    ]);
    assert.match(seen.message, /assistants can't use it/);
    const own = await fetch(`${bridgeUrl}/mcp/health`);
    assert.equal(own.status, 503);
    assert.ok(!(await own.text()).includes(token));
    const { mcpToken } = await assistantOf(pawl);
    const answer = await fetch(`${bridgeUrl}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${mcpToken}`, "content-type": "application/json" },
      body: "{}",
    });
    assert.equal(answer.status, 503, "a good token is not refused for the bridge's fault");
    assert.ok(answer.headers.get("retry-after"));
    await bridge.end("SIGTERM");
  }
});

test("a bridge that takes no requests to the name that the platform calls it by is Misconfigured", async () => {
  await startBridge({ PAWL_MCP_ALLOWED_HOSTS: "mcp.example.org" });
  const seen = await health();
  assert.deepEqual([seen.status, failed(seen)], ["Misconfigured", [["mcp", "HOST_REFUSED"]]]);
  assert.match(seen.message, /PAWL_MCP_ALLOWED_HOSTS/);
});

test("something else where the bridge should be is no bridge", async () => {
  const other: Server = createServer((_request, response) => response.end("<p>hello</p>"));
  other.listen(bridgePort, "127.0.0.1");
  await once(other, "listening");
  const seen = await health();
  assert.equal(seen.status, "Unavailable");
  assert.deepEqual(failed(seen)[0], ["bridge", "NOT_A_BRIDGE"]);
  other.closeAllConnections();
  other.close();
});

test("one that takes connections and never answers is Unavailable in time", async () => {
  const silent = createServer(() => {}).listen(bridgePort, "127.0.0.1");
  await once(silent, "listening");
  const seen = await health();
  assert.equal(seen.status, "Unavailable");
  assert.ok(seen.latencyMs < 5_000, `${seen.latencyMs} ms`);
  silent.closeAllConnections();
  silent.close();
});

test("the health is for those who may read it", async () => {
  const { token } = await pawl.principal(["AiService:McpBridge:read"]);
  assert.equal((await pawl.send({ method: "GET", path: "/ai/mcp-bridge/health", token })).status, 200);
});

test("a bridge alone without a platform or a credential says what is missing, and ends", async () => {
  const env = { PAWL_PORT: "0" };
  const { code, stderr } = await spawnPawl(["serve", "--services=bridge"], { env }).ended;
  assert.equal(code, 2);
  assert.match(stderr, /PAWL_PLATFORM_URL is needed/);
  assert.match(stderr, /PAWL_BRIDGE_TOKEN is needed/);
});
