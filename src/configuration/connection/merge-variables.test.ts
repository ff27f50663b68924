import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mergeVariables, type StoredVariables } from "./merge-variables.ts";
import { isSensitive, type Template, templates } from "./templates.ts";

/** A text that fits the field of this name. */
const fitting: Record<string, string[]> = {
  host: ["a.example", "b.example"],
  port: ["1", "2"],
  fromAddress: ["a@b.example", "c@d.example"],
  encryption: ["none", "tls"],
  useSSL: ["true", "false"],
  authMethod: ["password", "privateKey"],
  authType: ["bearer", "none"],
  connectionString: ["mongodb://a/x", "mongodb://b/x"],
  endpoint: ["https://a.example", "https://b.example"],
  webhookUrl: ["https://a.example/h", "https://b.example/h"],
  instanceUrl: ["https://a.example", "https://b.example"],
  baseUrl: ["https://a.example", "https://b.example"],
  headers: ["{}", '{"a":"b"}'],
};
const textsOf = (name: string) => fitting[name] ?? ["one", "two"];
const sealedAs = (name: string) => `ENC(sealed.${name})`;

/** What a caller may send for a field: the word says it, and `sent` makes the text. */
const moves = ["omit", "empty", "first", "second", "back", "foreign"] as const;
type Move = (typeof moves)[number];

const cases = fc.constantFrom(...templates).chain((template) => {
  const names = [...template.fields.map(({ name }) => name), "x-note", "x-api-key"];
  return fc.record({
    template: fc.constant(template),
    stored: fc.record(
      Object.fromEntries(names.map((name) => [name, fc.constantFrom("first", "none" as const)])),
    ),
    given: fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(...moves)]))),
  });
});

function storedOf(template: Template, chosen: Record<string, string>): StoredVariables {
  const stored = { plain: {} as Record<string, string>, sealed: {} as Record<string, string> };
  for (const [name, choice] of Object.entries(chosen)) {
    if (choice === "none") continue;
    if (isSensitive(template, name)) stored.sealed[name] = sealedAs(name);
    else stored.plain[name] = textsOf(name)[0]!;
  }
  return stored;
}

function sent(given: Record<string, Move>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, move] of Object.entries(given)) {
    if (move === "empty") texts[name] = "";
    if (move === "first") texts[name] = textsOf(name)[0]!;
    if (move === "second") texts[name] = textsOf(name)[1]!;
    if (move === "back") texts[name] = sealedAs(name);
    if (move === "foreign") texts[name] = sealedAs("another");
  }
  return texts;
}

test("a secret is kept, replaced or removed exactly as it was asked, and never leaves its place", () => {
  fc.assert(
    fc.property(cases, ({ template, stored: chosen, given }) => {
      const stored = storedOf(template, chosen);
      const texts = sent(given);
      const merged = mergeVariables(template, texts, stored);
      for (const [name, move] of Object.entries(given)) {
        const [sensitive, had] = [isSensitive(template, name), chosen[name] !== "none"];
        const isReturned = move === "back" || move === "foreign";
        const place = [merged.plain, merged.entered, merged.kept].map((part) => Object.hasOwn(part, name));
        if (!sensitive) assert.deepEqual(place, [move === "first" || move === "second", false, false]);
        else if (move === "first" || move === "second") assert.deepEqual(place, [false, true, false]);
        else assert.deepEqual(place, [false, false, had && move !== "empty"]);
        if (sensitive && had && isReturned) assert.equal(merged.returned[name], texts[name]);
        else assert.ok(!Object.hasOwn(merged.returned, name));
        assert.equal(merged.misplaced.includes(name), isReturned && !(sensitive && had));
      }
      for (const text of [...Object.values(merged.plain), ...Object.values(merged.entered)]) {
        assert.ok(!text.startsWith("ENC("));
      }
    }),
    { numRuns: 2000 },
  );
});

test("no secret stays when where it goes has changed", () => {
  fc.assert(
    fc.property(cases, ({ template, stored: chosen, given }) => {
      const stored = storedOf(template, chosen);
      const merged = mergeVariables(template, sent(given), stored);
      const moved = template.destination.some((name) => {
        if (!isSensitive(template, name)) return stored.plain[name] !== merged.plain[name];
        return (
          Object.hasOwn(merged.entered, name) ||
          Object.hasOwn(stored.sealed, name) !== Object.hasOwn(merged.kept, name)
        );
      });
      assert.deepEqual(merged.toReenter, moved ? Object.keys(merged.kept) : []);
    }),
    { numRuns: 2000 },
  );
});

test("what was answered can be sent back, and changes nothing", () => {
  fc.assert(
    fc.property(cases, ({ template, stored: chosen }) => {
      const all = Object.fromEntries(Object.keys(chosen).map((name) => [name, "first"]));
      const stored = storedOf(template, all);
      const merged = mergeVariables(template, { ...stored.plain, ...stored.sealed }, stored);
      assert.deepEqual(
        [merged.faults, merged.misplaced, merged.toReenter, merged.changed, merged.plain, merged.kept],
        [[], [], [], [], stored.plain, stored.sealed],
      );
    }),
  );
});

test("asks for each required field of each type, and for one of those that can stand for each other", () => {
  for (const template of templates) {
    const full = Object.fromEntries(template.fields.map(({ name }) => [name, textsOf(name)[0]!]));
    assert.deepEqual(mergeVariables(template, full).faults, [], template.connectionType);
    for (const { name, required } of template.fields) {
      const { [name]: _, ...less } = full;
      const expected = required ? [{ path: `/variables/${name}`, message: "is required." }] : [];
      assert.deepEqual(mergeVariables(template, less).faults, expected, template.connectionType);
      assert.deepEqual(mergeVariables(template, { ...full, [name]: "" }).faults, expected);
    }
    for (const names of template.anyOfRequired) {
      const less = Object.fromEntries(Object.entries(full).filter(([name]) => !names.includes(name)));
      const [fault] = mergeVariables(template, less).faults;
      assert.deepEqual(fault, { path: "/variables", message: `must have ${names.join(" or ")}.` });
    }
  }
});
