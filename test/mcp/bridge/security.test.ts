import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Route, routes } from "../../../src/contract/routes.ts";
import { createPool } from "../../../src/db/pool.ts";
import { newId } from "../../../src/lib/ids.ts";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { assistantOf, eras, errorIn } from "./client.ts";
import { makeJobs } from "./jobs.ts";
import { type RawCall, resultOf, rpc } from "./raw.ts";

let pawl: RunningPawl;
let jobs: Awaited<ReturnType<typeof makeJobs>>;
let ana: Awaited<ReturnType<typeof assistantOf>>;

before(async () => {
  pawl = await startTestPawl({ PAWL_PUBLIC_URL: "https://pawl.example/base/" });
  jobs = await makeJobs(pawl);
  ana = await assistantOf(pawl);
});
after(() => pawl.close());

const list = (call: Partial<RawCall>) => rpc(pawl, { method: "tools/list", ...call });
const tool = async (token: string, name: string, args: object, era?: RawCall["era"]) =>
  resultOf(
    await rpc(pawl, {
      token,
      method: "tools/call",
      params: { name, arguments: args },
      ...(era ? { era } : {}),
    }),
  );
const errorOf = async (...args: Parameters<typeof tool>) => errorIn(await tool(...args));

/** What the refused are told to do to get in. */
const challenge =
  /^Bearer error="invalid_token", error_description="([^"]+)", resource_metadata="https:\/\/pawl\.example\/\.well-known\/oauth-protected-resource\/base\/mcp"$/;

describe("/mcp refuses", () => {
  test("whoever has no token for it, and says what is wrong with the one they sent", async () => {
    const revoked = await assistantOf(pawl);
    assert.equal((await list({ token: revoked.mcpToken })).status, 200);
    await pawl.client.revokeToken({ params: { id: revoked.mcpTokenId } });
    const deleted = await assistantOf(pawl);
    await pawl.client.deletePrincipal({ params: { id: deleted.id } });
    const expired = await assistantOf(pawl);
    const pool = createPool({ url: pawl.databaseUrl, max: 1 });
    await pool.query("update api_token set expires_at = now() where id = $1", [expired.mcpTokenId]);
    await pool.end();
    const { session } = await sessionOf(ana.mcpToken);
    const altered =
      ana.mcpToken.slice(0, 20) + (ana.mcpToken[20] === "a" ? "b" : "a") + ana.mcpToken.slice(21);
    const refused: [string, string | null, RegExp][] = [
      ["no token", null, /Authorization/i],
      ["the API token of an administrator", pawl.admin, /API token, and \/mcp takes tokens made for MCP/],
      ["an altered token", altered, /not a token for MCP/],
      ["a revoked token", revoked.mcpToken, /not known, or was revoked/],
      ["a token of nobody", deleted.mcpToken, /not known, or was revoked/],
      ["an expired token", expired.mcpToken, /has expired/],
      ["the bridge's own session", session, /session of the bridge/],
      ["a JWT, where no issuer is trusted", "e30.e30.e30", /not a token for MCP/],
      ["nonsense", "x", /not a token for MCP/],
    ];
    for (const era of eras) {
      for (const [what, token, sentence] of refused) {
        const answer = await list({ token, era });
        assert.equal(answer.status, 401, `${what}: ${answer.text}`);
        const [, description] = challenge.exec(String(answer.headers["www-authenticate"])) ?? [];
        assert.match(description ?? "", sentence, `${what}: ${answer.headers["www-authenticate"]}`);
        assert.equal(answer.json.error_description, description);
      }
    }
  });

  test("calls beyond the token's scopes, and says which scope they need", async () => {
    const reader = await assistantOf(pawl, ["*:*:*"], { scopes: ["jobs:read"] });
    for (const era of eras) {
      for (const [name, scope] of [
        ["start_job", "jobs:run"],
        ["stop_run", "jobs:control"],
      ] as const) {
        const params = { name, arguments: { jobId: jobs.greet.id, executionId: newId() } };
        const answer = await rpc(pawl, { token: reader.mcpToken, era, method: "tools/call", params });
        assert.equal(answer.status, 403, answer.text);
        const header = String(answer.headers["www-authenticate"]);
        assert.match(header, /error="insufficient_scope"/);
        assert.ok(header.includes(`scope="${scope}"`), header);
        assert.match(header, /resource_metadata=/);
      }
      const found = await tool(reader.mcpToken, "search_jobs", { query: "greet" }, era);
      assert.equal(found.structuredContent.jobs[0].canRun, false);
    }
  });

  test("requests to names and from pages that are not its own, before it looks at a token", async () => {
    for (const headers of [
      { host: "evil.example" },
      { host: "pawl.example.evil.example" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://localhost.evil.example" },
    ] as Record<string, string>[]) {
      const answer = await list({ token: null, headers });
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.match(answer.json.error.message, /PAWL_MCP_ALLOWED_(HOSTS|ORIGINS)/);
    }
    for (const headers of [
      { host: "pawl.example" },
      { host: "localhost:1" },
      { origin: "https://pawl.example" },
      { origin: "http://127.0.0.1:9" },
    ] as Record<string, string>[]) {
      assert.equal((await list({ token: ana.mcpToken, headers })).status, 200, JSON.stringify(headers));
    }
  });

  test("no page of an allowed site, and lets a browser know; of another it does not", async () => {
    const ask = (origin: string) =>
      pawl.send({ method: "OPTIONS", path: "/mcp", token: null, headers: { origin } });
    const ours = await ask("https://pawl.example");
    assert.equal(ours.status, 204);
    assert.equal(ours.headers["access-control-allow-origin"], "https://pawl.example");
    assert.match(String(ours.headers["access-control-allow-headers"]), /Authorization.*Mcp-Method/);
    const refused = await list({ token: null, headers: { origin: "https://pawl.example" } });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers["access-control-allow-origin"], "https://pawl.example");
    assert.match(String(refused.headers["access-control-expose-headers"]), /WWW-Authenticate/);
    for (const origin of ["https://evil.example", "null"]) {
      const theirs = await ask(origin);
      assert.deepEqual([theirs.status, theirs.headers["access-control-allow-origin"]], [403, undefined]);
    }
  });

  test("what is not a request, in the words of the protocol", async () => {
    const accept = "application/json, text/event-stream";
    const post = (body: string, headers: Record<string, string> = {}) =>
      pawl.send({ method: "POST", path: "/mcp", token: ana.mcpToken, headers: { accept, ...headers }, body });
    assert.equal((await post("{")).json.error.code, -32700);
    assert.equal((await post("{")).status, 400);
    const large = await post(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x", params: { a: "x".repeat(1 << 20) } }),
    );
    assert.equal(large.status, 413);
    assert.equal((await post("{}", { "content-type": "text/plain" })).status, 415);
    for (const method of ["GET", "DELETE"]) {
      const answer = await pawl.send({ method, path: "/mcp", token: ana.mcpToken, headers: { accept } });
      assert.equal(answer.status, 405, method);
      assert.match(String(answer.headers.allow), /POST/);
    }
    assert.equal((await pawl.send({ method: "PUT", path: "/mcp", token: ana.mcpToken })).status, 405);
    const mismatch = await list({ token: ana.mcpToken, headers: { "mcp-method": "tools/call" } });
    assert.deepEqual([mismatch.status, mismatch.json.error.code], [400, -32020]);
    const answered = await list({ token: ana.mcpToken });
    assert.equal(answered.headers["x-content-type-options"], "nosniff", "it has the headers of every answer");
    assert.ok(answered.headers["x-request-id"]);
  });
});

test("a token for MCP opens nothing of the API, and tells so", async () => {
  for (const path of ["/me", `/jobs/${jobs.greet.id}`]) {
    const answer = await pawl.send({ method: "GET", path, token: ana.mcpToken });
    assert.equal(answer.status, 401);
    assert.match(answer.json.message, /This token is for MCP: it opens \/mcp and nothing else/);
  }
});

test("nobody but an assistant can say that an assistant started a run", async () => {
  const body = { jobId: jobs.greet.id, parameters: { name: "Ana" }, triggerSource: "mcp-server" };
  const answer = await pawl.send({ method: "POST", path: "/api/v2/job/start", body });
  assert.equal(answer.status, 400);
  assert.deepEqual(
    answer.json.error.details.map(({ path }: { path: string }) => path),
    ["/triggerSource"],
  );
  const headers = { "pawl-mcp-client": encodeURIComponent('{"name":"forged"}') };
  const own = { ...body, triggerSource: "ui", triggeredBy: "manual" };
  const started = await pawl.send({ method: "POST", path: "/api/v2/job/start", body: own, headers });
  const { data } = await pawl.client.getExecution({ params: { id: started.json.executionId } });
  assert.deepEqual([data.triggerSource, data.client], ["ui", null]);
});

describe("what an assistant's user may not know of is not there", () => {
  const missing = newId();

  test("jobs: hidden ones, those outside the limits, and those that never were, in the same words", async () => {
    const limited = await assistantOf(pawl, ["*:*:*"], { jobs: { ids: [jobs.greet.id, jobs.hidden.id] } });
    const texts = new Set<string>();
    for (const jobId of [jobs.hidden.id, jobs.slow.id, missing]) {
      for (const name of ["get_job", "start_job", "list_runs"]) {
        const error = await errorOf(limited.mcpToken, name, { jobId });
        assert.equal(error?.code, "JOB_NOT_FOUND", name);
        texts.add(JSON.stringify(error));
      }
    }
    assert.equal(texts.size, 1);
    const { structuredContent } = await tool(limited.mcpToken, "search_jobs", {});
    assert.deepEqual([structuredContent.total, structuredContent.jobs[0].id], [1, jobs.greet.id]);
  });

  test("runs of hidden jobs, of jobs outside the limits, and those that never were", async () => {
    const start = async (jobId: string) => (await pawl.client.startJob({ body: { jobId } })).data.executionId;
    const [hidden, foreign] = [await start(jobs.hidden.id), await start(jobs.slow.id)];
    const limited = await assistantOf(pawl, ["*:*:*"], { jobs: { tags: ["people"] } });
    const texts = new Set<string>();
    const tools = ["get_run", "get_run_result", "pause_run", "resume_run", "stop_run"];
    for (const [token, id] of [
      [ana.mcpToken, hidden],
      [limited.mcpToken, foreign],
      [ana.mcpToken, missing],
    ] as const) {
      for (const name of tools) {
        const error = await errorOf(token, name, { executionId: id });
        assert.equal(error?.code, "RUN_NOT_FOUND", name);
        texts.add(JSON.stringify(error));
      }
      const waited = await errorOf(token, "get_run", { executionId: id, waitSeconds: 5 });
      assert.equal(waited?.code, "RUN_NOT_FOUND");
    }
    assert.equal(texts.size, 1);
    const { structuredContent } = await tool(ana.mcpToken, "list_runs", {});
    const listed = structuredContent.runs.map(({ jobId }: { jobId: string }) => jobId);
    assert.ok(!listed.includes(jobs.hidden.id) && listed.includes(jobs.slow.id));
    const another = await tool(limited.mcpToken, "list_runs", {});
    assert.ok(!JSON.stringify(another.structuredContent).includes(jobs.slow.id));
    await pawl.client.stopExecution({ body: { jobExecutionId: foreign } });
  });

  test("a job that is hidden later is gone at once, with its runs", async () => {
    const { data: job } = await pawl.client.createJob({
      body: { name: "soon hidden", steps: [{ key: "a", type: "set", input: { values: {} } }] },
    });
    const started = await tool(ana.mcpToken, "start_job", { jobId: job.id });
    const { executionId } = started.structuredContent;
    const { steps, name } = job;
    await pawl.client.replaceJob({ params: { id: job.id }, body: { name, steps, mcp: { exposed: false } } });
    assert.equal((await errorOf(ana.mcpToken, "start_job", { jobId: job.id }))?.code, "JOB_NOT_FOUND");
    assert.equal((await errorOf(ana.mcpToken, "get_run", { executionId }))?.code, "RUN_NOT_FOUND");
  });
});

test("scopes cap what the user may do, and give nothing that they may not", async () => {
  const idle = await assistantOf(pawl, ["JobService:Job:read"]);
  for (const [name, args] of [
    ["start_job", { jobId: jobs.greet.id, parameters: { name: "Ana" } }],
    ["list_runs", {}],
    ["pause_run", { executionId: newId() }],
  ] as const) {
    assert.equal((await errorOf(idle.mcpToken, name, args))?.code, "PERMISSION_DENIED", name);
  }
  const read = await tool(idle.mcpToken, "get_job", { jobId: jobs.greet.id });
  assert.deepEqual([read.structuredContent.canRun, read.structuredContent.lastRun], [false, undefined]);
});

test("arguments that attack objects change nothing", async () => {
  const body = (parameters: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_job","arguments":{"jobId":"${jobs.greet.id}","parameters":${parameters}}}}`;
  for (const parameters of [
    '{"name":"Ana","__proto__":{"x":1}}',
    '{"name":"Ana","constructor":{"prototype":{}}}',
  ]) {
    const answer = await pawl.send({
      method: "POST",
      path: "/mcp",
      token: ana.mcpToken,
      headers: { accept: "application/json, text/event-stream" },
      body: body(parameters),
    });
    const { structuredContent: said, ...refused } = resultOf(answer);
    if (!said) assert.equal(errorIn(refused)?.code, "INVALID_PARAMETERS", answer.text);
    else {
      const { data } = await pawl.client.getExecution({ params: { id: said.executionId } });
      assert.deepEqual(data.parameters, { name: "Ana", times: 1 });
    }
  }
  assert.equal(({} as { x?: number }).x, undefined);
});

/** What a bridge that runs apart gets for a token. */
async function sessionOf(token: string) {
  const bridge = await pawl.principal(["IdentityService:McpSession:create"]);
  const { data } = await bridge.client.createMcpSession({
    body: { token, resource: "https://pawl.example/mcp" },
  });
  assert.ok(data.active, JSON.stringify(data));
  return data;
}

describe("the session that the bridge calls with", () => {
  test("opens what the tools are made of, and nothing else, for an administrator too", async () => {
    const boss = await assistantOf(pawl, ["*:*:*"]);
    const { session } = await sessionOf(boss.mcpToken);
    const open: string[] = [];
    for (const [name, route] of Object.entries<Route>(routes)) {
      if (route.access === "public") continue;
      // Refused for the query, if not before: nothing is done, and no stream begins.
      const path = `${route.path.replace(/:[A-Za-z]+/g, "not-an-id")}?nope=1`;
      const { status, json } = await pawl.send({ method: route.method, path, token: session });
      const isThere = status !== 404 || !json.message.startsWith("There is nothing at");
      if (isThere && status !== 403) open.push(name);
    }
    assert.deepEqual(open.sort(), [
      "getExecution",
      "getExecutionSummary",
      "getJob",
      "listExecutions",
      "pauseExecution",
      "resumeExecution",
      "searchExecutions",
      "searchJobs",
      "startJob",
      "stopExecution",
      "watchExecution",
    ]);
  });

  test("is worth nothing once its token is revoked or its user deleted", async () => {
    const [one, two] = [await assistantOf(pawl), await assistantOf(pawl)];
    const sessions = [await sessionOf(one.mcpToken), await sessionOf(two.mcpToken)];
    const read = (token: string) => pawl.send({ method: "GET", path: `/jobs/${jobs.greet.id}`, token });
    for (const { session } of sessions) assert.equal((await read(session)).status, 200);
    await pawl.client.revokeToken({ params: { id: one.mcpTokenId } });
    await pawl.client.deletePrincipal({ params: { id: two.id } });
    for (const { session } of sessions) assert.equal((await read(session)).status, 401);
  });

  test("is made for the bridge's credential only, and never longer than two minutes", async () => {
    const body = { token: ana.mcpToken, resource: "https://pawl.example/mcp" };
    const ask = (token: string) => pawl.send({ method: "POST", path: "/identity/mcp-session", token, body });
    assert.equal((await ask((await pawl.principal(["JobService:*:*"])).token)).status, 403);
    assert.equal((await ask(ana.mcpToken)).status, 401);
    const session = await sessionOf(ana.mcpToken);
    assert.ok(Date.parse(session.expiresAt) <= Date.now() + 120_000);
    assert.deepEqual([session.principalName, session.clientId], [ana.name, `token:${ana.mcpTokenId}`]);
    const bad = await pawl.send({
      method: "POST",
      path: "/identity/mcp-session",
      body: { ...body, token: pawl.admin },
    });
    assert.equal(bad.json.data.active, false);
    assert.ok(!bad.text.includes("pawl_session_"));
  });
});

test("tokens for MCP need scopes, and API tokens have none", async () => {
  const make = (more: object) =>
    pawl.send({ method: "POST", path: "/token", body: { principalId: ana.id, name: "t", ...more } });
  for (const [more, status] of [
    [{ for: "mcp" }, 400],
    [{ for: "mcp", scopes: [] }, 400],
    [{ for: "mcp", scopes: ["jobs:write"] }, 400],
    [{ for: "mcp", scopes: ["jobs:read", "jobs:read"] }, 400],
    [{ scopes: ["jobs:read"] }, 400],
    [{ for: "mcp", scopes: ["jobs:read"] }, 201],
    [{ for: "api" }, 201],
  ] as const) {
    const answer = await make(more);
    assert.equal(answer.status, status, `${JSON.stringify(more)}: ${answer.text}`);
    if (status === 201) assert.deepEqual(answer.json.data.scopes, "scopes" in more ? more.scopes : null);
  }
});

test("tells OAuth clients where to go, in both places", async () => {
  for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
    const answer = await pawl.send({ method: "GET", path, token: null });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, {
      resource: "https://pawl.example/base/mcp",
      authorization_servers: [],
      scopes_supported: ["jobs:read"],
      bearer_methods_supported: ["header"],
      resource_name: "Pawl",
    });
  }
});
