import assert from "node:assert/strict";
import { test } from "node:test";
import { openCrashTest } from "./helpers/crash-test.ts";

const kills = 10;
const executions = 500;

test("loses nothing and repeats nothing when killed again and again", async (t) => {
  // CRASH_SEED repeats a run, as far as the machine's own timing lets it.
  const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
  t.diagnostic(`CRASH_SEED=${seed}`);
  const random = randomNumbers(seed);
  await using crash = await openCrashTest();
  const { home, ledger, load, records } = crash;
  let pawl = await home.start();
  await load.setUp(pawl);
  for (let kill = 0; kill < kills; kill++) {
    const moment = ledger.nthCall(1 + Math.floor(random() * 100));
    const running = load.run(pawl, { count: executions / kills, inFlight: 1 + Math.floor(random() * 40) });
    await pawl.whileUp(moment);
    await pawl.kill();
    await running;
    await records.noteCrash();
    pawl = await home.start();
    if (random() < 0.5) await load.repeatUnanswered(pawl);
  }
  await load.run(pawl, { count: executions - load.started.length });
  await load.repeatUnanswered(pawl);
  await records.assertExact(pawl);
  assert.equal((await pawl.terminate()).code, 0);
  // A start that the database of a busy machine was too slow for is told to come again.
  assert.deepEqual(
    home
      .log()
      .filter(
        ({ msg, err }) => !(msg === "A request was refused with 503." && err?.code === "STORE_UNAVAILABLE"),
      ),
    [],
  );
});

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
