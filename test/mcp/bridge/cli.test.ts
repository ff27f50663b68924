import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runPawl } from "../../helpers/pawl-command.ts";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { assistantOf, call, eras } from "./client.ts";
import { makeJobs } from "./jobs.ts";

let pawl: RunningPawl;
let jobs: Awaited<ReturnType<typeof makeJobs>>;
let ana: Awaited<ReturnType<typeof assistantOf>>;

before(async () => {
  pawl = await startTestPawl();
  jobs = await makeJobs(pawl);
  ana = await assistantOf(pawl);
});
after(() => pawl.close());

const run = (args: string[], { token = pawl.admin, input }: { token?: string; input?: string } = {}) =>
  runPawl(args, {
    env: { PAWL_URL: pawl.url, PAWL_TOKEN: token },
    ...(input === undefined ? {} : { input }),
  });
const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const legacyHello = line({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "desk", version: "1" } },
});

describe("pawl mcp", { concurrency: 2 }, () => {
  for (const era of eras) {
    test(`serves a desktop assistant of the ${era} era on standard input and output`, async () => {
      const client = new Client(
        { name: "desk", version: "2" },
        { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" as const } : "legacy" } },
      );
      const bin = join(fileURLToPath(new URL("../../..", import.meta.url)), "bin", "pawl.js");
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [bin, "mcp"],
        env: { PATH: process.env.PATH ?? "", PAWL_URL: pawl.url, PAWL_TOKEN: ana.mcpToken },
        stderr: "ignore",
      });
      await client.connect(transport);
      assert.equal(client.getProtocolEra(), era);
      assert.equal((await client.listTools()).tools.length, 9);
      const told: string[] = [];
      const started = await call(
        client,
        "start_job",
        { jobId: jobs.slow.id, waitSeconds: 1 },
        { onprogress: ({ message }: { message?: string }) => told.push(message ?? "") },
      );
      assert.equal(started.answer.status, "RUNNING");
      assert.match(told.join(), /1 of 3 steps done; now Take a nap/);
      const { executionId } = started.answer;
      const { data } = await pawl.client.getExecution({ params: { id: String(executionId) } });
      assert.deepEqual([data.triggerSource, data.startedBy], ["mcp-server", ana.name]);
      assert.equal((await call(client, "stop_run", { executionId, confirm: true })).answer.status, "STOPPED");
      await client.close();
    });
  }

  test("answers what was asked before its input ended, and says what it can't read", async () => {
    const input = `${legacyHello}nonsense\n\n${line({ id: 2, method: "tools/list" })}`;
    const { code, stdout, stderr } = await run(["mcp"], { token: ana.mcpToken, input });
    assert.equal(code, 0, stderr);
    const answers = stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    assert.equal(byId.get(1).result.serverInfo.name, "pawl");
    assert.equal(byId.get(2).result.tools.length, 9);
    assert.equal(byId.get(null).error.code, -32700);
    assert.equal(answers.length, 3, stdout);
  });

  test("makes a token for itself of an API token, with these scopes, and revokes it at the end", async () => {
    const { token, id } = await pawl.principal(["*:*:*"]);
    const params = { name: "start_job", arguments: { jobId: jobs.greet.id } };
    const input = legacyHello + line({ id: 2, method: "tools/call", params });
    const { code, stdout, stderr } = await run(["mcp", "--scope", "jobs:read"], { token, input });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"serverInfo"/);
    assert.match(stdout, /"error":.*lacks the scope jobs:run/);
    const { data } = await pawl.client.listTokens({ query: { size: 1000 } });
    const made = data.filter((it) => it.principalId === id && it.scopes !== null);
    assert.equal(made.length, 1);
    assert.deepEqual(made[0]!.scopes, ["jobs:read"]);
    assert.ok(made[0]!.revokedAt, "it is revoked");
    assert.ok(made[0]!.expiresAt, "and would have ended by itself");
  });

  test("tells the assistant why it gets no answer", async () => {
    const refused = await run(["mcp"], { token: `${ana.mcpToken.slice(0, -1)}x`, input: legacyHello });
    assert.match(JSON.parse(refused.stdout).error.message, /not a token for MCP/);
    const away = await runPawl(["mcp"], {
      env: { PAWL_URL: "http://127.0.0.1:1", PAWL_TOKEN: ana.mcpToken },
      input: legacyHello,
    });
    assert.match(JSON.parse(away.stdout).error.message, /does not answer at http:\/\/127\.0\.0\.1:1\/mcp/);
    const none = await runPawl(["mcp"], { env: { PAWL_URL: "http://pawl.example" }, input: legacyHello });
    assert.equal(none.code, 2);
    assert.match(none.stderr, /There is no token.*made for MCP/s);
  });
});

describe("beside it", { concurrency: 3 }, () => {
  test("pawl mcp health shows how the bridge is, and fails where it isn't well", async () => {
    const { code, stdout } = await run(["mcp", "health"]);
    assert.equal(code, 0);
    assert.match(stdout, /Healthy/);
    assert.match(stdout, /bridge\s+PASS/);
    const json = JSON.parse((await run(["mcp", "health", "--json"])).stdout);
    assert.equal(json.status, "Healthy");
    const refused = await run(["mcp", "health"], { token: (await pawl.principal([])).token });
    assert.match(refused.stderr, /AiService:McpBridge:read/);
    assert.notEqual(refused.code, 0);
  });

  for (const [client, looks] of [
    ["claude-desktop", /"args": \[\s*"\/.*bin\/pawl\.js",\s*"mcp"\s*\]/],
    [
      "claude-code",
      /^claude mcp add --transport http pawl http:\S+\/mcp --header "Authorization: Bearer pawl_mcp_…"\n$/,
    ],
    ["cursor", /"Authorization": "Bearer \$\{env:PAWL_TOKEN\}"/],
    ["vscode", /"Authorization": "Bearer \$\{input:pawl-token\}"/],
    ["generic", /"type": "http"/],
  ] as const) {
    test(`pawl mcp snippet writes what ${client} reads, without a token in it`, async () => {
      const { code, stdout, stderr } = await run(["mcp", "snippet", "--client", client]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, looks);
      assert.ok(stdout.includes(pawl.url));
      assert.ok(!`${stdout}${stderr}`.includes(pawl.admin));
      assert.match(stderr, /token create --for mcp --scope jobs:read/);
      if (client !== "claude-code") JSON.parse(stdout);
    });
  }

  test("pawl token create --for mcp makes a token that opens /mcp, within its scopes", async () => {
    const args = ["token", "create", "--for", "mcp", "--principal", ana.name];
    const { stdout, stderr } = await run([
      ...args,
      "--scope",
      "jobs:read",
      "--scope",
      "jobs:run",
      "--expires-in",
      "7",
    ]);
    assert.match(stdout, /^pawl_mcp_\S+\n$/, stderr);
    const { data } = await pawl.client.listTokens({ query: { size: 1000 } });
    const made = data.find(({ prefix }) => stdout.startsWith(prefix));
    assert.deepEqual([made?.principalId, made?.scopes], [ana.id, ["jobs:read", "jobs:run"]]);
    assert.match((await run(["token", "list"])).stdout, /mcp \(jobs:read, jobs:run\)/);
    for (const [more, said] of [
      [[], /Say with --scope/],
      [["--scope", "jobs:rea"], /"jobs:rea" is not a scope.*Did you mean "jobs:read"/s],
    ] as const) {
      const refused = await run([...args, ...more]);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, said);
    }
    const forApi = await run(["token", "create", "--scope", "jobs:read"]);
    assert.match(forApi.stderr, /add --for mcp/);
  });
});
