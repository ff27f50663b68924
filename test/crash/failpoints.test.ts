import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Failpoint, failpoints } from "../../src/lib/failpoint.ts";
import { openCrashTest } from "./helpers/crash-test.ts";

/** The times a point is reached before the server dies there: at once, and in the midst of work. */
const hits: Partial<Record<Failpoint, [number, number]>> = {
  // Timers that are due together are claimed together.
  "timer.after-claim": [1, 4],
  // Reached once a start.
  "recovery.before-load": [1, 1],
};

describe("a server killed at a named point", { concurrency: 2 }, () => {
  for (const point of failpoints) {
    test(`loses nothing and repeats nothing at ${point}`, async () => {
      await using crash = await openCrashTest();
      const { home, load, records, ledger } = crash;

      // Each death finds work that an earlier one left.
      const first = await home.start();
      await load.setUp(first);
      const middle = ledger.nthCall(40);
      const running = load.run(first, { count: 200 });
      await middle;
      await first.kill();
      await running;
      await records.noteCrash();

      for (const hit of hits[point] ?? [1, 23]) {
        const { signal } = await crash.runToDeath({ PAWL_FAILPOINT: `${point}:crash@${hit}` });
        assert.equal(signal, "SIGKILL", `${point} was not reached for the ${hit}th time`);
        await records.noteCrash();
      }

      const last = await home.start();
      await load.repeatUnanswered(last);
      await records.assertExact(last);
      assert.deepEqual(load.refused, []);
      assert.equal((await last.terminate()).code, 0);
      assert.deepEqual(home.log(), []);
    });
  }
});
