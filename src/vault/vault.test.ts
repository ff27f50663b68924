import assert from "node:assert/strict";
import { createCipheriv, randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createKeyring } from "./keyring.ts";
import { fromVaultText, readSealed, toVaultText, writeSealed } from "./sealed-text.ts";
import { createVault, SealError } from "./vault.ts";

const dataKeys = new Map([
  ["key1", randomBytes(32)],
  ["key2", randomBytes(32)],
]);
const signingRoot = randomBytes(32);
const ring = (activeId: string) => createKeyring({ activeId, dataKeys, signingRoot });
const vault = createVault({ keyring: () => ring("key1") });
const at = { record: "0190a000-0000-7000-8000-000000000001", field: "password" };
const anyText = fc.string({ unit: "binary" });

/** It fails as every other failure does, and says nothing of the value. */
function refuses(sealed: string, context = at, secret = "\0never"): void {
  assert.throws(
    () => vault.open("connection", context, sealed),
    (error) => {
      assert.ok(error instanceof SealError);
      assert.equal(error.message, new SealError().message);
      assert.equal(error.cause, undefined);
      assert.ok(!error.message.includes(secret));
      return true;
    },
  );
}

test("opens what it sealed, whatever the text, the record and the field", () => {
  fc.assert(
    fc.property(anyText, fc.uuid(), anyText, (text, record, field) => {
      const sealed = vault.seal("connection", { record, field }, text);
      assert.ok(vault.isSealed(sealed));
      assert.deepEqual(vault.contextOf(sealed), { record, field });
      assert.equal(vault.keyId(sealed), "key1");
      assert.equal(vault.open("connection", { record, field }, sealed), text);
      assert.equal(fromVaultText(toVaultText(sealed)), sealed);
    }),
  );
});

test("seals equal texts differently, and each looks alike but for its length", () => {
  const all = Array.from({ length: 1000 }, () => vault.seal("connection", at, "same"));
  assert.equal(new Set(all).size, 1000);
  assert.equal(
    new Set(all.map((sealed) => readSealed(sealed)!.data.subarray(0, 12).toString("hex"))).size,
    1000,
  );
});

test("opens for its own purpose, record and field only", () => {
  const sealed = vault.seal("connection", at, "hunter2-secret");
  for (const context of [
    { ...at, field: "token" },
    { ...at, record: "0190a000-0000-7000-8000-000000000002" },
    { record: at.record, field: "" },
    { record: "", field: at.field },
    { record: `${at.record}\0${at.field}`, field: "" },
  ]) {
    refuses(sealed, context, "hunter2");
    // The text claims the other place too, as one would who moves it there.
    refuses(writeSealed({ ...readSealed(sealed)!, context }), context, "hunter2");
  }
  assert.throws(() => vault.open("variable", at, sealed), SealError);
  assert.throws(() => vault.open("canary", at, sealed), SealError);
});

test("refuses a value of which any byte was changed, with one message", () => {
  const sealed = vault.seal("connection", at, "hunter2-secret");
  const parts = readSealed(sealed)!;
  for (let index = 0; index < parts.data.length; index++) {
    for (const bit of [1, 16, 128]) {
      const data = Buffer.from(parts.data);
      data[index]! ^= bit;
      refuses(writeSealed({ ...parts, data }), at, "hunter2");
    }
  }
  // And any character of its text, for any other.
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.string({ unit: "binary", maxLength: 2 }), (index, other) => {
      fc.pre(other !== sealed[index]);
      refuses(sealed.slice(0, index) + other + sealed.slice(index + 1), at, "hunter2");
    }),
    { numRuns: 500 },
  );
});

test("refuses shortened tags, of four bytes too, and any cut or lengthened value", () => {
  const { data, ...rest } = readSealed(vault.seal("connection", at, "hunter2-secret"))!;
  for (let length = 0; length < data.length; length++) {
    refuses(writeSealed({ ...rest, data: data.subarray(0, length) }), at, "hunter2");
  }
  refuses(writeSealed({ ...rest, data: Buffer.concat([data, Buffer.alloc(1)]) }));
  // A forger who knows the key but not that the tag is 16 bytes: right in all else.
  const iv = randomBytes(12);
  const key = ring("key1").sealingKey("key1", "connection")!;
  for (const authTagLength of [4, 8, 12, 15]) {
    const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength });
    cipher.setAAD(Buffer.from(`pawl\0v1\0connection\0key1\0${at.record}\0${at.field}`));
    const ciphertext = Buffer.concat([cipher.update("a text that is long enough"), cipher.final()]);
    refuses(writeSealed({ ...rest, data: Buffer.concat([iv, ciphertext, cipher.getAuthTag()]) }));
  }
});

test("refuses keys that it does not have, and texts that are no sealed value", () => {
  const parts = readSealed(vault.seal("connection", at, "hunter2-secret"))!;
  for (const keyId of ["key2", "none", "__proto__", "constructor", "KEY1", "k", "key1key1"]) {
    refuses(writeSealed({ ...parts, keyId }), at, "hunter2");
  }
  fc.assert(fc.property(anyText, (text) => refuses(text)));
  fc.assert(fc.property(anyText, (text) => refuses(`ENC(${text})`)));
  fc.assert(fc.property(anyText, fc.base64String(), (id, data) => refuses(`ENC(v1.key1.${id}.${data})`)));
  for (const text of ["", "ENC()", "ENC(v1.key1.YQBi.)", "ENC(v2.key1.YQBi.YQ)", "vault:", "ENC(ENC())"]) {
    refuses(text);
    assert.equal(vault.isSealed(text), false);
    assert.equal(vault.contextOf(text), undefined);
    assert.throws(() => vault.keyId(text), SealError);
    assert.equal(fromVaultText(text), undefined);
  }
});

test("has one spelling for a sealed value", () => {
  const sealed = vault.seal("connection", at, "x");
  const spellings = [
    sealed.replace(")", "=)"),
    ` ${sealed}`,
    `${sealed}\n`,
    sealed.toLowerCase(),
    sealed.replace("ENC(", "enc("),
    sealed.replaceAll("_", "/"),
    sealed.replace("ENC(v1.", "ENC(v01."),
  ].filter((text) => text !== sealed);
  for (const text of spellings) refuses(text);
  // The bits that base64 has left over: 13+1+16 bytes leave none, 29 bytes leave two.
  const last = sealed.at(-2)!;
  for (const other of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
    if (other !== last) refuses(`${sealed.slice(0, -2)}${other})`);
  }
});

test("seals with the active key and opens with any that it has", () => {
  const sealed = vault.seal("connection", at, "old");
  const rotated = createVault({ keyring: () => ring("key2") });
  assert.equal(rotated.activeKeyId, "key2");
  assert.equal(rotated.open("connection", at, sealed), "old");
  assert.equal(rotated.keyId(rotated.seal("connection", at, "new")), "key2");
  assert.deepEqual(rotated.deriveKey("session"), vault.deriveKey("session"), "signatures outlive a rotation");
});

test("derives a key of 32 bytes for each purpose, none of them another's", () => {
  const keys = (["session", "webhook", "requestState", "audit"] as const).map((purpose) =>
    vault.deriveKey(purpose),
  );
  assert.ok(keys.every((key) => key.length === 32));
  assert.equal(new Set(keys.map((key) => key.toString("hex"))).size, keys.length);
  vault.deriveKey("session").fill(0);
  assert.deepEqual(vault.deriveKey("session"), keys[0], "what a caller does to its copy is its own affair");
});

test("refuses text that UTF-8 cannot hold, and a record without an id", () => {
  assert.throws(() => vault.seal("connection", at, "\ud800"), TypeError);
  assert.throws(() => vault.seal("connection", { ...at, field: "\udc00" }, "x"), TypeError);
  assert.throws(() => vault.seal("connection", { record: "", field: "x" }, "x"), TypeError);
  assert.throws(() => vault.seal("connection", { record: "a\0b", field: "x" }, "x"), TypeError);
});

test("seals a text of 1 MiB, and refuses a longer one rather than make what it could not open", () => {
  const context = { ...at, field: "f".repeat(4096) };
  const text = "é".repeat(512 * 1024);
  assert.equal(vault.open("connection", context, vault.seal("connection", context, text)), text);
  assert.throws(() => vault.seal("connection", at, `${text}x`), RangeError);
  assert.throws(() => vault.seal("connection", { ...at, field: "f".repeat(4097) }, "x"), RangeError);
});
