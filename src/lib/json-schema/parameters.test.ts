import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closedNames, compileParameters, parametersFaults } from "./parameters.ts";

function object(properties: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return { type: "object", properties, ...more };
}

describe("a schema of parameters", () => {
  const good: [string, Record<string, unknown>][] = [
    ["an empty one", {}],
    [
      "the usual keywords",
      object({ day: { type: "string", format: "date", description: "x" } }, { required: ["day"] }),
    ],
    ["its draft named", { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" }],
    ["references into itself", object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { type: "string" } } })],
    [
      "a part that refers to itself",
      object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { items: { $ref: "#/$defs/a" } } } }),
    ],
    ["notes that start with x-", object({ a: { type: "string", "x-widget": "textarea" } })],
    ["patterns", object({ a: { type: "string", pattern: "^[A-Z]{2}-\\d+$" } })],
    ["parameters named like keywords", object({ type: { type: "string" }, pattern: true, default: false })],
    ["defaults that fit", object({ n: { type: "integer", default: 3 } })],
    ["secret: false", object({ a: { type: "string", secret: false } })],
    [
      "secrets by name",
      object({ a: { secret: true }, b: { properties: { c: { type: "string", secret: true } } } }),
    ],
  ];
  for (const [what, schema] of good) {
    it(`may have ${what}`, () => {
      assert.deepEqual(parametersFaults(schema), []);
      compileParameters(schema);
    });
  }

  let deep: Record<string, unknown> = {};
  for (let i = 0; i < 200; i++) deep = { properties: { a: deep } };
  const bad: [string, Record<string, unknown>, string, RegExp][] = [
    [
      "a type that there is not",
      object({ a: { type: "strin" } }),
      "/properties/a/type",
      /must be string, number/,
    ],
    ["a root that is no object", { type: "string" }, "/type", /must be "object"/],
    [
      "a limit that is no number",
      object({ a: { minimum: "3" } }),
      "/properties/a/minimum",
      /must be a number/,
    ],
    ["required as a text", object({}, { required: "day" }), "/required", /must be an array/],
    [
      "a keyword with a slip",
      object({ a: { type: "string" } }, { requried: ["a"] }),
      "/requried",
      /Did you mean "required"/,
    ],
    ["a format with a slip", object({ a: { format: "dat" } }), "/properties/a/format", /Did you mean "date"/],
    [
      "a secret in a list",
      object({ a: { type: "array", items: { secret: true } } }),
      "/properties/a/items/secret",
      /called by its name/,
    ],
    ["all of it secret", { secret: true }, "/secret", /called by its name/],
    [
      "a secret behind a reference",
      object({ a: { $ref: "#/$defs/b" } }, { $defs: { b: { properties: { c: { secret: true } } } } }),
      "/$defs/b/properties/c/secret",
      /called by its name/,
    ],
    ["a secret that is no bool", object({ a: { secret: "yes" } }), "/properties/a/secret", /true or false/],
    [
      "a secret that it tells itself",
      object({ a: { secret: true, default: "hunter2" } }),
      "/properties/a/secret",
      /can't stand beside default/,
    ],
    [
      "a reference to elsewhere",
      object({ a: { $ref: "https://example.org/x" } }),
      "/properties/a/$ref",
      /nothing is fetched/,
    ],
    [
      "a reference to a file",
      object({ a: { $ref: "other.json#/a" } }),
      "/properties/a/$ref",
      /point into this schema/,
    ],
    ["an id", object({}, { $id: "http://x" }), "/$id", /not taken/],
    ["an older draft", { $schema: "http://json-schema.org/draft-07/schema#" }, "/$schema", /2020-12/],
    [
      "a reference that leads nowhere",
      object({ a: { $ref: "#/$defs/nope" } }),
      "",
      /can't resolve reference/,
    ],
    [
      "a pattern that is none",
      object({ a: { pattern: "(" } }),
      "/properties/a/pattern",
      /regular expression/,
    ],
    [
      "a reference to all of itself",
      object({ a: { $ref: "#" } }),
      "/properties/a/$ref",
      /#\/\$defs\/address/,
    ],
    [
      "a default that does not fit",
      object({ a: { type: "integer", default: "x" } }),
      "/properties/a/default",
      /must be an integer/,
    ],
    ["a hundred levels", deep, "/properties/a".repeat(32), /too large/],
    ["a book", object({ a: { description: "x".repeat(70_000) } }), "", /longer than 65536/],
    ["too many parts", { anyOf: Array.from({ length: 1001 }, () => ({})) }, "/anyOf/999", /too large/],
  ];
  for (const [what, schema, path, message] of bad) {
    it(`may not have ${what}`, () => {
      const faults = parametersFaults(schema);
      assert.equal(faults[0]?.path, path, JSON.stringify(faults));
      assert.match(faults[0].message, message);
    });
  }

  it("is told all its faults at once", () => {
    const faults = parametersFaults(
      object({ a: { type: "strin" }, b: { minimum: "1" }, c: { secret: 1 }, d: { patern: "x" } }),
    );
    assert.deepEqual(faults.map(({ path }) => path).sort(), [
      "/properties/a/type",
      "/properties/b/minimum",
      "/properties/c/secret",
      "/properties/d/patern",
    ]);
  });

  it("closes its names only when nothing else can come in", () => {
    assert.deepEqual(closedNames(object({ a: {}, b: {} }, { additionalProperties: false })), ["a", "b"]);
    assert.equal(closedNames(object({ a: {} })), undefined);
    assert.equal(
      closedNames(object({ a: {} }, { additionalProperties: false, patternProperties: { b: {} } })),
      undefined,
    );
    assert.equal(closedNames(undefined), undefined);
  });
});

describe("parameters", () => {
  const schema = object(
    {
      day: { type: "string", format: "date" },
      count: { type: "integer", minimum: 1, default: 10 },
      mode: { enum: ["full", "quick"] },
      to: { anyOf: [{ type: "string" }, { type: "null" }] },
      options: { type: "object", properties: { deep: { type: "boolean", default: true } }, default: {} },
    },
    { required: ["day"], additionalProperties: false },
  );

  it("get their defaults, and the given value is left as it is", () => {
    const given = { day: "2026-11-21" };
    const { value, faults } = compileParameters(schema)(given);
    assert.deepEqual(faults, []);
    assert.deepEqual(value, { day: "2026-11-21", count: 10, options: { deep: true } });
    assert.deepEqual(given, { day: "2026-11-21" });
  });

  it("are told all their faults, in words", () => {
    const { faults } = compileParameters(schema)({ count: 0.5, mode: "fast", to: 3, dey: 1 });
    assert.deepEqual(faults.map(({ path, message }) => `${path} ${message}`).sort(), [
      "/count must be 1 or more.",
      "/count must be an integer.",
      "/day is required.",
      '/dey is not a parameter of this job. Did you mean "day"?',
      '/mode must be one of "full", "quick".',
      "/to must be a string or null.",
    ]);
  });

  it("may be anything when there is no schema", () => {
    assert.deepEqual(compileParameters(undefined)({ a: 1 }), { value: { a: 1 }, faults: [] });
  });

  const slow: [string, Record<string, unknown>, unknown][] = [
    ["a pattern explodes", { pattern: "^(a+)+$" }, `${"a".repeat(50)}b`],
    ["a name's pattern explodes", { patternProperties: { "^(a+)+$": {} } }, { [`${"a".repeat(50)}b`]: 1 }],
    [
      "all items are compared with all",
      { uniqueItems: true },
      Array.from({ length: 100_000 }, (_, i) => ({ i })),
    ],
    ["references double the work forty times", { $ref: "#/$defs/d40" }, 1],
  ];
  const $defs: Record<string, unknown> = { d0: { type: "string" } };
  for (let i = 1; i <= 40; i++)
    $defs[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
  for (const [what, inner, value] of slow) {
    it(`are refused in time when ${what}`, () => {
      const whole = object({ a: inner, ok: { type: "string" } }, { $defs });
      assert.deepEqual(parametersFaults(whole), []);
      const read = compileParameters(whole);
      const began = performance.now();
      assert.match(read({ a: value }).faults[0]!.message, /can't be checked/);
      assert.ok(performance.now() - began < 5000);
      assert.deepEqual(read({ ok: "x" }).faults, [], "the next value is checked as if nothing had been");
    });
  }

  it("are not the way to fill the memory by nesting", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const read = compileParameters(
      object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { items: { $ref: "#/$defs/a" } } } }),
    );
    assert.match(read({ a: deep }).faults[0]!.message, /can't be checked/);
  });
});
