import assert from "node:assert/strict";
import { test } from "node:test";
import { moment, where } from "./filters.ts";

const now = Date.parse("2026-11-21T12:00:00Z");

test("reads an age or a time", () => {
  const table: [string, string][] = [
    ["1h", "2026-11-21T11:00:00.000Z"],
    ["90m", "2026-11-21T10:30:00.000Z"],
    ["1.5 d", "2026-11-20T00:00:00.000Z"],
    ["2W", "2026-11-07T12:00:00.000Z"],
    ["2026-11-21", "2026-11-21T00:00:00.000Z"],
    ["2026-11-21T09:30+01:00", "2026-11-21T08:30:00.000Z"],
  ];
  for (const [text, time] of table) assert.equal(moment(text, "--since", now), time, text);
});

test("refuses what is neither, and says what it takes", () => {
  for (const text of ["", "h", "1", "-1h", "1y", "yesterday", "2026-13-01", "999999w", "1h30m"]) {
    assert.throws(() => moment(text, "--since", now), /--since takes an age such as 30m, 1h or 7d/, text);
  }
});

test("asks only of what is given", () => {
  assert.deepEqual(where({ a: "x", b: ["y", "z"], c: undefined }), {
    a: { operator: "and", constraints: [{ value: "x", matchMode: "equals" }] },
    b: { operator: "and", constraints: [{ value: ["y", "z"], matchMode: "in" }] },
  });
});
