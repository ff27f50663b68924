import assert from "node:assert/strict";
import { test } from "node:test";
import { inputSchemaOf } from "./schema.ts";
import { clean, cleanJson } from "./text.ts";

test("takes out what people don't see and models read", () => {
  const hidden = [
    "\u0000",
    "\u0007",
    "\u001b",
    "\u200b",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\u00ad",
    "\u{e0041}",
    "\ufe01",
    "\u{e0101}",
  ];
  for (const mark of hidden)
    assert.equal(clean(`a${mark}b`, 10), "ab", `U+${mark.codePointAt(0)!.toString(16)}`);
});

test("keeps what writing needs: line ends, emoji, Persian, Arabic numbers", () => {
  for (const text of ["a\n\tb\r\n", "👩‍👩‍👧 ❤️", "می‌خواهم", "\u0600١٢"]) assert.equal(clean(text, 100), text);
});

test("cuts to length without breaking a character", () => {
  assert.equal(clean("abcdef", 4), "abc…");
  assert.ok(clean("aa😀bb", 4).isWellFormed());
});

test("cleans every text of a value, and the names in it", () => {
  assert.deepEqual(cleanJson({ "a\u200b": ["x\u202ey", 1, null, { b: true }] }), {
    a: ["xy", 1, null, { b: true }],
  });
  assert.deepEqual(JSON.stringify(cleanJson(JSON.parse('{"__proto__":{"a":1}}'))), '{"__proto__":{"a":1}}');
});

test("marks secrets of a schema, and says nothing of their values, wherever they are", () => {
  const secret = {
    type: "string",
    secret: true,
    default: "hunter2",
    enum: ["hunter2"],
    examples: ["hunter2"],
    const: "hunter2",
  };
  const shown = inputSchemaOf({
    type: "object",
    required: ["key"],
    properties: { key: secret, region: { type: "string", default: "eu" }, secret: { type: "boolean" } },
    $defs: { inner: { anyOf: [secret, { type: "array", items: secret }] } },
  });
  assert.ok(!JSON.stringify(shown).includes("hunter2"), JSON.stringify(shown));
  const { properties } = shown as { properties: Record<string, unknown> };
  assert.deepEqual(properties.key, { type: "string", writeOnly: true });
  assert.deepEqual(properties.region, { type: "string", default: "eu" });
  assert.deepEqual(
    properties.secret,
    { type: "boolean" },
    "a parameter that is called secret is none for that",
  );
});
