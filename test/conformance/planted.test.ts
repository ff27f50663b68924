import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { bugs, plant } from "../../src/lib/plant.ts";
import { histories, runHistory } from "./model/histories.ts";
import { openReal } from "./model/real.ts";

const places = 2;

describe("random histories find", () => {
  after(() => plant(undefined));

  for (const bug of bugs) {
    test(`the planted bug ${bug}`, async (t) => {
      plant(bug);
      const real = await openReal(places);
      try {
        const property = fc.asyncProperty(histories(16), (commands) => runHistory(real, commands, places));
        const found = await fc.check(property, { numRuns: 500, endOnFailure: true });
        const { failed, numRuns, seed, errorInstance } = found;
        const why = (errorInstance as Error | undefined)?.message.slice(0, 200);
        t.diagnostic(`found after ${numRuns} histories (seed ${seed}): ${why}`);
        assert.equal(failed, true, `${bug} went by unseen, seed ${seed}`);
      } finally {
        plant(undefined);
        await real.dispose();
      }
    });
  }
});
