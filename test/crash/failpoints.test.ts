import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Failpoint, failpoints } from "../../src/lib/failpoint.ts";
import type { Outcome } from "../helpers/pawl-command.ts";
import { openCrashTest } from "./helpers/crash-test.ts";

// Of a later life: reached before it takes any start, so that it needs work that an earlier one left.
const atBoot: readonly Failpoint[] = ["recovery.before-load"];
/** When the first life ends, in the midst of its work; timers that are due together are claimed together, and few starts are held. */
const midway: Partial<Record<Failpoint, number>> = {
  "timer.after-claim": 4,
  "turn.before-commit": 12,
  "turn.after-commit": 12,
};

describe("a server killed at a named point", { concurrency: 2 }, () => {
  for (const point of failpoints) {
    test(`loses nothing and repeats nothing at ${point}`, async () => {
      await using crash = await openCrashTest();
      const { home, ledger, load, records } = crash;
      const armed = (hit: number) => ({ PAWL_FAILPOINT: `${point}:crash@${hit}` });
      const dies = async (life: Promise<Outcome>) => {
        assert.equal((await life).signal, "SIGKILL", `${point} was not reached`);
        await records.noteCrash();
      };

      if (atBoot.includes(point)) {
        const first = await home.start();
        await load.setUp(first);
        void ledger.nthCall(40).then(() => first.kill());
        await dies(crash.runToEnd(first));
        await dies(crash.runToEnd(await home.startOrEnd(armed(1))));
      } else {
        const first = await home.start(armed(midway[point] ?? 23));
        await load.setUp(first);
        await dies(crash.runToEnd(first));
      }
      // In the midst of the recovery.
      await dies(crash.runToEnd(await home.startOrEnd(armed(1))));

      const last = await home.start();
      await load.repeatUnanswered(last);
      await records.assertExact(last);
      assert.deepEqual(load.refused, []);
      assert.equal((await last.terminate()).code, 0);
      assert.deepEqual(home.log(), []);
    });
  }
});
