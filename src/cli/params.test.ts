import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { CliError } from "./exit.ts";
import { readParameters } from "./params.ts";

const schema = {
  type: "object",
  properties: {
    day: { type: "string" },
    count: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "number" } },
    "dotted.name": { type: "string" },
    filter: { type: "object", properties: { year: { type: "string" } } },
  },
};

/** Through JSON, as it travels. */
function read(...pairs: string[]): unknown {
  return JSON.parse(JSON.stringify(readParameters(pairs, undefined, schema)));
}

describe("parameters of the command line", () => {
  const cases: [string, string[], unknown][] = [
    [
      "reads JSON where it parses",
      ["count=3", "a=true", "b=null", 'c={"d":1}'],
      { count: 3, a: true, b: null, c: { d: 1 } },
    ],
    [
      "takes anything else as text",
      ["a=hello world", "b=3 apples", "c="],
      { a: "hello world", b: "3 apples", c: "" },
    ],
    ["keeps what follows the first equals sign", ["a=b=c"], { a: "b=c" }],
    [
      "keeps text where the schema wants text",
      ["day=2026", "filter.year=2026"],
      { day: "2026", filter: { year: "2026" } },
    ],
    ["unquotes a JSON string", ['day="2026"', 'x="5"'], { day: "2026", x: "5" }],
    ["sets fields of objects by dots", ["a.b.c=1", "a.b.d=2"], { a: { b: { c: 1, d: 2 } } }],
    ["prefers a property of the schema that has a dot", ["dotted.name=1"], { "dotted.name": "1" }],
    ["makes a list of a repeated name", ["a=1", "a=2", "a=3"], { a: [1, 2, 3] }],
    [
      "makes a list where the schema wants one",
      ["tags=1", "sizes=1", "sizes=2"],
      { tags: ["1"], sizes: [1, 2] },
    ],
    ["takes a whole list as JSON", ['tags=["a","b"]'], { tags: ["a", "b"] }],
  ];
  for (const [promise, pairs, expected] of cases) {
    it(promise, () => assert.deepEqual(read(...pairs), expected));
  }

  it("passes on a hostile name as a plain name, for Pawl to refuse", () => {
    assert.equal(JSON.stringify(readParameters(["__proto__=1"], undefined, schema)), '{"__proto__":1}');
    readParameters(["__proto__.polluted=1", "constructor.prototype.polluted=1"], undefined, schema);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  it("refuses what is not name=value", () => {
    for (const bad of ["day", "=1", "a..b=1", ".a=1"]) {
      assert.throws(
        () => read(bad),
        (error) => error instanceof CliError && error.exit === "usage",
        bad,
      );
    }
  });
});

describe("a file of parameters", () => {
  let directory: string;
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  before(() => {
    directory = mkdtempSync(join(tmpdir(), "pawl-params-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  it("is YAML or JSON, and the command line wins over it", () => {
    const file = write("a.yaml", "day: monday\nfilter:\n  year: '2025'\n  region: EU\ntags: [a]\n");
    const values = readParameters(["filter.year=2026", "tags=b"], file, schema);
    assert.deepEqual(JSON.parse(JSON.stringify(values)), {
      day: "monday",
      filter: { year: "2026", region: "EU" },
      tags: ["b"],
    });
  });

  it("is refused in a sentence when it is missing, broken or not an object", () => {
    const files = [
      join(directory, "none"),
      write("b.json", "{"),
      write("c.json", "[1]"),
      write("d.yaml", ""),
    ];
    for (const file of files) {
      assert.throws(
        () => readParameters([], file, schema),
        (error) => error instanceof CliError && error.exit === "usage" && error.message.includes(file),
      );
    }
  });
});
