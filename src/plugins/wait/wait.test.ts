import assert from "node:assert/strict";
import { test } from "node:test";
import { runStep } from "../../../test/helpers/step.ts";
import { Parked } from "../plugin.ts";
import { durationMs } from "./duration.ts";
import { wait } from "./wait.ts";

test("reads durations short and ISO", () => {
  const read = ["500ms", "90s", "5m", "1.5h", "1d", "P1D", "PT2H30M", "P1DT2H30M5.5S", "PT0S"].map(
    durationMs,
  );
  assert.deepEqual(read, [500, 90_000, 300_000, 5_400_000, 86_400_000, 86_400_000, 9_000_000, 95_405_500, 0]);
  for (const text of ["", "5", "s", "5 m", "-5m", "P", "PT", "P1DT", "1m30s", "P1M", "1e9s"]) {
    assert.equal(durationMs(text), undefined, text);
  }
});

for (const input of [{ durationMs: 60_000 }, { duration: "1m" }, { duration: "PT1M" }]) {
  test(`parks the step for ${JSON.stringify(input)}`, async () => {
    const before = Date.now();
    const parked = await runStep(wait, { input });
    assert.ok(parked instanceof Parked);
    assert.ok(parked.until >= before + 60_000 && parked.until <= Date.now() + 60_000);
    assert.deepEqual(parked.output, { waitedUntil: new Date(parked.until).toISOString() });
  });
}

test("parks until a time, and completes at once when that is past", async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const parked = await runStep(wait, { input: { until } });
  assert.ok(parked instanceof Parked && parked.until === Date.parse(until));
  assert.deepEqual(await runStep(wait, { input: { until: "2020-01-01T00:00:00Z" } }), {
    waitedUntil: "2020-01-01T00:00:00.000Z",
  });
  assert.ok(!((await runStep(wait, { input: { durationMs: 0 } })) instanceof Parked));
});

test("refuses none, two, what it can't read and more than a year, at save and at the run", async () => {
  for (const input of [
    {},
    { durationMs: 1, until: "2030-01-01T00:00:00Z" },
    { duration: "soon" },
    { duration: "400d" },
    { until: "tomorrow" },
    { until: "2030-01-01T00:00:00" },
    { until: "2030-13-01T00:00:00Z" },
  ]) {
    assert.equal((wait.check!(input) as unknown[]).length, 1, JSON.stringify(input));
    await assert.rejects(runStep(wait, { input }), { code: "INVALID_INPUT", retryable: false });
  }
  await assert.rejects(runStep(wait, { input: { until: "9999-01-01T00:00:00Z" } }), {
    code: "INVALID_INPUT",
  });
});

test("leaves a template for the run", () => {
  assert.deepEqual(wait.check!({ until: "{{ params.at }}" }), []);
  assert.deepEqual(wait.check!({ duration: "{{ params.minutes }}m" }), []);
});
