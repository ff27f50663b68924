import assert from "node:assert/strict";
import { test } from "node:test";
import { createLimits } from "./limits.ts";

const limited = { code: "RATE_LIMITED", retryable: true };

test("counts the calls of a user and a tool by the minute, and those that change things five times as tightly", () => {
  const clock = { now: 0 };
  const limits = createLimits({ callsPerMinute: 10, waits: 1, now: () => clock.now });
  for (let i = 0; i < 10; i++) limits.call("ana", "get_run", false);
  assert.throws(() => limits.call("ana", "get_run", false), limited);
  limits.call("ana", "list_runs", false);
  limits.call("ben", "get_run", false);
  limits.call("ana", "start_job", true);
  limits.call("ana", "start_job", true);
  assert.throws(() => limits.call("ana", "start_job", true), {
    ...limited,
    message: /2 times a minute. Wait 30 seconds/,
  });
  clock.now += 30_000;
  limits.call("ana", "start_job", true);
  assert.throws(() => limits.call("ana", "start_job", true), limited);
  clock.now += 3_600_000;
  for (let i = 0; i < 10; i++) limits.call("ana", "get_run", false);
  assert.throws(() => limits.call("ana", "get_run", false), limited);
});

test("counts nothing where there is no limit", () => {
  const limits = createLimits({ callsPerMinute: 0, waits: 1 });
  for (let i = 0; i < 10_000; i++) limits.call("ana", "start_job", true);
});

test("lets a user wait so many times at once, and again when one has ended", () => {
  const limits = createLimits({ callsPerMinute: 0, waits: 2 });
  const done = limits.wait("ana");
  limits.wait("ana");
  assert.throws(() => limits.wait("ana"), limited);
  limits.wait("ben");
  done();
  done();
  limits.wait("ana");
  assert.throws(() => limits.wait("ana"), limited);
});
