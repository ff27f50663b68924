import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Job, JobInput } from "../../src/contract/job.ts";
import { newId } from "../../src/lib/ids.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

let pawl: RunningPawl;
let quick: Job;
let failing: Job;
let asking: Job;

async function make(
  name: string,
  step: Omit<JobInput["steps"][number], "key">,
  tags: string[],
): Promise<Job> {
  return (await pawl.client.createJob({ body: { name, tags, steps: [{ key: "only", ...step }] } })).data;
}

async function run(jobId: string): Promise<string> {
  const { data } = await pawl.client.startJob({ body: { jobId, async: false } });
  return data.executionId;
}

before(async () => {
  pawl = await startTestPawl();
  quick = await make("quick", { type: "set", input: { values: { a: 1 } } }, ["quick"]);
  failing = await make("failing", { type: "script", input: { source: "throw new Error('no')" } }, ["slow"]);
  const principals = ["only this one"];
  asking = await make("asking", { type: "approval", input: { message: "Go on?", principals } }, ["asks"]);
});
after(() => pawl.close());

describe("summaries of several jobs", () => {
  test("say of each what its own summary says, with its newest ten, and leave out what is foreign or unknown", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await run(quick.id));
    await run(failing.id);
    const body = { jobIds: [failing.id, newId(), quick.id, asking.id] };
    const { data } = await pawl.client.summariseJobs({ body });
    assert.deepEqual(
      data.map(({ jobId }) => jobId),
      [failing.id, quick.id, asking.id],
    );
    for (const { jobId, recent, ...summary } of data) {
      assert.deepEqual(summary, (await pawl.client.getExecutionSummary({ params: { jobId } })).data);
      const history = await pawl.client.listExecutions({ params: { jobId }, body: { size: 10 } });
      assert.deepEqual(recent, history.data);
    }
    assert.deepEqual(
      data[1]!.recent.map(({ id }) => id),
      ids.toReversed().slice(0, 10),
    );
    const { client } = await pawl.principal(["*:*:*"], { tags: ["slow"] });
    assert.deepEqual(
      (await client.summariseJobs({ body })).data.map(({ jobId }) => jobId),
      [failing.id],
    );
  });
});

describe("executions over time", () => {
  test("count each start once, in its stretch and by what became of it", async () => {
    const one = await run(quick.id);
    const { data: execution } = await pawl.client.getExecution({ params: { id: one } });
    const at = Date.parse(execution.startTime);
    const all = await pawl.client.searchExecutions({ body: { size: 1000 } });
    const query = {
      from: new Date(at - 3_600_000).toISOString(),
      to: new Date(at + 3_600_000).toISOString(),
    };
    const { data } = await pawl.client.getTimeline({ query: { ...query, buckets: 4 } });
    assert.equal(data.buckets.length, 4);
    assert.equal(data.bucketMs, 1_800_000);
    assert.equal(data.complete, true);
    const expected = { completed: 0, failed: 0, stopped: 0, unfinished: 0 };
    for (const { status } of all.data) {
      const outcome = { COMPLETED: "completed", FAILED: "failed", STOPPED: "stopped" } as const;
      expected[outcome[status as "COMPLETED"] ?? "unfinished"]++;
    }
    const sum = { completed: 0, failed: 0, stopped: 0, unfinished: 0 };
    for (const bucket of data.buckets) {
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += bucket[key];
    }
    assert.deepEqual(sum, expected);
    // The stretch that begins with it, and the one that ends just before it.
    const from = (ms: number) => new Date(at + ms).toISOString();
    const narrow = await pawl.client.getTimeline({
      query: { from: from(0), to: from(1), buckets: 1, jobId: quick.id },
    });
    assert.equal(narrow.data.buckets[0]!.completed, 1);
    const before = await pawl.client.getTimeline({
      query: { from: from(-1), to: from(0), buckets: 1, jobId: quick.id },
    });
    assert.equal(before.data.buckets[0]!.completed, 0);
    const { client } = await pawl.principal(["*:*:*"], { tags: ["asks"] });
    const theirs = await client.getTimeline({ query });
    assert.ok(theirs.data.buckets.every(({ completed }) => completed === 0));
  });
});

describe("what waits for a decision", () => {
  test("is listed, the longest waiting first, with whether the caller may decide; a pause by hand is not", async () => {
    const start = async () => (await pawl.client.startJob({ body: { jobId: asking.id } })).data.executionId;
    const [first, second] = [await start(), await start()];
    for (const id of [first, second]) await pawl.readUntil(id, ({ status }) => status === "PAUSED");
    const waiting = await make("waiting", { type: "wait", input: { duration: "1h" } }, []);
    const held = (await pawl.client.startJob({ body: { jobId: waiting.id } })).data.executionId;
    await pawl.client.pauseExecution({ body: { jobExecutionId: held } });

    const listed = await pawl.client.listApprovals();
    assert.deepEqual(new Set(listed.data.map(({ executionId }) => executionId)), new Set([first, second]));
    assert.equal(listed.meta.totalElements, 2);
    assert.ok(listed.data[0]!.since <= listed.data[1]!.since);
    const { data: execution } = await pawl.client.getExecution({ params: { id: first } });
    const approval = listed.data.find(({ executionId }) => executionId === first)!;
    assert.deepEqual(approval.waitingFor, execution.waitingFor);
    assert.equal(approval.mayDecide, false, "only the one that the step names");
    const page = await pawl.client.listApprovals({ query: { page: 1, size: 1 } });
    assert.deepEqual(page.data, [listed.data[1]]);
    const { client } = await pawl.principal(["*:*:*"], { tags: ["quick"] });
    assert.deepEqual((await client.listApprovals()).data, []);

    const found = await pawl.client.searchExecutions({ body: { size: 1000 } });
    const heldFor = new Map(found.data.map(({ id, heldFor }) => [id, heldFor]));
    assert.equal(heldFor.get(first), "decision");
    assert.equal(heldFor.get(held), "resume");
    assert.ok(found.data.every(({ status, heldFor }) => (status === "PAUSED") === (heldFor !== null)));
  });
});

describe("a definition", () => {
  test("is checked without being saved, as JSON and as YAML, and read back version by version", async () => {
    const body = { name: "checked", steps: [{ key: "a", type: "set", input: { values: {} } }] };
    await pawl.client.checkJob({ body });
    await pawl.client.checkJob({
      text: {
        type: "application/yaml",
        content: "name: checked\nsteps:\n  - { key: a, type: set, input: { values: {} } }",
      },
    });
    assert.equal((await pawl.client.searchJobs({ body: { searchText: "checked" } })).meta.totalElements, 0);
    const { data: job } = await pawl.client.createJob({ body });
    await pawl.client.replaceJob({ params: { id: job.id }, body: { ...body, description: "second" } });
    const version = (n: number) => pawl.client.getJobVersion({ params: { id: job.id, version: n } });
    assert.equal((await version(1)).data.definition.description, undefined);
    assert.equal((await version(2)).data.definition.description, "second");
    assert.deepEqual([(await version(1)).data.current, (await version(2)).data.current], [false, true]);
    await assert.rejects(version(3), { code: "NOT_FOUND" });
  });
});
