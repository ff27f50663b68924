// Runs in a sandbox process only.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  RELEASE_SYNC,
} from "quickjs-emscripten";
import type { LogLevel } from "../plugin.ts";
import { MAX_RESULT_CHARS, type SandboxOutcome } from "../sandbox/protocol.ts";
import { PRELUDE } from "./prelude.ts";

const FILE = "script.js";
const PAGES_PER_MB = 16;
// What QuickJS itself starts with; it is not counted against the script.
const BASE_MB = 16;
// Above about 190 KiB deep recursion overflows V8's stack first, and that a script can't catch.
const STACK_BYTES = 128 * 1024;
const CHECK_LIMIT_MS = 1_000;
const MAX_LINES = 2_000;
const MAX_LINE_CHARS = 8_000;
const MAX_LOG_CHARS = 512 * 1024;

interface Script {
  source: string;
  globals: Record<string, string>;
  memoryLimitMb: number;
  timeLimitMs: number;
}

interface Machine {
  context: QuickJSContext;
  isFull(): boolean;
  isLate(): boolean;
}

type Write = (level: LogLevel, message: string) => void;

// TypeScript knows it only as a part of the DOM.
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
};

let compiled: Promise<object> | undefined;

/** Runs the body of a function and answers what it returns, as JSON. Each run has an interpreter of its own. */
export async function runScript(script: Script, write: Write): Promise<SandboxOutcome> {
  const machine = await newMachine(script.memoryLimitMb, script.timeLimitMs);
  const { context } = machine;
  const limits = `${script.timeLimitMs / 1000} s`;
  try {
    const prelude = context.unwrapResult(context.evalCode(PRELUDE, "prelude.js"));
    const given = Object.entries(script.globals).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
    const stringify = call(context, prelude, [
      context.newFunction("write", consoleOf(context, write)),
      context.newString(`{${given.join(",")}}`),
    ]);
    const body = context.evalCode(wrapped(script.source), FILE);
    if (body.error) throw new Thrown(body.error);
    const promise = call(context, body.value, []);
    const jobs = context.runtime.executePendingJobs();
    if (jobs.error) throw new Thrown(jobs.error);
    const state = context.getPromiseState(promise);
    if (state.type === "pending") {
      return failed("it awaits a promise that nothing will ever resolve", undefined);
    }
    if (state.type === "rejected") throw new Thrown(state.error);
    const json = call(context, stringify, [state.value]);
    if (context.typeof(json) !== "string") return { json: "null" };
    if (context.getNumber(context.getProp(json, "length")) > MAX_RESULT_CHARS) {
      return { code: "OUTPUT_TOO_LARGE", message: `it returned more than ${MAX_RESULT_CHARS} characters` };
    }
    return { json: context.getString(json) };
  } catch (error) {
    return explain(error, machine, script, limits);
  }
}

/** Compiles and does not run. */
export async function checkScript({ source }: { source: string }): Promise<SandboxOutcome> {
  const machine = await newMachine(64, CHECK_LIMIT_MS);
  try {
    const result = machine.context.evalCode(wrapped(source), FILE, { compileOnly: true });
    if (result.error) throw new Thrown(result.error);
    return { json: "null" };
  } catch (error) {
    const script = { source, globals: {}, memoryLimitMb: 64, timeLimitMs: CHECK_LIMIT_MS };
    return explain(error, machine, script, "1 s");
  }
}

class Thrown extends Error {
  readonly handle: QuickJSHandle;
  constructor(handle: QuickJSHandle) {
    super("thrown in the script");
    this.handle = handle;
  }
}

// The interpreter is not disposed of: it goes with its memory, which nothing refers to after the run.
async function newMachine(memoryLimitMb: number, timeLimitMs: number): Promise<Machine> {
  compiled ??= compile();
  const wasmModule = await compiled;
  // setMemoryLimit does not hold: small arrays took 842 MB past a limit of 64 MiB. The memory itself can't grow past this.
  const pages = (BASE_MB + memoryLimitMb) * PAGES_PER_MB;
  const wasmMemory = new WebAssembly.Memory({ initial: BASE_MB * PAGES_PER_MB, maximum: pages });
  const variant = newVariant(RELEASE_SYNC, { wasmModule, wasmMemory });
  const runtime = (await newQuickJSWASMModuleFromVariant(variant)).newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const deadline = Date.now() + timeLimitMs;
  runtime.setInterruptHandler(() => Date.now() > deadline);
  return {
    context: runtime.newContext(),
    isFull: () => wasmMemory.buffer.byteLength > 0.9 * pages * 65_536,
    isLate: () => Date.now() > deadline,
  };
}

async function compile(): Promise<object> {
  // From where quickjs-emscripten is: it is that package's dependency, not ours.
  const library = createRequire(import.meta.url).resolve("quickjs-emscripten");
  const path = createRequire(library).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
  return WebAssembly.compile(await readFile(path));
}

function wrapped(source: string): string {
  return `(async function () {\n${source}\n})`;
}

function call(context: QuickJSContext, target: QuickJSHandle, values: QuickJSHandle[]): QuickJSHandle {
  const result = context.callFunction(target, context.undefined, ...values);
  if (result.error) throw new Thrown(result.error);
  return result.value;
}

function consoleOf(context: QuickJSContext, write: Write) {
  let lines = 0;
  let chars = 0;
  return (level: QuickJSHandle, message: QuickJSHandle) => {
    if (lines >= MAX_LINES || chars > MAX_LOG_CHARS) return;
    const text = context.getString(message);
    const cut = text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}…` : text;
    chars += cut.length;
    write(context.getString(level) as LogLevel, cut);
    if (++lines >= MAX_LINES || chars > MAX_LOG_CHARS) {
      write("warn", "This script has written all that it may; further lines are dropped.");
    }
  };
}

function explain(error: unknown, machine: Machine, script: Script, limit: string): SandboxOutcome {
  const memory: SandboxOutcome = {
    code: "MEMORY_LIMIT",
    message: `it needed more memory than its limit of ${script.memoryLimitMb} MiB`,
  };
  if (!(error instanceof Thrown)) {
    if (machine.isFull()) return memory;
    if (error instanceof RangeError) return failed("it recursed too deeply (stack overflow)", undefined);
    return failed(error instanceof Error ? error.message : String(error), undefined);
  }
  const { context } = machine;
  let fault: Fault | undefined;
  try {
    fault = describe(context, error.handle);
  } catch {
    // Even to read it there was no memory or time left.
  }
  if (machine.isLate() && (fault?.name === undefined || fault.message === "interrupted")) {
    return { code: "TIME_LIMIT", message: `it ran for more than its limit of ${limit}` };
  }
  if (fault === undefined) return memory;
  const outOfMemory = fault.name === "InternalError" && fault.message === "out of memory";
  if (outOfMemory || (machine.isFull() && fault.name === undefined)) return memory;
  const lines = script.source.split("\n").length;
  const line = fault.line === undefined ? undefined : Math.min(lines, Math.max(1, fault.line - 1));
  return failed(fault.name ? `${fault.name}: ${fault.message}` : fault.message, line);
}

function failed(message: string, line: number | undefined): SandboxOutcome {
  return { code: "FAILED", message: message + (line === undefined ? "" : ` (line ${line})`) };
}

interface Fault {
  name?: string;
  message: string;
  /** In the wrapped source. */
  line?: number;
}

/** What was thrown, read with care: it may be any value, getters included. */
function describe(context: QuickJSContext, thrown: QuickJSHandle): Fault {
  const read = (name: string) => {
    const handle = context.getProp(thrown, name);
    return context.typeof(handle) === "string" ? context.getString(handle).slice(0, 2_000) : undefined;
  };
  if (context.typeof(thrown) !== "object" || context.eq(thrown, context.null)) {
    return { message: `it threw ${context.getString(thrown).slice(0, 2_000)}` };
  }
  const message = read("message");
  const place = new RegExp(`\\b${FILE}:(\\d+)`).exec(read("stack") ?? "");
  const line = place ? Number(place[1]) : undefined;
  if (message === undefined) return { message: "it threw an object that is not an Error", line };
  return { name: read("name"), message, line };
}
