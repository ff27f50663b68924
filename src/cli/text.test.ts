import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { duration, localTime, oneLine, safe, table } from "./text.ts";

describe("text for people", () => {
  it("says durations in the unit that fits", () => {
    const said: [number | null, string][] = [
      [null, "–"],
      [0, "0 ms"],
      [999, "999 ms"],
      [1000, "1.0 s"],
      [1234, "1.2 s"],
      [59_949, "59.9 s"],
      [59_950, "1 min"],
      [125_000, "2 min 5 s"],
      [3_599_600, "1 h"],
      [12_000_000, "3 h 20 min"],
      [86_400_000, "1 d"],
      [187_200_000, "2 d 4 h"],
    ];
    for (const [ms, text] of said) assert.equal(duration(ms), text, String(ms));
  });

  it("shows times in the zone of the reader", () => {
    assert.match(localTime("2026-11-21T09:30:05.123Z"), /^2026-11-2\d \d\d:\d\d:05$/);
    assert.equal(localTime(null), "–");
  });

  it("lets no text from elsewhere steer the terminal", () => {
    assert.equal(safe("\x1b[2Ja\x1b]0;title\x07b\x9b31mc\rd\x08\te\nf"), "abcd\te\nf");
    assert.equal(oneLine("a\n\n b\x1b[31m", 10), "a b");
    assert.equal(oneLine("abcdef", 4), "abc…");
  });

  it("aligns columns and keeps a row on its line", () => {
    assert.equal(
      table(
        ["A", "LONG"],
        [
          ["xyz", "1"],
          ["", "2\n3"],
        ],
      ),
      "A    LONG\nxyz  1\n     2 3",
    );
  });
});
