import assert from "node:assert/strict";
import { test } from "node:test";
import { jobOf, jobsApp } from "../../test/helpers/jobs-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";

const set = { key: "a", type: "set", input: { values: { n: 1 } } };
const parameters = { type: "object", properties: { day: { type: "string" } }, additionalProperties: false };

/** A job whose second step is this one, and what is wrong with it. */
const faults: [string, object, string, RegExp][] = [
  ["a step type with a slip", { type: "tranform" }, "/steps/1/type", /Did you mean "transform"/],
  ["a type that every object has", { type: "constructor" }, "/steps/1/type", /is not a step type/],
  ["a key twice", { ...set }, "/steps/1/key", /key of step 1 too/],
  ["a key that is no name", { ...set, key: "1b" }, "/steps/1/key", /must begin with a letter/],
  ["an input that lacks a field", { type: "http", input: {} }, "/steps/1/input/url", /required/],
  [
    "an input with a field that there is not",
    { type: "set", input: { values: {}, value: 1 } },
    "/steps/1/input/value",
    /Did you mean "values"/,
  ],
  ["no address where one is needed", { type: "http", input: {} }, "/steps/1/input/url", /required/],
  [
    "an input of the wrong type",
    { type: "wait", input: { durationMs: "long" } },
    "/steps/1/input/durationMs",
    /integer/,
  ],
  [
    "what only the type itself can tell",
    { type: "wait", input: { duration: "soon" } },
    "/steps/1/input/duration",
    /90s, 5m/,
  ],
  [
    "two of what excludes each other",
    { type: "wait", input: { duration: "5m", durationMs: 3 } },
    "/steps/1/input",
    /./,
  ],
  [
    "CEL that breaks off",
    { input: { values: { x: "{{ 1 + }}" } } },
    "/steps/1/input/values/x",
    /character 8\): Unexpected token: the end/,
  ],
  [
    "a template that does not end",
    { input: { values: { x: "a {{ b" } } },
    "/steps/1/input/values/x",
    /character 3\).*no "}}"/,
  ],
  [
    "an unknown name",
    { input: { values: { x: ["y {{ parms.day }}"] } } },
    "/steps/1/input/values/x/0",
    /character 6\).*Did you mean "params"/,
  ],
  [
    "a parameter that there is not",
    { input: { values: { x: "{{ params.dai }}" } } },
    "/steps/1/input/values/x",
    /no parameter "dai"\. Did you mean "day"/,
  ],
  [
    "a step that there is not",
    { input: { values: { x: "{{ steps.aa.output }}" } } },
    "/steps/1/input/values/x",
    /no step "aa"/,
  ],
  [
    "a step that comes later",
    { input: { values: { x: "{{ steps.c.output }}" } } },
    "/steps/1/input/values/x",
    /"c" comes later/,
  ],
  [
    "itself",
    { input: { values: { x: "{{ steps.b.output }}" } } },
    "/steps/1/input/values/x",
    /can't refer to itself/,
  ],
  [
    "matches()",
    { input: { values: { x: "{{ params.day.matches('(a+)+') }}" } } },
    "/steps/1/input/values/x",
    /not available/,
  ],
  [
    "a condition that is no CEL",
    { when: "steps.a.output.n >" },
    "/steps/1/when",
    /Unexpected token: the end/,
  ],
  ["a condition that is no bool", { when: "'yes'" }, "/steps/1/when", /true or false/],
  ["a condition on a later step", { when: "steps.c.status == 'COMPLETED'" }, "/steps/1/when", /comes later/],
  ["a condition in braces", { when: "{{ steps.a.output.n > 1 }}" }, "/steps/1/when", /./],
  [
    "a condition that nests too deep",
    { when: "vars.x.all(a, a.all(b, b.all(c, c)))" },
    "/steps/1/when",
    /deeper than 2/,
  ],
];

test("refuses a definition that could not run, with the place of the fault", async (t) => {
  const { call } = await jobsApp(t);
  for (const [what, step, path, message] of faults) {
    await t.test(`refuses ${what}`, async () => {
      const second = { key: "b", type: "set", input: { values: {} }, ...step };
      const refused = await call(
        "POST",
        "/jobs",
        jobOf({ parameters, steps: [set, second, { ...set, key: "c" }] }),
      );
      assertRefused(refused.response, 400, "VALIDATION_FAILED");
      const [detail] = refused.body.error.details;
      assert.equal(detail.path, path, JSON.stringify(refused.body.error.details));
      assert.match(detail.message, message);
      assert.ok(refused.body.message.includes(path));
    });
  }

  await t.test("lists every fault at once, in the order of the text", async () => {
    const refused = await call("POST", "/jobs", {
      name: "x",
      parameters: { type: "object", properties: { a: { type: "strin" }, b: { secret: 1 } } },
      steps: [
        { key: "a", type: "http", when: "1 +", input: { url: "{{ nope }}", metod: "GET" } },
        { key: "a", type: "sett", input: { values: "{{ steps.zz.output }} {{ job.nope }}" } },
      ],
    });
    assert.deepEqual(refused.body.error.details.map(({ path }: { path: string }) => path).sort(), [
      "/parameters/properties/a/type",
      "/parameters/properties/b/secret",
      "/steps/0/input/metod",
      "/steps/0/input/url",
      "/steps/0/when",
      "/steps/1/input/values",
      "/steps/1/input/values",
      "/steps/1/key",
      "/steps/1/type",
    ]);
  });

  await t.test("leaves no trace of what it refused", async () => {
    assert.equal((await call("POST", "/jobs/search", {})).body.meta.totalElements, 0);
  });

  const fine: [string, object][] = [
    [
      "a number that comes from an expression",
      { type: "wait", input: { durationMs: "{{ steps.a.output.n * 1000 }}" } },
    ],
    [
      "a choice that comes from an expression",
      { type: "log", input: { message: "x", level: "{{ params.day }}" } },
    ],
    [
      "a check's field that comes from an expression",
      { type: "wait", input: { until: "{{ params.day }}T10:00:00Z" } },
    ],
    ["an object that comes from an expression", { type: "set", input: { values: "{{ steps.a.output }}" } }],
    [
      "braces in verbatim code",
      {
        type: "script",
        input: { source: "if (params) {{ return { a: { b: 1 }}; }}", input: { x: "{{ params.day }}" } },
      },
    ],
    ["a condition on an earlier step", { when: "has(steps.a.output.n) && steps['a'].output.n > 1" }],
    ["parameters by a computed name", { input: { values: { x: "{{ params[job.name] }}" } } }],
  ];
  for (const [what, step] of fine) {
    await t.test(`takes ${what}`, async () => {
      const second = { key: "b", type: "set", input: { values: {} }, ...step };
      const made = await call("POST", "/jobs", jobOf({ name: what, parameters, steps: [set, second] }));
      assert.equal(made.status, 201, made.response.body);
    });
  }

  await t.test("bounds the expressions of a job", async () => {
    const values = Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`v${i}`, "{{ 1 }}"]));
    const refused = await call(
      "POST",
      "/jobs",
      jobOf({ steps: [{ key: "a", type: "set", input: { values } }] }),
    );
    assert.match(refused.body.error.details[0].message, /5000 expressions/);
  });
});
