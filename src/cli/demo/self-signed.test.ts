import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { selfSigned } from "./self-signed.ts";

const dayMs = 86_400_000;

test("makes certificates that are valid as long as asked, each with a key of its own", () => {
  const made = [12, 800, 20_000].map((days) => ({ days, ...selfSigned("Ledger Ü", days) }));
  for (const { days, certificate, privateKey } of made) {
    const read = new X509Certificate(certificate);
    assert.equal(read.subject, "CN=Ledger Ü");
    assert.ok(read.checkPrivateKey(createPrivateKey(privateKey)));
    assert.ok(read.verify(read.publicKey), "its signature is its own");
    assert.ok(read.validFromDate.getTime() < Date.now());
    const left = (read.validToDate.getTime() - Date.now()) / dayMs;
    assert.ok(left > days - 0.01 && left <= days, `${left} days`);
  }
  assert.equal(new Set(made.map(({ privateKey }) => privateKey)).size, made.length);
});
