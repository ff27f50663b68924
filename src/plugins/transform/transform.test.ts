import assert from "node:assert/strict";
import { after, test } from "node:test";
import { runStep } from "../../../test/helpers/step.ts";
import { createSandbox } from "../sandbox/pool.ts";
import { transform } from "./transform.ts";

const sandbox = createSandbox({ max: 1 });
const type = transform(sandbox);
after(() => sandbox.close());

function evaluate(expression: string, data?: unknown, timeLimitMs?: number, signal?: AbortSignal) {
  return runStep(type, { input: { expression, data, timeLimitMs }, signal });
}

test("evaluates JSONata on the data", async () => {
  const orders = {
    items: [
      { amount: 2, kind: "a" },
      { amount: 5, kind: "b" },
      { amount: 1, kind: "a" },
    ],
  };
  assert.equal(await evaluate("$sum(items.amount)", orders), 8);
  assert.deepEqual(await evaluate("items{kind: $count(amount)}", orders), { a: 2, b: 1 });
  assert.deepEqual(await evaluate("items^(>amount).amount", orders), [5, 2, 1]);
  assert.equal(await evaluate("$contains('abc', /b+/)"), true);
});

test("gives null for nothing, for no data and for what JSON can't hold", async () => {
  assert.equal(await evaluate("missing", { a: 1 }), null);
  assert.equal(await evaluate("$"), null);
  assert.equal(await evaluate("function($x) { $x }"), null);
  assert.deepEqual(await evaluate('{"f": function($x) { $x }, "n": 1}'), { n: 1 });
});

test("explains what went wrong and where, and does not ask for another try", async () => {
  await assert.rejects(evaluate("1 +\n 'a'"), {
    code: "TRANSFORM_FAILED",
    message:
      'The expression failed: The right side of the "+" operator must evaluate to a number (line 1, column 3).',
    retryable: false,
  });
  await assert.rejects(evaluate("$error('not today')"), { code: "TRANSFORM_FAILED", message: /not today/ });
});

test("finds an expression that can't be parsed at save, with its place", async () => {
  assert.deepEqual(await type.check!({ expression: "$sum(a" }), [
    {
      path: "/expression",
      message: 'can\'t be parsed: Expected ")" before end of expression (line 1, column 6).',
    },
  ]);
  assert.deepEqual(await type.check!({ expression: "a.b[c > 1]" }), []);
});

test("kills a runaway regular expression within its limit, and works on", async () => {
  const evil = '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)';
  const before = performance.now();
  await assert.rejects(evaluate(evil, null, 200), {
    code: "TIME_LIMIT",
    message: "The expression was stopped: it ran for more than its limit of 0.2 s.",
    retryable: false,
  });
  assert.ok(performance.now() - before < 2_000);
  assert.equal(await evaluate("1 + 1"), 2);
});

test("kills endless recursion and an endless regular expression in one that was stopped", async () => {
  await assert.rejects(evaluate("($f := function($x) { $f($x) }; $f(1))", null, 200), { code: "TIME_LIMIT" });
  const stop = new AbortController();
  const evil = evaluate(
    '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)',
    null,
    60_000,
    stop.signal,
  );
  setImmediate(() => stop.abort(new Error("stopped")));
  await assert.rejects(evil, { message: "stopped" });
});

// In a worker thread the first of these ended the whole process: V8 treats it as out of memory for good.
for (const bomb of [
  "[[1..9999999],[1..9999999],[1..9999999],[1..9999999]]",
  "($f := function($x) { $f($append($x, $x)) }; $f([1..1000]))",
]) {
  test(`outlives ${bomb}`, async () => {
    await assert.rejects(evaluate(bomb, null, 20_000), {
      code: "MEMORY_LIMIT",
      message: "The expression was stopped: it needed more memory than a sandbox has.",
      retryable: false,
    });
    assert.equal(await evaluate("1 + 1"), 2);
  });
}

test("refuses a result too large to hand over", async () => {
  await assert.rejects(evaluate("$pad('x', 9000000)"), { code: "OUTPUT_TOO_LARGE" });
});

test("can't reach what is outside: not the process, not a prototype, not the next run", async () => {
  assert.equal(await evaluate('{}.constructor.constructor("return process")()', {}), null);
  assert.equal(await evaluate("$sum.constructor", {}), null);
  assert.equal(await evaluate("$.__proto__", { a: 1 }), null);
  for (const expression of [
    "$ ~> |constructor.prototype|{'polluted': 1}|",
    "$merge([{'__proto__': {'polluted': 1}}])",
    "$ ~> |$lookup($, '__proto__')|{'polluted': 1}|",
    "$ ~> |$.__proto__|{'polluted': 1}|",
  ]) {
    await evaluate(expression, { a: 1 }).catch(() => {});
    assert.equal(await evaluate("polluted", {}), null, expression);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  }
});
