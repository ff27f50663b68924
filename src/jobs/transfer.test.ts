import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jobOf, jobsApp } from "../../test/helpers/jobs-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";
import { exportJob } from "./transfer.ts";
import { parseYaml } from "./yaml.ts";

const yaml = `
name: nightly
description: >-
  Pull yesterday's
  orders
tags: [orders, "no"]
parameters:
  type: object
  properties: { day: { type: string, format: date, default: 2026-11-21 } }
steps:
  - key: make
    type: set
    input: { values: { on: yes, port: 0x1F, big: 1e3, none: ~ } }
    retry: { maxAttempts: 3 }
  - key: say
    type: log
    when: "steps.make.output.port > 3"
    input:
      message: |
        Day {{ params.day }}
        done
`;

test("imports YAML, and replaces the job of the same name", async (t) => {
  const { importYaml, call } = await jobsApp(t);
  const made = await importYaml(yaml);
  assert.equal(made.status, 201, made.response.body);
  assert.equal(made.data.description, "Pull yesterday's orders");
  assert.deepEqual(made.data.tags, ["orders", "no"]);
  assert.deepEqual(made.data.steps[0].input, { values: { on: "yes", port: 31, big: 1000, none: null } });
  assert.equal(made.data.steps[1].input.message, "Day {{ params.day }}\ndone\n");
  assert.equal(made.data.parameters.properties.day.default, "2026-11-21");

  const again = await importYaml(yaml);
  assert.deepEqual([again.status, again.data.version], [200, 1]);
  const changed = await importYaml(yaml.replace("Day", "The day"));
  assert.deepEqual([changed.status, changed.data.version, changed.data.id], [200, 2, made.data.id]);
  assert.deepEqual(changed.data.steps[0].id, made.data.steps[0].id);
  assertRefused((await importYaml(yaml, "?onExisting=fail")).response, 409, "CONFLICT");
  assert.equal((await call("POST", "/jobs/import", jobOf({ name: "from json" }))).status, 201);
});

test("exports what imports elsewhere as the same job", async (t) => {
  const { importYaml, call, app, admin } = await jobsApp(t);
  const { data: job } = await importYaml(yaml);
  const file = async (format: string) => {
    const headers = { authorization: `Bearer ${admin}` };
    return app.inject({ url: `/jobs/${job.id}/export?format=${format}`, headers });
  };
  const text = await file("yaml");
  assert.match(String(text.headers["content-type"]), /^application\/yaml/);
  assert.ok(text.body.includes("message: |\n        Day {{ params.day }}\n        done\n"), text.body);
  for (const noise of ["id:", "onError", "factor", "initialDelayMs", "version", "createdAt"]) {
    assert.ok(!text.body.includes(noise), noise);
  }
  const json = await file("json");
  assert.match(String(json.headers["content-type"]), /^application\/json/);

  await call("DELETE", `/jobs/${job.id}`);
  const { data: copy } = await importYaml(text.body);
  const bare = ({ steps, ...rest }: typeof job) => ({
    ...rest,
    steps: steps.map((step: object) => ({ ...step, id: "" })),
    ...{ id: "", createdAt: "", updatedAt: "" },
  });
  assert.deepEqual(bare(copy), bare(job));
  const same = await call("POST", "/jobs/import", JSON.parse(json.body));
  assert.equal(same.data.version, 1, "JSON and YAML say the same");
});

test("imports a file that carries the ids of another server", async (t) => {
  const { call } = await jobsApp(t);
  const steps = [{ ...jobOf().steps[0], id: "01890a5d-ac96-774b-bcce-b302099a8057" }];
  const made = await call("POST", "/jobs/import", jobOf({ steps }));
  assert.equal(made.status, 201, made.response.body);
  assert.notEqual(made.data.steps[0].id, steps[0]!.id);
});

test("imports one name from ten at once as one job", async (t) => {
  const { importYaml, call } = await jobsApp(t);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => importYaml(yaml.replace("Day", `Day ${i}`))),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(9).fill(200), 201]);
  const { data } = await call("POST", "/jobs/search", {});
  assert.deepEqual([data.length, data[0].version], [1, 10]);
});

const hostile: [string, string, number, string, RegExp][] = [
  ["text that breaks off", 'name: "x', 400, "MALFORMED_JSON", /line 1/],
  ["bad indentation", "a:\n  b: 1\n c: 2", 400, "MALFORMED_JSON", /line 3/],
  ["two documents", "name: a\n---\nname: b", 400, "MALFORMED_JSON", /multiple documents/],
  ["a list", "- a", 400, "VALIDATION_FAILED", /must be an object/],
  ["a bare text", "hello", 400, "VALIDATION_FAILED", /must be an object/],
  ["a tag that makes objects", "name: !!js/function 'x'", 400, "MALFORMED_JSON", /Unresolved tag/],
  ["a tag of its own", "name: !secret x", 400, "MALFORMED_JSON", /Unresolved tag/],
  ["a key twice", "name: a\nname: b", 400, "VALIDATION_FAILED", /"name" twice/],
  ["a key that is a map", "? {a: 1}\n: 2", 400, "VALIDATION_FAILED", /not a plain text/],
  ["__proto__", "name: a\n__proto__: {admin: true}\nsteps: []", 400, "VALIDATION_FAILED", /not allowed/],
  ["an alias that explodes", bomb(), 400, "MALFORMED_JSON", /alias/],
  ["an alias to itself", "name: a\nsteps: &a [*a]", 400, "MALFORMED_JSON", /holds itself/],
  ["an alias to nothing", "name: *x", 400, "MALFORMED_JSON", /alias/i],
  ["infinity", "name: .inf", 400, "VALIDATION_FAILED", /too large/],
  ["digits that would be lost", "name: x\ntimeoutMs: 12345678901234567890", 400, "VALIDATION_FAILED", /./],
  ["NUL", 'name: "a\\0b"', 400, "VALIDATION_FAILED", /NUL/],
  ["half a surrogate pair", 'name: "\\ud800"', 400, "VALIDATION_FAILED", /surrogate/],
  ["a thousand levels", `name: ${"[".repeat(1000)}${"]".repeat(1000)}`, 400, "MALFORMED_JSON", /./],
  ["seventy levels", `name: ${"[".repeat(70)}${"]".repeat(70)}`, 400, "VALIDATION_FAILED", /deeper than 64/],
  ["an unknown field", "name: a\nstep: []\nsteps: []", 400, "VALIDATION_FAILED", /./],
  ["nothing", " ", 400, "VALIDATION_FAILED", /./],
  ["a book", `name: a\ndescription: ${"x".repeat(300_000)}`, 413, "PAYLOAD_TOO_LARGE", /262144/],
  [
    "ten thousand keys",
    Array.from({ length: 10_000 }, (_, i) => `k${i}: 1`).join("\n"),
    400,
    "VALIDATION_FAILED",
    /./,
  ],
];

function bomb(): string {
  const lines = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const [name, of] of ["ba", "cb", "dc", "ed", "fe"]) {
    lines.push(`${name}: &${name} [${Array(9).fill(`*${of}`).join(",")}]`);
  }
  return lines.join("\n");
}

test("refuses YAML that is wrong or means harm, and soon", async (t) => {
  const { importYaml } = await jobsApp(t);
  for (const [what, text, status, code, message] of hostile) {
    await t.test(`refuses ${what}`, async () => {
      const refused = await importYaml(text);
      assertRefused(refused.response, status, code);
      assert.match(refused.body.message + JSON.stringify(refused.body.error.details ?? ""), message);
    });
  }
});

test("writes YAML that reads back as it was, whatever the texts", () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        "{{",
        "}}",
        ":",
        " ",
        "\n",
        "\t",
        "-",
        "#",
        "'",
        '"',
        "|",
        ">",
        "&",
        "*",
        "!",
        "%",
        "@",
        "\r",
        "\u0085",
        "\u2028",
        "\ufeff",
        "~",
        "0",
        "null",
        "yes",
        "1e3",
        "0x1",
      ),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    ),
    maxLength: 12,
  });
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(text, tie("any"), { maxKeys: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(text, fc.dictionary(text, value, { maxKeys: 4 }), (description, values) => {
      const asJson = JSON.parse(JSON.stringify({ description, values }));
      fc.pre(!/__proto__|constructor|prototype/.test(JSON.stringify(asJson)));
      // What JSON itself would refuse to hold exactly is refused on import too.
      fc.pre(!/\d{16}|e[+-]?\d{3}/.test(JSON.stringify(asJson)));
      const step = { id: "i", key: "k", type: "set", input: { values: asJson.values } };
      const { body } = exportJob({ name: "n", description: asJson.description, steps: [step] }, "yaml");
      const read = parseYaml(body) as { description: string; steps: { input: unknown }[] };
      assert.deepEqual([read.description, read.steps[0]!.input], [asJson.description, step.input]);
    }),
    { numRuns: 500 },
  );
});
