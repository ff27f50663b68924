import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonFaults, parseLimitedJson } from "./json-limits.ts";

const faultsOf = (text: string) => parseLimitedJson(text).faults;
const paths = (text: string) => faultsOf(text).map((fault) => fault.path);

test("keeps ordinary JSON as it is", () => {
  const text = '{"a":[1,-2.5,1e300,"\\u00e9\\ud83d\\ude00",null,true],"0":{"":9007199254740991}}';
  assert.deepEqual(parseLimitedJson(text), { value: JSON.parse(text), faults: [] });
  for (const scalar of ["1", '"a"', "null", "true", "[]", "{}"]) assert.deepEqual(faultsOf(scalar), []);
});

const refused: [string, string, string][] = [
  ["NUL in a string", '{"a":["\\u0000"]}', "/a/0"],
  ["NUL in a key", '{"a\\u0000":1}', ""],
  ["a lone high surrogate", '{"a":"x\\ud800"}', "/a"],
  ["a lone low surrogate", '["\\udc00"]', "/0"],
  ["surrogates in the wrong order", '["\\udc00\\ud800"]', "/0"],
  ["a lone surrogate in a key", '{"b":{"\\ud800":1}}', "/b"],
  ["a number beyond the range", '{"n":1e400}', "/n"],
  ["a negative number beyond the range", '{"n":-1e400}', "/n"],
  ["a whole number of 400 digits", `{"n":${"9".repeat(400)}}`, "/n"],
  ["an integer that loses digits", '{"a":[1,{"n":9007199254740993}]}', "/a/1/n"],
  ["a negative integer that loses digits", "[-12345678901234567890]", "/0"],
  ["a number that would become zero", '{"n":1e-400}', "/n"],
  ["__proto__ as a key", '{"a":{"__proto__":{"x":1}}}', "/a/__proto__"],
  ["__proto__ in disguise", '{"\\u005f_proto__":1}', "/__proto__"],
  ["constructor as a key", '{"constructor":{"prototype":1}}', "/constructor"],
  ["prototype as a key", '[{"prototype":1}]', "/0/prototype"],
  ["a path that needs escapes", '{"a/b~c":"\\u0000"}', "/a~1b~0c"],
];
for (const [what, text, path] of refused) {
  test(`refuses ${what}, with its path`, () => {
    assert.equal(paths(text)[0], path);
    assert.match(faultsOf(text)[0]!.message, /^(is|has|contains) .+\.$/);
  });
}

test("keeps long integers that are exact, and long digits in strings", () => {
  assert.deepEqual(faultsOf('[9007199254740992, 1000000000000000000000, "9007199254740993", 0e-999]'), []);
});

test("accepts 64 levels and refuses 65", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assert.deepEqual(faultsOf(nested(64)), []);
  assert.match(faultsOf(nested(65))[0]!.message, /deeper than 64/);
  assert.match(faultsOf(nested(500_000))[0]!.message, /deeper than 64/);
  assert.match(faultsOf(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`)[0]!.message, /deeper than 64/);
});

test("lists several faults in the order of the text, and stops somewhere", () => {
  assert.deepEqual(paths('{"a":"\\u0000","b":1e999,"c":{"constructor":1}}'), ["/a", "/b", "/c/constructor"]);
  assert.equal(faultsOf(`[${Array(1000).fill("1e999").join(",")}]`).length, 20);
});

test("refuses what other parsers make and JSON can't say", () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  for (const value of [new Date(), new Map(), 1n, undefined, Symbol("x"), () => 1, Number.NaN, cyclic]) {
    assert.equal(jsonFaults({ value }).length > 0, true, String(typeof value));
  }
  assert.deepEqual(jsonFaults(Object.assign(Object.create(null), { a: 1 })), []);
});

test("refuses aliases that expand without end, soon", () => {
  let laugh: unknown[] = ["ha"];
  for (let i = 0; i < 30; i++) laugh = Array(10).fill(laugh);
  assert.match(jsonFaults(laugh)[0]!.message, /more than 1000000 values/);
});
