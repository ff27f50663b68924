import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dumpDatabase } from "../../helpers/canary.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { type PawlHome, type PawlProcess, pawlHome } from "../../helpers/pawl-process.ts";
import { type Asked, resultsIn, type Says, scriptedModel } from "./scripted-model.ts";
import { type Call, toolServer } from "./tool-server.ts";

let database: TestDatabase;
let home: PawlHome;
let pawl: PawlProcess;
let tools: Awaited<ReturnType<typeof toolServer>>;

before(async () => {
  [database, tools] = await Promise.all([createTestDatabase(), toolServer()]);
  home = pawlHome({ databaseUrl: database.url });
  pawl = await home.start();
});
after(async () => {
  await home[Symbol.asyncDispose]();
  await tools[Symbol.asyncDispose]();
  await database.drop();
});

/** A model of its own for each agent, so that each has a script of its own. */
async function agent(name: string, script: Says[]) {
  const model = await scriptedModel(script);
  const variables = { baseUrl: model.baseUrl };
  const made = await pawl.client.upsertConnection({ body: { name, connectionType: "rest-api", variables } });
  const input = { model: "m", prompt: "Do it.", toolsConfig: { mcpServers: [await registered()] } };
  const step = { key: "agent", type: "ai-agent", connectionId: made.data.id, input };
  const job = await pawl.client.createJob({ body: { name, steps: [step] } });
  const started = await pawl.client.startJob({ body: { jobId: job.data.id } });
  return { model, id: started.data.executionId };
}

let serverId: string | undefined;

async function registered(): Promise<string> {
  if (serverId) return serverId;
  const { data } = await pawl.client.registerMcpServer({ body: { name: "tools", url: tools.url } });
  const found = await pawl.client.discoverMcpServer({ params: { id: data.id } });
  assert.equal(found.data.status, "success");
  serverId = data.id;
  return serverId;
}

test("makes each call that was recorded once, though its process is killed between two of them", async () => {
  const call = (tool: string, text: string): [string, object] => [`tools__${tool}`, { text }];
  // One is killed while it waits for the model's second answer, the others in the middle of a second call.
  const asking = Promise.withResolvers<void>();
  const between = await agent("between", [
    { calls: [call("note", "between 1"), call("note", "between 2")] },
    () => asking.resolve(),
    { calls: [call("note", "between 3")] },
    "Three notes.",
  ]);
  const calling = Promise.withResolvers<void>();
  const stopping = Promise.withResolvers<void>();
  let began = 0;
  tools.state.on = ({ args }: Call) => {
    if (!JSON.stringify(args).includes("middle")) return undefined;
    if (++began === 2) calling.resolve();
    return new Promise(() => {});
  };
  const writing = await agent("writing", [
    { calls: [call("note", "before"), call("note", "middle")] },
    "One note, perhaps two.",
  ]);
  const reading = await agent("reading", [
    { calls: [call("note", "first"), call("look", "middle")] },
    "Found.",
  ]);
  await pawl.whileUp(Promise.all([asking.promise, calling.promise]));
  // Nothing of one that is stopped is needed any more.
  const stopped = await agent("stopped", [{ calls: [call("note", "done")] }, () => stopping.resolve()]);
  await pawl.whileUp(stopping.promise);
  await pawl.client.stopExecution({ body: { jobExecutionId: stopped.id } });
  await pawl.kill();
  // What was kept for the next process is sealed.
  const kept = await dumpDatabase(database.url);
  const rows = kept.get("public.step_checkpoint")!.split("\n");
  assert.equal(rows.length, 5 + 4 + 4 + 3, rows.join("\n"));
  assert.ok(rows.every((row) => row.includes("ENC(v1.")) && !/between|middle|Do it/.test(rows.join()));
  tools.state.on = () => undefined;
  pawl = await home.start();
  assert.equal(pawl.resumed, 3);

  const ends = await Promise.all([between, writing, reading].map(({ id }) => ended(id)));
  for (const { status, stepExecutions } of ends) {
    assert.equal(status, "COMPLETED", JSON.stringify(stepExecutions));
  }
  const made = Map.groupBy(tools.ledger, ({ args }) => (args as { text: string }).text);
  const times = Object.fromEntries([...made].map(([text, calls]) => [text, calls.length]));
  // What was only begun is repeated where that does no harm: twice "middle" is once `note`, and `look` once more.
  assert.deepEqual(times, {
    "between 1": 1,
    "between 2": 1,
    "between 3": 1,
    before: 1,
    done: 1,
    first: 1,
    middle: 3,
  });
  assert.deepEqual(
    made
      .get("middle")!
      .map(({ tool }) => tool)
      .sort(),
    ["look", "look", "note"],
  );
  const last = ({ model }: { model: { asked: Asked[] } }) => resultsIn(model.asked.at(-1)!).map(String);
  const [before_, unknown] = last(writing);
  assert.equal(before_, "Noted: before");
  assert.match(unknown!, /interrupted during this call/);
  assert.deepEqual(last(reading), ["Noted: first", "Found: middle"]);
  // The model was asked the same again, and not what it had answered.
  const asked = between.model.asked.map(({ messages }) => messages);
  assert.equal(asked.length, 4);
  assert.deepEqual(asked[2], asked[1]);
  const [output] = ends.map(
    ({ stepExecutions }) => stepExecutions![0]!.output as { turns: { toolCalls: object[] }[] },
  );
  assert.deepEqual(
    output!.turns.map(({ toolCalls }) => toolCalls.length),
    [2, 1, 0],
  );
  // What the killed process had said is there, and before what the next one said of the same try.
  const { data: log } = await pawl.client.getExecutionLogs({ params: { id: between.id } });
  const said = log.map(({ message }) => message.replace(/ took .*| answered .*/, ""));
  const call1 = 'tools__note({"text":"between 1"})';
  const call2 = 'tools__note({"text":"between 2"})';
  const call3 = 'tools__note({"text":"between 3"})';
  const [first, second] = ["Turn 1", "Turn 1 is known from before."];
  assert.deepEqual(said, [first, call1, call2, second, "Turn 2", call3, "Turn 3"]);
  while ((await dumpDatabase(database.url)).get("public.step_checkpoint") !== "");
  await Promise.all([between, writing, reading, stopped].map(({ model }) => model[Symbol.asyncDispose]()));
});

async function ended(id: string) {
  for (;;) {
    const { data } = await pawl.whileUp(pawl.client.getExecution({ params: { id } }));
    if (data.endTime !== null) return data;
  }
}
