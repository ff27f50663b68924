import assert from "node:assert/strict";
import { test } from "node:test";
import { openCrashTest } from "./helpers/crash-test.ts";

test("runs every try once and waits out every wait, also when a retry is due at once", async () => {
  await using crash = await openCrashTest();
  const { home, load, records } = crash;
  const pawl = await home.start();
  await load.setUp(pawl);
  await load.run(pawl, { count: 360, inFlight: 60 });
  await records.assertExact(pawl);
  assert.equal((await pawl.terminate()).code, 0);
  assert.deepEqual(home.log(), []);
});
