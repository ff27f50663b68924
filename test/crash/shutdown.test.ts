import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isAlive } from "../../src/db/embedded/processes.ts";
import { openCrashTest } from "./helpers/crash-test.ts";
import { until } from "./helpers/records.ts";

test("lets steps under way finish at SIGTERM, begins no other, and goes on at the next start", async () => {
  await using crash = await openCrashTest();
  const { home, ledger, load, records } = crash;
  const first = await home.start();
  await load.setUp(first);
  const release = ledger.hold();
  const underWay = ledger.nthCall(12);
  await load.run(first, { count: 12, inFlight: 12, waiting: false });
  await underWay;
  const ended = first.terminate();
  await first.until(/Ending Pawl/);
  release();
  assert.equal((await ended).code, 0);
  await records.noteCrash();
  assert.equal(ledger.calls.size, 12, "no further step has begun");
  assert.deepEqual(await records.unrecordedCalls(), [], "the steps that were under way have their result");
  const second = await home.start();
  await records.assertExact(second);
  await second.terminate();
  assert.deepEqual(home.log(), []);
});

test("ends within the grace, however long its steps and its callers would wait", async () => {
  await using crash = await openCrashTest();
  const { home, ledger, load, records } = crash;
  const first = await home.start({ PAWL_SHUTDOWN_GRACE: "2s" });
  await load.setUp(first);
  const release = ledger.hold();
  const underWay = ledger.nthCall(20);
  // Some of the callers wait for the end of what they started.
  const running = load.run(first, { count: 20, inFlight: 20 });
  await underWay;
  const begun = performance.now();
  const { code } = await first.terminate();
  const tookMs = performance.now() - begun;
  assert.equal(code, 0);
  assert.ok(tookMs < 3_500, `took ${Math.round(tookMs)} ms`);
  await running;
  release();
  await records.noteCrash();
  const second = await home.start();
  assert.equal(second.resumed, 20);
  await load.repeatUnanswered(second);
  await records.assertExact(second);
  await second.terminate();
});

test("leaves no process of its own behind when it is killed in the midst of a script", async () => {
  await using crash = await openCrashTest();
  const pawl = await crash.home.start();
  const { data: job } = await pawl.client.createJob({
    body: { name: "busy", steps: [{ key: "a", type: "script", input: { source: "for (;;);" } }] },
  });
  await pawl.client.startJob({ body: { jobId: job.id } });
  const children = () =>
    readFileSync(`/proc/${pawl.pid}/task/${pawl.pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number);
  await until("the sandbox to run", async () => children().length > 0);
  const sandboxes = children();
  await pawl.kill();
  await until("it to end", async () => !(await Promise.all(sandboxes.map(isAlive))).includes(true));
});
