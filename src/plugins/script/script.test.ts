import assert from "node:assert/strict";
import { after, test } from "node:test";
import { runStep, type StepCall } from "../../../test/helpers/step.ts";
import { createSandbox } from "../sandbox/pool.ts";
import { script } from "./script.ts";

const sandbox = createSandbox({ max: 1 });
const type = script(sandbox);
after(() => sandbox.close());

interface Limits {
  input?: Record<string, unknown>;
  timeLimitMs?: number;
  memoryLimitMb?: number;
}

function run(source: string, limits: Limits = {}, call: Partial<StepCall> = {}) {
  return runStep(type, { ...call, input: { source, ...limits } });
}

test("gives what the function body returns", async () => {
  assert.deepEqual(await run("const a = [1, 2];\nreturn { sum: a[0] + a[1], text: 'x' + a.length };"), {
    sum: 3,
    text: "x2",
  });
  assert.equal(await run("return await Promise.resolve(7)"), 7);
  assert.equal(await run("const x = 1;"), null);
  assert.deepEqual(await run("return { f() {}, u: undefined, d: new Date(0) }"), {
    d: "1970-01-01T00:00:00.000Z",
  });
});

test("sees params, steps, vars, execution, job and its input, and not the changes of an earlier run", async () => {
  const scope = {
    params: { day: "2026-01-01" },
    steps: { fetch: { output: { n: 2 }, status: "COMPLETED" } },
    vars: { region: "eu" },
    execution: { id: "e1" },
    job: { name: "j" },
  };
  const source =
    "params.day += '!'; return [params.day, steps.fetch.output.n, vars.region, execution.id, job.name, input.z]";
  const expected = ["2026-01-01!", 2, "eu", "e1", "j", 26];
  assert.deepEqual(await run(source, { input: { z: 26 } }, { scope }), expected);
  assert.deepEqual(await run(source, { input: { z: 26 } }, { scope }), expected);
  assert.equal(scope.params.day, "2026-01-01");
});

test("starts afresh every time", async () => {
  await run(
    "globalThis.left = 1; Array.prototype.left = 1; Object.prototype.left = 1; JSON.stringify = () => '9'",
  );
  assert.deepEqual(await run("return [typeof left, typeof [].left, typeof {}.left, JSON.stringify([1])]"), [
    "undefined",
    "undefined",
    "undefined",
    "[1]",
  ]);
});

test("writes console lines to the step's log as they come", async () => {
  const lines: string[] = [];
  const stop = new AbortController();
  const log = (level: string, message: string) => {
    lines.push(`${level} ${message}`);
    if (message === "now") stop.abort(new Error("seen"));
  };
  const source = `
    console.log("a", 1, { b: [2] });
    console.warn(new TypeError("odd"));
    console.error(undefined, null);
    console.debug("now");
    while (true);`;
  await assert.rejects(run(source, { timeLimitMs: 60_000 }, { log, signal: stop.signal }), {
    message: "seen",
  });
  assert.deepEqual(lines, ['info a 1 {"b":[2]}', "warn TypeError: odd", "error undefined null", "debug now"]);
});

test("cuts a flood of lines short, and says so", async () => {
  const lines: string[] = [];
  const log = (_level: string, message: string) => lines.push(message);
  assert.equal(await run("for (let i = 0; i < 100000; i++) console.log(i); return 1", {}, { log }), 1);
  assert.equal(lines.length, 2_001);
  assert.match(lines.at(-1)!, /further lines are dropped/);
  lines.length = 0;
  await run("console.log('x'.repeat(1e6))", {}, { log });
  assert.equal(lines[0]!.length, 8_001);
});

for (const [what, source, message] of [
  ["a thrown error with its line", "let a = 1;\nthrow new Error('boom')", "Error: boom (line 2)"],
  ["an error of the engine", "return null.x", "TypeError: cannot read property 'x' of null (line 1)"],
  [
    "an error in a function",
    "function f() {\n  nope()\n}\nf()",
    "ReferenceError: 'nope' is not defined (line 2)",
  ],
  ["a syntax error", "let a = 1;\nlet b = ;", "SyntaxError: unexpected token in expression: ';' (line 2)"],
  ["a thrown string", "throw 'just text'", "it threw just text"],
  ["a thrown null", "throw null", "it threw null"],
  ["a thrown object", "throw { a: 1 }", "it threw an object that is not an Error"],
  ["a result that is a circle", "const a = {}; a.a = a; return a", "TypeError: circular reference"],
  ["a result that is a bigint", "return 10n", "TypeError: Do not know how to serialize a BigInt"],
  ["endless recursion", "const f = () => f() + 1; f()", "InternalError: stack overflow (line 1)"],
  ["recursion in the parser", "return eval('('.repeat(1e5))", "it recursed too deeply (stack overflow)"],
  [
    "a promise that stays open",
    "await new Promise(() => {})",
    "it awaits a promise that nothing will ever resolve",
  ],
] as const) {
  test(`explains ${what}`, async () => {
    await assert.rejects(run(source), {
      code: "SCRIPT_FAILED",
      message: `The script failed: ${message}.`,
      retryable: false,
    });
  });
}

for (const source of [
  "while (true);",
  "for (;;) await 0",
  "/^(a+)+$/.test('a'.repeat(40) + '!')",
  "while (true) try { while (true); } catch {}",
  "throw { get message() { while (true); } }",
  "return { toJSON() { while (true); } }",
  "return new Array(1e9).join('x')",
]) {
  test(`ends ${source} within its limit`, async () => {
    const before = performance.now();
    await assert.rejects(run(source, { timeLimitMs: 150 }), {
      code: "TIME_LIMIT",
      message: "The script was stopped: it ran for more than its limit of 0.15 s.",
      retryable: false,
    });
    assert.ok(performance.now() - before < 2_000);
  });
}

for (const source of [
  "const a = []; while (true) a.push(new Array(1000).fill(1))",
  "const a = []; while (true) a.push({ x: 1 })",
  "let s = []; while (true) s.push('x'.repeat(1000) + s.length)",
  "return new Uint8Array(1e9).length",
  "return 'x'.repeat(3e8)",
]) {
  test(`ends ${source} when memory is used up`, async () => {
    await assert.rejects(run(source, { memoryLimitMb: 32, timeLimitMs: 20_000 }), {
      code: "MEMORY_LIMIT",
      message: "The script was stopped: it needed more memory than its limit of 32 MiB.",
      retryable: false,
    });
    assert.equal(await run("return 1"), 1);
  });
}

test("gives a script as much memory as it was allowed, and no more", async () => {
  const source = "return new Uint8Array(100 * 2 ** 20).length";
  assert.equal(await run(source, { memoryLimitMb: 128 }), 100 * 2 ** 20);
  await assert.rejects(run(source, { memoryLimitMb: 64 }), { code: "MEMORY_LIMIT" });
});

test("can't reach what is outside: no process, modules, network, timers or prototypes of ours", async () => {
  const names = ["process", "require", "fetch", "setTimeout", "WebAssembly", "std", "os", "Buffer", "module"];
  assert.deepEqual(
    await run(`return [${names.map((name) => `typeof ${name}`)}]`),
    names.map(() => "undefined"),
  );
  await assert.rejects(run('return globalThis.constructor.constructor("return process")()'), {
    message: /'process' is not defined/,
  });
  await assert.rejects(run('return console.log.constructor("return process")()'), {
    message: /'process' is not defined/,
  });
  await assert.rejects(run('return await import("node:fs")'), { code: "SCRIPT_FAILED" });
  await run("({}).__proto__.polluted = 1; Object.prototype.toJSON = () => ({ polluted: 1 }); return {}");
  const output = await run('return JSON.parse(\'{"__proto__": {"polluted": 1}}\')');
  assert.equal(Object.getPrototypeOf(output), Object.prototype);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test("finds a syntax error at save, with its line, and runs nothing then", async () => {
  assert.deepEqual(await type.check!({ source: "let a = 1;\nreturn {" }), [
    { path: "/source", message: "can't be parsed: SyntaxError: expecting ';' (line 2)." },
  ]);
  assert.deepEqual(await type.check!({ source: "while (true); throw new Error('never')" }), []);
  assert.deepEqual(await type.check!({ source: "return 1 }); while (true); (async function () {" }), []);
});
