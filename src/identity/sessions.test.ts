import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createSessions, type Grant } from "./sessions.ts";

const grant: Grant = {
  audience: "rest",
  principalId: "01890a5d-ac96-774b-bcce-b302099a8057",
  tokenId: null,
  clientId: "token:1",
  scopes: ["jobs:read"],
  expiresAt: 10_000,
};

test("reads what it signed, for that audience and until it is over", () => {
  const sessions = createSessions(randomBytes(32));
  const text = sessions.sign(grant);
  assert.match(text, /^pawl_session_[\w-]+\.[\w-]{43}$/);
  assert.deepEqual(sessions.read(text, "rest", 9_999), grant);
  assert.equal(sessions.read(text, "mcp", 9_999), undefined);
  assert.equal(sessions.read(text, "rest", 10_000), undefined);
});

test("reads nothing that was altered, cut, added to or signed by another", () => {
  const sessions = createSessions(randomBytes(32));
  const text = sessions.sign(grant);
  const [payload, mac] = text.slice("pawl_session_".length).split(".") as [string, string];
  const wider = Buffer.from(JSON.stringify({ ...grant, scopes: ["jobs:control"] })).toString("base64url");
  const forged = [
    `pawl_session_${wider}.${mac}`,
    `pawl_session_${payload}.`,
    `pawl_session_${payload}`,
    `pawl_session_.${mac}`,
    `pawl_session_${payload}.${mac}`.slice(0, -2),
    "pawl_session_",
    "pawl_session_.",
    createSessions(randomBytes(32)).sign(grant),
  ];
  for (const bad of forged) assert.equal(sessions.read(bad, "rest", 0), undefined, bad);
  for (let i = 0; i < text.length; i++) {
    const flipped = text.slice(0, i) + (text[i] === "A" ? "B" : "A") + text.slice(i + 1);
    const read = sessions.read(flipped, "rest", 0);
    // The last letter of base64 holds bits that are thrown away.
    assert.ok(read === undefined || i === text.length - 1, `letter ${i}`);
  }
});
