import { EvaluationError } from "./fault.ts";

/** What a value is, to an expression. There is one kind of number, that of JSON; `dyn` is "known when it runs". */
export type Kind =
  | "dyn"
  | "null"
  | "bool"
  | "number"
  | "string"
  | "bytes"
  | "list"
  | "map"
  | "timestamp"
  | "duration"
  | "optional"
  | "type";

/** A span of time, as `duration("90s")` makes it. */
export class Duration {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  toString(): string {
    return `${this.ms / 1000}s`;
  }
}

/** What `a.?b` gives: the value, or undefined for none. */
export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** What `type(x)` gives. */
export class TypeValue {
  readonly kind: string;
  constructor(kind: string) {
    this.kind = kind;
  }
}

export type Plain = Record<string, unknown>;

const KINDS: Record<string, Kind> = { string: "string", number: "number", boolean: "bool", bigint: "number" };

export function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return "null";
  if (typeof value !== "object") return KINDS[typeof value] ?? "dyn";
  if (Array.isArray(value)) return "list";
  if (value instanceof Date) return "timestamp";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Duration) return "duration";
  if (value instanceof Optional) return "optional";
  if (value instanceof TypeValue) return "type";
  return "map";
}

/** "a number", "a list" …: for messages. */
export function nounOf(kind: Kind): string {
  if (kind === "null" || kind === "bytes") return kind;
  return `${kind === "optional" ? "an" : "a"} ${kind}`;
}

/** Longest text that an expression may make. */
export const MAX_TEXT = 4 * 1024 * 1024;

// A unit is about the work of one small operation. The worst expression that stays within takes some tens of
// milliseconds (bench: docs/expressions.md); straight-line expressions on small values spend none.
const UNITS = 500_000;

/** One run of an expression, or of all those of a template: its scope, and the work that it may still do. */
export class Evaluation {
  readonly scope: Plain;
  readonly locals: unknown[] = [];
  #left = UNITS;

  constructor(scope: Plain) {
    this.scope = scope;
  }

  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0) {
      throw new OutOfBudget(
        "it needs more work than an expression may do; use a transform or script step for large data",
      );
    }
  }

  chargeText(length: number): void {
    if (length > MAX_TEXT) {
      throw new EvaluationError(`it makes a text of ${length} characters; ${MAX_TEXT} is the limit`);
    }
    if (length > 64) this.charge(length >> 6);
  }

  /**
   * The engine's own search is quadratic at its worst: a needle of half a megabyte in a megabyte took 27 s. Known
   * needles of a few characters stay cheap.
   */
  chargeSearch(text: string, needle: string): void {
    if (text.length > 64) this.charge(Math.ceil((text.length * Math.max(needle.length, 8)) / 4096));
  }
}

/** Never absorbed by `||` and `&&`, unlike other errors: an exhausted budget ends the evaluation. */
export class OutOfBudget extends EvaluationError {}

/** Deep equality as CEL has it: values of different kinds are not equal. */
export function equal(a: unknown, b: unknown, run: Evaluation): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  run.charge(1);
  const kind = kindOf(a);
  if (kind !== kindOf(b)) return false;
  switch (kind) {
    case "list":
      return listsEqual(a as unknown[], b as unknown[], run);
    case "map":
      return mapsEqual(a as Plain, b as Plain, run);
    case "timestamp":
      return (a as Date).getTime() === (b as Date).getTime();
    case "duration":
      return (a as Duration).ms === (b as Duration).ms;
    case "type":
      return (a as TypeValue).kind === (b as TypeValue).kind;
    case "optional":
      return equal((a as Optional).value, (b as Optional).value, run);
    case "bytes":
      run.charge((a as Uint8Array).length >> 6);
      return Buffer.compare(a as Uint8Array, b as Uint8Array) === 0;
    default:
      return false;
  }
}

function listsEqual(a: unknown[], b: unknown[], run: Evaluation): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    run.charge(1);
    if (!equal(a[i], b[i], run)) return false;
  }
  return true;
}

function mapsEqual(a: Plain, b: Plain, run: Evaluation): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    run.charge(1);
    if (!Object.hasOwn(b, key) || !equal(a[key], b[key], run)) return false;
  }
  return true;
}

const UNSAFE_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** Sets a key of a map that an expression makes; the names that JavaScript gives a meaning are refused. */
export function setKey(map: Plain, key: string, value: unknown): void {
  if (UNSAFE_KEYS.has(key)) throw new EvaluationError(`"${key}" can't be a key`);
  map[key] = value;
}

/** The result as JSON can hold it: times as ISO strings, bytes as base64, nothing that is not data. */
export function toJson(value: unknown, run: Evaluation): unknown {
  run.charge(1);
  switch (kindOf(value)) {
    case "null":
      return null;
    case "string":
      run.chargeText((value as string).length);
      return value;
    case "number":
      return finite(Number(value));
    case "bool":
      return value;
    case "list":
      return (value as unknown[]).map((item) => toJson(item, run));
    case "map":
      return mapToJson(value as Plain, run);
    case "timestamp":
      return timestampText(value as Date);
    case "duration":
      return `${value}`;
    case "bytes":
      run.chargeText((value as Uint8Array).length);
      return Buffer.from(value as Uint8Array).toString("base64");
    case "optional":
      return toJson((value as Optional).value, run);
    case "type":
      return (value as TypeValue).kind;
    default:
      throw new EvaluationError("it gives something that JSON can't hold");
  }
}

function mapToJson(map: Plain, run: Evaluation): Plain {
  const result: Plain = {};
  for (const key of Object.keys(map)) setKey(result, key, toJson(map[key], run));
  return result;
}

/** The number, unless it is one that JSON can't hold. */
export function finite(value: number): number {
  if (!Number.isFinite(value)) throw new EvaluationError("the number is too large");
  return value;
}

export function timestampText(value: Date): string {
  if (Number.isNaN(value.getTime())) throw new EvaluationError("the time is out of range");
  return value.toISOString();
}
