import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { histories, runHistory } from "./model/histories.ts";
import { openReal, type Real } from "./model/real.ts";

// HISTORIES=2000 for the long form; the others repeat what a failure has printed: its seed, its path, its replayPath.
const { HISTORIES, HISTORIES_SEED, HISTORIES_PATH, HISTORIES_REPLAY } = process.env;
const numRuns = Number(HISTORIES ?? 200);
const seed = HISTORIES_SEED === undefined ? (Date.now() ^ (process.pid << 8)) | 0 : Number(HISTORIES_SEED);
// Fewer than the executions of a history: some have to wait for theirs.
const places = 2;

describe("the embedded engine under random histories", () => {
  let real: Real;
  before(async () => {
    real = await openReal(places);
  });
  after(() => real?.dispose());

  test(`comes to what a plain model says, ${numRuns} times at most (seed ${seed})`, async (t) => {
    const limit = performance.now() + (HISTORIES === undefined ? 12_000 : 1_200_000);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(histories(16, HISTORIES_REPLAY), async (commands) => {
        // Not fast-check's own limit, which leaves the history under way to itself: the engine is closed beneath it.
        if (performance.now() > limit) return;
        await runHistory(real, commands, places);
        run++;
      }),
      {
        numRuns,
        seed,
        endOnFailure: false,
        ...(HISTORIES_PATH === undefined ? {} : { path: HISTORIES_PATH }),
      },
    );
    t.diagnostic(`${run} histories`);
  });
});
