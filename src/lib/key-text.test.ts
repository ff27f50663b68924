import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { readKey } from "./key-text.ts";

test("reads 32 bytes as hex and as base64, of either alphabet, with or without the sign at its end", () => {
  for (let round = 0; round < 200; round++) {
    const key = randomBytes(32);
    const base64 = key.toString("base64");
    for (const text of [key.toString("hex"), key.toString("hex").toUpperCase(), base64, `${base64}\n`]) {
      assert.deepEqual(readKey(text), key);
    }
    assert.deepEqual(readKey(base64.slice(0, -1)), key);
    assert.deepEqual(readKey(key.toString("base64url")), key);
  }
});

test("refuses what is not 32 bytes, and what nobody drew at random", () => {
  const rising = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
  const pair = Buffer.from("ab".repeat(32), "hex");
  for (const text of [
    "",
    "secret",
    "correct horse battery staple",
    randomBytes(31).toString("base64"),
    randomBytes(33).toString("base64"),
    randomBytes(16).toString("hex"),
    `${randomBytes(32).toString("hex")}0`,
    "0".repeat(64),
    pair.toString("hex"),
    Buffer.from("deadbeef".repeat(8), "hex").toString("base64"),
    rising.toString("hex"),
    Buffer.from(rising.toReversed()).toString("base64"),
    Buffer.from("this passphrase has 32 letters!!").toString("base64"),
    "A".repeat(43),
  ]) {
    assert.equal(readKey(text), undefined, text);
  }
});
