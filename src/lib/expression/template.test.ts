import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { checkNames } from "./names.ts";
import { compileTemplate } from "./template.ts";

const scope = {
  params: { day: "2026-11-21", n: 3, on: true, none: null, list: [1, { a: "b" }], big: { x: [1] } },
  steps: { fetch: { output: { body: [1, 2] }, status: "COMPLETED" } },
  vars: {},
  execution: {},
  job: {},
};

function render(value: unknown, verbatim?: string[]): unknown {
  const { template, faults } = compileTemplate(value, { verbatim });
  assert.deepEqual(faults, []);
  return template.render(scope);
}

describe("a template", () => {
  const cases: [string, unknown, unknown][] = [
    ["keeps the type of a text that is one expression", "{{ params.n }}", 3],
    ["keeps objects whole", "{{steps.fetch.output}}", { body: [1, 2] }],
    ["keeps null", "{{ params.none }}", null],
    ["puts values into text", "/orders?day={{ params.day }}&n={{params.n}}", "/orders?day=2026-11-21&n=3"],
    ["writes bools plainly and objects as JSON", "{{ params.on }} {{ params.list }}", 'true [1,{"a":"b"}]'],
    ["writes null as nothing", "<{{ params.none }}>", "<>"],
    ["makes text as soon as anything stands beside the expression", " {{ params.n }}", " 3"],
    ["writes two braces", "{{ '{{' }} x }}", "{{ x }}"],
    ["lets braces and quotes stand in an expression", `{{ {'a': {'b': "}}"}}.a.b + '\\'}}' }}`, "}}'}}"],
    ["lets triple quoted text stand in an expression", `{{ '''it's }} "ok"''' }}!`, `it's }} "ok"!`],
    ["lets a comment end with its line", "{{ params.n // }} not yet\n }}", 3],
    ["leaves text without braces as it is", "{ } }} { {", "{ } }} { {"],
    [
      "goes into lists and objects",
      { a: ["{{ params.n }}", { b: "{{ params.day }}" }], c: 1 },
      { a: [3, { b: "2026-11-21" }], c: 1 },
    ],
    ["leaves keys alone", { "{{ params.n }}": 1 }, { "{{ params.n }}": 1 }],
  ];
  for (const [promise, value, expected] of cases)
    it(promise, () => assert.deepEqual(render(value), expected));

  it("leaves verbatim fields alone, with all they hold", () => {
    const value = { code: "a {{ b", more: ["{{ x }}"], text: "{{ params.n }}" };
    assert.deepEqual(render(value, ["code", "more"]), { code: "a {{ b", more: ["{{ x }}"], text: 3 });
  });

  it("lists every fault with its place", () => {
    const { faults } = compileTemplate({
      a: "ok",
      b: ["x {{ nope }}", "{{ params.n", "{{ }}"],
      "c/d": { e: "ab {{ 1 + }}" },
    });
    assert.deepEqual(
      faults.map(({ path, position }) => [path, position]),
      [
        ["/b/0", 5],
        ["/b/1", 0],
        ["/b/2", 0],
        ["/c~1d/e", 10],
      ],
    );
    assert.match(faults[1]!.message, /no "}}"/);
  });

  it("names the texts that are not known before it runs", () => {
    const { template } = compileTemplate({ a: "{{ params.n }}", b: { c: ["x", "y {{ params.day }}"] } });
    assert.deepEqual(template.dynamic, ["/a", "/b/c/1"]);
  });

  it("makes a new tree on every run", () => {
    const { template } = compileTemplate({ list: [1, { a: 2 }] });
    const first = template.render(scope) as { list: [number, { a: number }] };
    first.list[1].a = 99;
    assert.deepEqual(template.render(scope), { list: [1, { a: 2 }] });
  });

  it("bounds the text it makes", () => {
    const large = { params: { text: "a".repeat(1_000_000) } };
    const { template } = compileTemplate(
      Array.from({ length: 100 }, () => "x{{ params.text }}{{ params.text }}"),
    );
    assert.throws(() => template.render(large), /text around "{{ params\.text }}" can't be made/);
  });

  it("gives back any text that holds no double brace", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!text.includes("{{"));
        assert.equal(render(text), text);
      }),
    );
  });

  it("gives back any text that is put in as a CEL text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "'", '"', "\\", "/", "a", " ") }), (text) => {
        assert.equal(render(`<{{ ${JSON.stringify(text)} }}>`), `<${text}>`);
      }),
    );
  });

  it("compiles or refuses any text, and throws nothing else", () => {
    const unit = fc.constantFrom(
      "{{",
      "}}",
      "{",
      "}",
      "'",
      '"',
      "params",
      ".n",
      "steps",
      "(",
      ")",
      "+",
      "1",
      " ",
      "\\",
      "//",
      "[",
      "]",
      "map(x,",
      "?",
      ":",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
        const { faults } = compileTemplate(text);
        for (const fault of faults) assert.ok(fault.position <= text.length && fault.message.length > 5);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the names in a template", () => {
  const names = { earlier: ["fetch", "total"], later: ["here", "after"], params: ["day", "count"] };
  function faultsOf(text: string, within = names as Parameters<typeof checkNames>[1]): string[] {
    const { template, faults } = compileTemplate(text);
    assert.deepEqual(faults, []);
    return template.references.flatMap(({ references }) =>
      checkNames(references, within).map((f) => f.message),
    );
  }

  for (const text of [
    "{{ steps.fetch.output.body.x }}",
    "{{ steps['fetch'].status }}",
    "{{ has(steps.fetch) }}",
    "{{ params.day }} {{ params['count'] }} {{ params.day.foo }}",
    "{{ vars.anything }}",
    "{{ execution.startTime + job.name }}",
    "{{ params.map(steps, steps) }}",
    "{{ params[vars.x] }}",
  ]) {
    it(`are known in ${text}`, () => assert.deepEqual(faultsOf(text), []));
  }

  const wrong: [string, RegExp][] = [
    ["{{ steps.fetsh.output }}", /no step "fetsh"\. Did you mean "fetch"/],
    ["{{ steps['fetsh'].output }}", /no step "fetsh"/],
    ["{{ steps.?fetsh.output }}", /no step "fetsh"/],
    ["{{ has(steps.nope.output) }}", /no step "nope"/],
    ["{{ steps.after.output }}", /"after" comes later/],
    ["{{ steps.here.output }}", /can't refer to itself/],
    ["{{ steps.fetch.body }}", /steps\.fetch has no "body", only output, status/],
    ["{{ steps[params.day].output }}", /by its key/],
    ["{{ steps.map(x, x) }}", /by its key/],
    ["{{ params.conut }}", /no parameter "conut"/],
    ["{{ params.cout }}", /no parameter "cout"\. Did you mean "count"/],
    ["{{ vars.list.filter(x, params.dya == x) }}", /no parameter "dya"/],
    ["{{ execution.name }}", /execution has no "name"/],
    ["{{ job.owner }}", /job has no "owner"/],
  ];
  for (const [text, message] of wrong) {
    it(`are refused in ${text}`, () => {
      const faults = faultsOf(text);
      assert.equal(faults.length, 1, faults.join());
      assert.match(faults[0]!, message);
    });
  }

  it("may be any parameter when the schema lets others in", () => {
    assert.deepEqual(faultsOf("{{ params.anything }}", { ...names, params: undefined }), []);
  });
});
