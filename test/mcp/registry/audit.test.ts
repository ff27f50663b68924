import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { scriptedModel } from "../agent/scripted-model.ts";
import { toolServer } from "../agent/tool-server.ts";

const token = "cnry-of-the-tool-server";

let pawl: RunningPawl;
let tools: Awaited<ReturnType<typeof toolServer>>;
let database: pg.Client;
let id: string;

before(async () => {
  [pawl, tools] = await Promise.all([startTestPawl(), toolServer()]);
  database = new pg.Client({ connectionString: pawl.databaseUrl });
  await database.connect();
  const bearer = { authType: "BEARER" as const, authConfig: { token } };
  const body = { name: "tools", url: tools.url, ...bearer };
  id = (await pawl.client.registerMcpServer({ body })).data.id;
});
after(async () => {
  await database.end();
  await pawl.close();
  await tools[Symbol.asyncDispose]();
});

async function lines(field: "action" | "client", value: string) {
  const filters = {
    [field]: { operator: "and" as const, constraints: [{ value, matchMode: "equals" as const }] },
  };
  return (await pawl.client.searchAudit({ body: { filters, sortBy: "seq", sortOrder: "asc" } })).data;
}

/** Runs this while nothing can be written to the audit record. */
async function unrecorded(work: () => Promise<void>): Promise<void> {
  await database.query(
    "create or replace function no_room() returns trigger language plpgsql as $$ begin raise exception using errcode = '53100'; end $$",
  );
  await database.query("create trigger no_room before insert on audit_entry execute function no_room()");
  try {
    await work();
  } finally {
    await database.query("drop trigger no_room on audit_entry");
  }
}

let made = 0;

async function save(step: object): Promise<string> {
  const body = { name: `job ${++made}`, steps: [{ key: "a", ...step }] } as never;
  return (await pawl.client.createJob({ body })).data.id;
}

const start = async (jobId: string) => (await pawl.client.startJob({ body: { jobId } })).data.executionId;

const note = { type: "mcp-tool", input: { server: "tools", tool: "note", arguments: { text: "hi" } } };

test("records who discovers a server before its credential is opened, and opens none that it can't record", async () => {
  tools.state.authorization = "";
  await unrecorded(async () => {
    for (const path of ["discover", "discover/events"]) {
      const answer = await pawl.send({ method: "POST", path: `/ai/mcp-servers/${id}/${path}` });
      assert.deepEqual([answer.status, answer.json.error.code], [503, "STORE_UNAVAILABLE"], path);
    }
  });
  assert.equal(tools.state.authorization, "", "the server was not asked");
  const { data } = await pawl.client.discoverMcpServer({ params: { id } });
  assert.equal(data.status, "success");
  assert.equal(tools.state.authorization, `Bearer ${token}`);
  const [refused, line, ...more] = await lines("action", "discoverMcpServer");
  assert.equal(refused!.outcome, "failed");
  assert.deepEqual(
    [line!.principal, line!.targetType, line!.targetId, line!.targetName, line!.outcome],
    ["admin", "mcpServer", id, "tools", "success"],
  );
  assert.deepEqual(
    more.map(({ outcome }) => outcome),
    [],
    "one line for one discovery",
  );
  await pawl.send({ method: "POST", path: `/ai/mcp-servers/${id}/discover/events` });
  const watched = await lines("action", "watchMcpServerDiscovery");
  assert.deepEqual(
    watched.map(({ outcome }) => outcome),
    ["failed", "success"],
  );
});

test("records each use of a credential by a step, once, with its execution", async () => {
  const executionId = await start(await save(note));
  assert.equal((await pawl.ended(executionId)).status, "COMPLETED");
  const [line, ...more] = await lines("client", `execution ${executionId}`);
  assert.deepEqual(
    [line!.action, line!.principal, line!.targetType, line!.targetId, line!.targetName, line!.outcome],
    ["useMcpServer", "pawl runtime", "mcpServer", id, "tools", "success"],
  );
  const { data: execution } = await pawl.client.getExecution({ params: { id: executionId } });
  const { stepId } = execution.stepExecutions![0]!;
  assert.equal(line!.requestId, `${executionId}/${stepId}/1`);
  assert.deepEqual(more, []);
  assert.ok(!JSON.stringify(line).includes(token));

  await using model = await scriptedModel([
    { calls: [["tools__note", { text: "1" }]] },
    { calls: [["tools__note", { text: "2" }]] },
    "Done.",
  ]);
  const variables = { baseUrl: model.baseUrl };
  const connection = { name: "model", connectionType: "rest-api" as const };
  await pawl.client.upsertConnection({ body: { ...connection, variables } });
  const input = { model: "m", prompt: "Do.", toolsConfig: { mcpServers: [id] } };
  const agent = await start(await save({ type: "ai-agent", connection, input }));
  const ended = await pawl.ended(agent);
  assert.equal(ended.status, "COMPLETED", JSON.stringify(ended));
  assert.deepEqual(
    (await lines("client", `execution ${agent}`)).map(({ action }) => action).sort(),
    ["getDecryptedConnection", "useMcpServer"],
    "once, however many calls there are",
  );
});

test("a step whose use of a credential can't be recorded waits, and sends nothing", async () => {
  const before = tools.ledger.length;
  tools.state.authorization = "";
  const jobId = await save(note);
  let executionId = "";
  await unrecorded(async () => {
    executionId = await start(jobId);
    const { data } = await pawl.client.getExecution({ params: { id: executionId } });
    assert.equal(data.status, "RUNNING");
    // Whoever discovers meanwhile is refused after the step was: the audit record is written in turn.
    const refused = await pawl.send({ method: "POST", path: `/ai/mcp-servers/${id}/discover` });
    assert.equal(refused.status, 503);
    assert.deepEqual([tools.ledger.length, tools.state.authorization], [before, ""]);
  });
  assert.equal((await pawl.ended(executionId)).status, "COMPLETED");
  assert.equal(tools.ledger.length, before + 1);
  assert.equal((await lines("client", `execution ${executionId}`)).length, 1);
});

test("leaves no line where a server has no credential", async () => {
  const body = { name: "open", url: tools.url };
  const open = (await pawl.client.registerMcpServer({ body })).data;
  await pawl.client.discoverMcpServer({ params: { id: open.id } });
  const executionId = await start(await save({ ...note, input: { ...note.input, server: "open" } }));
  assert.equal((await pawl.ended(executionId)).status, "COMPLETED");
  assert.deepEqual(await lines("client", `execution ${executionId}`), []);
});
