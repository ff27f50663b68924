import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gate } from "../helpers/gate.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl();
});
after(() => pawl.close());

/** A job whose steps say which version they are of. */
const versionOf = (name: string, n: number, url?: string) => ({
  name,
  steps: [
    ...(url ? [{ key: "ask", type: "http", input: { url } }] : []),
    { key: `of${n}`, type: "set", input: { values: { written: n, version: "{{ job.version }}" } } },
  ],
});

const make = async (...args: Parameters<typeof versionOf>) =>
  (await pawl.client.createJob({ body: versionOf(...args) })).data;
const replace = (id: string, ...args: Parameters<typeof versionOf>) =>
  pawl.client.replaceJob({ params: { id }, body: versionOf(...args) });
const read = async (id: string) => (await pawl.client.getExecution({ params: { id } })).data;

test("an execution keeps the version that it started with while the job is replaced and renamed", async () => {
  await using held = await gate();
  const job = await make("kept", 1, held.url);
  const { data: first } = await pawl.client.startJob({ body: { jobId: job.id } });
  const response = await held.asked();
  await replace(job.id, "kept, renamed", 2);
  const { data: second } = await pawl.client.startJob({ body: { jobId: job.id, async: false } });
  assert.deepEqual(second.output, { written: 2, version: 2 });
  const running = await read(first.executionId);
  assert.deepEqual([running.jobVersion, running.jobName, running.status], [1, "kept", "RUNNING"]);
  assert.deepEqual(
    running.stepExecutions.map((step) => step.stepKey),
    ["ask", "of1"],
  );
  response.end();
  const over = await pawl.ended(first.executionId);
  assert.deepEqual(over.stepExecutions[1]!.output, { written: 1, version: 1 });
  assert.equal(over.jobVersion, 1);
});

test("a restored version starts as a new one", async () => {
  const job = await make("restored", 1);
  await replace(job.id, "restored", 2);
  await pawl.client.restoreJobVersion({ params: { id: job.id, version: 1 } });
  const { data } = await pawl.client.startJob({ body: { jobId: job.id, async: false } });
  assert.deepEqual(data.output, { written: 1, version: 3 });
});

test("an execution goes on and stays readable when its job is deleted, and its name is free again", async () => {
  await using held = await gate();
  const job = await make("deleted", 1, held.url);
  const { data: started } = await pawl.client.startJob({ body: { jobId: job.id } });
  const response = await held.asked();
  await pawl.client.deleteJob({ params: { id: job.id } });
  const again = await make("deleted", 1);
  assert.notEqual(again.id, job.id);
  response.end();
  const over = await pawl.ended(started.executionId);
  assert.deepEqual([over.status, over.jobName, over.stepExecutions.length], ["COMPLETED", "deleted", 2]);
  const params = { jobId: job.id };
  assert.equal((await pawl.client.getLastExecution({ params })).data.id, over.id);
  assert.equal((await pawl.client.listExecutions({ params })).data[0]!.id, over.id);
  assert.equal((await pawl.client.getExecutionSummary({ params })).data.successCount, 1);
  assert.deepEqual((await pawl.client.getExecutionLogs({ params: { id: over.id } })).data, []);
});

test("starts that meet replacements run one version each: one that was current, whole, and none is lost", async () => {
  const job = await make("raced", 1);
  const versions = 40;
  let latest = 1;
  const replacing = (async () => {
    for (let n = 2; n <= versions; n++) latest = (await replace(job.id, "raced", n)).data.version;
  })();
  const runs: { executionId: string; from: number; to: number; output: unknown }[] = [];
  let over = false;
  const starting = Array.from({ length: 4 }, async () => {
    while (!over) {
      const from = latest;
      const answer = await pawl.send({
        method: "POST",
        path: "/api/v2/job/start",
        body: { jobId: job.id, async: false },
      });
      assert.equal(answer.status, 200, answer.text);
      runs.push({ executionId: answer.json.executionId, from, to: latest, output: answer.json.output });
    }
  });
  const outcomes = await Promise.allSettled([
    replacing.finally(() => {
      over = true;
    }),
    ...starting,
  ]);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  assert.ok(runs.length >= 4, String(runs.length));
  const ran = new Set<number>();
  for (const { executionId, from, to, output } of runs) {
    const { jobVersion, stepExecutions, status } = await read(executionId);
    ran.add(jobVersion);
    assert.equal(status, "COMPLETED");
    // The replacement that was under way may have been in force before its answer came.
    assert.ok(
      jobVersion >= from && jobVersion <= to + 1,
      `version ${jobVersion}, ${from} to ${to} was current`,
    );
    assert.deepEqual(output, { written: jobVersion, version: jobVersion });
    assert.deepEqual(
      stepExecutions.map((step) => step.stepKey),
      [`of${jobVersion}`],
    );
  }
  assert.ok(ran.size > 1, "starts and replacements met");
  const { data } = await pawl.client.getExecutionSummary({ params: { jobId: job.id } });
  assert.deepEqual([data.totalExecutions, data.successCount], [runs.length, runs.length]);
  // What starts after a replacement was acknowledged has it.
  const { data: last } = await pawl.client.startJob({ body: { jobId: job.id, async: false } });
  assert.deepEqual(last.output, { written: versions, version: versions });
});

test("starts that meet the deletion of their job are made or refused, and nothing between", async () => {
  const job = await make("gone", 1);
  const answers: Promise<{ status: number; executionId: string | undefined }>[] = [];
  const start = async () => {
    const { status, json } = await pawl.send({
      method: "POST",
      path: "/api/v2/job/start",
      body: { jobId: job.id },
    });
    return { status, executionId: json.executionId as string | undefined };
  };
  for (let i = 0; i < 20; i++) answers.push(start());
  const deleted = pawl.client.deleteJob({ params: { id: job.id } });
  for (let i = 0; i < 20; i++) answers.push(start());
  await deleted;
  assert.equal((await start()).status, 404);
  const settled = await Promise.all(answers);
  const made = settled.filter(({ status }) => status === 200);
  assert.deepEqual(
    [...new Set(settled.map(({ status }) => status))].filter((status) => ![200, 404].includes(status)),
    [],
  );
  for (const { executionId } of made) assert.equal((await pawl.ended(executionId!)).status, "COMPLETED");
  const { data } = await pawl.client.getExecutionSummary({ params: { jobId: job.id } });
  assert.equal(data.totalExecutions, made.length);
});

test("of those who replace at once expecting one version, one does", async () => {
  const job = await make("expected", 1);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      pawl.send({
        method: "PUT",
        path: `/jobs/${job.id}?expectedVersion=1`,
        body: versionOf("expected", n + 2),
      }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
  assert.equal((await pawl.client.getJob({ params: { id: job.id } })).data.version, 2);
});
