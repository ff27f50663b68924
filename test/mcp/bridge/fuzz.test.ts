import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { toolErrors } from "../../../src/bridge/faults.ts";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { anyJson, arbitraryOf, type Json, spoilt } from "../../helpers/schema-arbitrary.ts";
import { assistantOf, eras, errorIn } from "./client.ts";
import { makeJobs } from "./jobs.ts";
import { resultOf, rpc } from "./raw.ts";

// More and others: FUZZ_RUNS=20000 FUZZ_SEED=$RANDOM node --test test/mcp/bridge/fuzz.test.ts
const runs = Number(process.env.FUZZ_RUNS ?? 400);
const seed = Number(process.env.FUZZ_SEED ?? 20261121);

let pawl: RunningPawl;
let jobs: Awaited<ReturnType<typeof makeJobs>>;
let token: string;
let tools: { name: string; inputSchema: Json }[];
const executions: string[] = [];
const cursors: string[] = [];
const seen = new Map<string, Set<string>>();

before(async () => {
  pawl = await startTestPawl({ PAWL_MCP_CALLS_PER_MINUTE: "0", PAWL_MCP_REQUESTS_PER_MINUTE: "0" });
  jobs = await makeJobs(pawl);
  ({ mcpToken: token } = await assistantOf(pawl));
  tools = resultOf(await rpc(pawl, { token, method: "tools/list" })).tools;
  for (const job of [jobs.greet, jobs.large, jobs.slow, jobs.asks, jobs.fails, jobs.hidden]) {
    const parameters = job === jobs.greet ? { name: "Ana" } : {};
    executions.push((await pawl.client.startJob({ body: { jobId: job.id, parameters } })).data.executionId);
  }
  await begin();
  const first = { name: "list_runs", arguments: { limit: 1 } };
  const page = resultOf(await rpc(pawl, { token, method: "tools/call", params: first }));
  cursors.push(page.structuredContent.nextCursor);
});
after(() => pawl.close());

/** Better values than the schemas could give. Nothing waits long. */
function known(name: string): fc.Arbitrary<unknown> | undefined {
  const nth = (list: string[]) => fc.nat(1000).map((n) => list[n % list.length] ?? "none");
  switch (name) {
    case "jobId":
      return fc.oneof(nth(Object.values(jobs).map(({ id }) => id)), fc.uuid());
    case "executionId":
      return fc.oneof(
        { weight: 4, arbitrary: nth(executions) },
        { weight: 2, arbitrary: fc.constant(0).map(() => held) },
        { weight: 1, arbitrary: fc.uuid() },
      );
    case "cursor":
      return fc.oneof(nth(cursors), fc.base64String({ maxLength: 40 }));
    case "waitSeconds":
      return fc.constant(0);
    case "parameters":
      return fc.oneof(fc.record({ name: fc.string({ unit: "grapheme" }), times: fc.nat(12) }), anyJson);
    case "stepIds":
      return fc.uniqueArray(nth(jobs.large.steps.map(({ id }) => id!)), { minLength: 1, maxLength: 3 });
    default:
      return undefined;
  }
}

/** One that can be resumed whenever that is tried. */
let held: string;
async function hold(): Promise<void> {
  const { status } = (await pawl.client.getExecution({ params: { id: held } })).data;
  if (status === "RUNNING") await pawl.client.pauseExecution({ body: { jobExecutionId: held } });
  if (status === "STOPPED") await begin();
}
async function begin(): Promise<void> {
  held = (await pawl.client.startJob({ body: { jobId: jobs.slow.id } })).data.executionId;
}

/** What people don't see: as it is, or as JSON escapes it. */
const hidden = /[\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]|\\u00[01]/u;

test(`answers ${runs} generated calls of its tools with what they promise, or with a refusal that has a code (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
    const fitting = arbitraryOf(inputSchema, {}, known);
    const args = fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 2, arbitrary: fitting.chain(spoilt) });
    return fc.record({ name: fc.constant(name), args, era: fc.constantFrom(...eras) });
  });
  const property = fc.asyncProperty(call, async ({ name, args, era }) => {
    if (name === "resume_run") await hold();
    const answer = await rpc(pawl, { token, era, method: "tools/call", params: { name, arguments: args } });
    const result = resultOf(answer);
    if (result.error) {
      // Arguments that are no object are not a call at all.
      assert.equal(result.error.code, -32602, answer.text);
      assert.ok(typeof args !== "object" || args === null || Array.isArray(args), answer.text);
      return;
    }
    const { text } = result.content[0] as { text: string };
    assert.ok(Buffer.byteLength(text) <= 65_536);
    assert.doesNotMatch(text, hidden);
    assert.ok(
      !answer.text.includes(jobs.hidden.id) || JSON.stringify(args).includes(jobs.hidden.id),
      answer.text,
    );
    const { code, message } = errorIn(result) ?? {};
    seen.set(name, (seen.get(name) ?? new Set()).add(code ?? "done"));
    if (result.isError) {
      assert.ok(code !== undefined && code in toolErrors && code !== "PLATFORM_UNAVAILABLE", answer.text);
      assert.equal(text, `${code}: ${message}`);
      assert.equal(result.structuredContent, undefined);
      return;
    }
    // The server itself has held it against the tool's output schema.
    assert.deepEqual(JSON.parse(text), result.structuredContent);
    const said = result.structuredContent as { executionId?: string; nextCursor?: string; jobId?: string };
    assert.ok(said.jobId !== jobs.hidden.id);
    if (name === "start_job") executions.push(said.executionId!);
    if (said.nextCursor) cursors.push(said.nextCursor);
  });
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: true });
  // Chance may pass by a tool in a short run.
  if (runs < 1000) return;
  const blind = tools.map(({ name }) => name).filter((name) => !seen.get(name)?.has("done"));
  assert.deepEqual(blind, [], "tools that never succeeded: the fuzz is blind to them");
  const refused = new Set([...seen.values()].flatMap((codes) => [...codes]));
  for (const code of ["JOB_NOT_FOUND", "RUN_NOT_FOUND", "INVALID_PARAMETERS", "INVALID_STATE"]) {
    assert.ok(refused.has(code), `${code} was never met`);
  }
});
