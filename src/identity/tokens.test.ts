import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { hashOf, kindOfToken, newToken, prefixOf } from "./tokens.ts";

test("makes tokens of 256 random bits that tell themselves apart from look-alikes", () => {
  const token = newToken();
  assert.match(token, /^pawl_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/);
  assert.equal(Buffer.from(token.slice(5, 48), "base64url").length, 32);
  assert.equal(new Set(Array.from({ length: 1000 }, () => newToken())).size, 1000);
  for (let i = 0; i < 1000; i++) assert.equal(kindOfToken(newToken()), "api");
});

test("notices a token that was mistyped, cut or added to", () => {
  const token = newToken();
  const other = token[10] === "a" ? "b" : "a";
  for (const bad of [
    token.slice(0, 10) + other + token.slice(11),
    token.slice(0, -1),
    `${token}0`,
    ` ${token}`,
    token.toUpperCase(),
    "",
    "pawl_",
    `pawl_${"a".repeat(51)}`,
    `${token}\n`,
  ]) {
    assert.equal(kindOfToken(bad), undefined, bad);
  }
});

test("stores SHA-256 of the whole token, and shows a prefix that is far from it", () => {
  const token = newToken();
  assert.deepEqual(hashOf(token), createHash("sha256").update(token).digest());
  assert.equal(prefixOf(token), token.slice(0, 13));
});

test("tells from a token whether it is for MCP", () => {
  const token = newToken("mcp");
  assert.match(token, /^pawl_mcp_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/);
  assert.equal(kindOfToken(token), "mcp");
  assert.equal(prefixOf(token), token.slice(0, 17));
  assert.equal(
    kindOfToken(token.replace("mcp_", "")),
    "api",
    "the mark is not what makes it valid: its hash is",
  );
  assert.equal(kindOfToken(`pawl_mcp_${newToken().slice(5)}0`), undefined);
});
