import { EvaluationError } from "./fault.ts";
import { durationGetters, parseDuration, parseTimestamp, timeGetters } from "./time-functions.ts";
import {
  Duration,
  type Evaluation,
  finite,
  type Kind,
  kindOf,
  MAX_TEXT,
  TypeValue,
  timestampText,
} from "./values.ts";

/** One function: what each argument may be (for a method the receiver is the first), and what it gives. */
export interface Builtin {
  takes: readonly Kind[][];
  /** How many of them must be there. */
  required: number;
  gives: Kind;
  run(e: Evaluation, args: unknown[]): unknown;
}

/** `"string", "number", "number?"`; `|` between kinds. */
function builtin(
  signature: string[],
  gives: Kind,
  run: (e: Evaluation, ...args: never[]) => unknown,
): Builtin {
  return {
    takes: signature.map((kinds) => kinds.replace("?", "").split("|") as Kind[]),
    required: signature.filter((kinds) => !kinds.endsWith("?")).length,
    gives,
    run: (e, args) => (run as (e: Evaluation, ...args: unknown[]) => unknown)(e, ...args),
  };
}

const size = builtin(["string|bytes|list|map"], "number", (e, value: string | unknown[] | object) => {
  if (typeof value === "string") {
    e.charge(value.length >> 4);
    let count = 0;
    for (const _ of value) count++;
    return count;
  }
  return Array.isArray(value) || value instanceof Uint8Array ? value.length : Object.keys(value).length;
});

function number(text: string): number {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new EvaluationError(`${quote(text)} is not a number`);
  return value;
}

function toInt(value: unknown): number {
  if (value instanceof Date) return Math.floor(value.getTime() / 1000);
  const whole = Math.trunc(typeof value === "string" ? number(value.slice(0, 400)) : Number(value));
  if (!Number.isSafeInteger(whole)) throw new EvaluationError(`${whole} is too large to be exact`);
  return whole;
}

function toText(value: unknown): string {
  if (value instanceof Date) return timestampText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return `${value}`;
}

const BOOLS: Record<string, boolean> = { true: true, false: false, "1": true, "0": false };

function toBool(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const known = BOOLS[String(value).toLowerCase()];
  if (known === undefined) throw new EvaluationError(`${quote(String(value))} is neither true nor false`);
  return known;
}

export const functions: Record<string, Builtin> = {
  size,
  string: builtin(
    ["string|number|bool|bytes|timestamp|duration"],
    "string",
    (e, value: { length?: number }) => {
      e.chargeText(value.length ?? 0);
      return toText(value);
    },
  ),
  int: builtin(["number|string|timestamp"], "number", (_, value: unknown) => toInt(value)),
  double: builtin(["number|string"], "number", (_, value: unknown) =>
    typeof value === "string" ? number(value.slice(0, 400)) : value,
  ),
  bool: builtin(["bool|string"], "bool", (_, value: unknown) => toBool(value)),
  bytes: builtin(["string|bytes"], "bytes", (e, value: string | Uint8Array) => {
    e.chargeText(value.length);
    return typeof value === "string" ? new Uint8Array(Buffer.from(value, "utf8")) : value;
  }),
  timestamp: builtin(["string|number|timestamp"], "timestamp", (e, value: unknown) => {
    e.charge(5);
    return value instanceof Date ? value : parseTimestamp(value);
  }),
  duration: builtin(["string|duration"], "duration", (e, value: unknown) => {
    e.charge(10);
    return value instanceof Duration ? value : parseDuration(String(value));
  }),
  dyn: builtin(["dyn"], "dyn", (_, value: unknown) => value),
  type: builtin(["dyn"], "type", (_, value: unknown) => new TypeValue(kindOf(value))),
};

export const mathFunctions: Record<string, Builtin> = {
  abs: builtin(["number"], "number", (_, x: number) => Math.abs(x)),
  ceil: builtin(["number"], "number", (_, x: number) => Math.ceil(x)),
  floor: builtin(["number"], "number", (_, x: number) => Math.floor(x)),
  // Halves away from zero, as CEL's math extension has it; Math.round takes -2.5 to -2.
  round: builtin(["number"], "number", (_, x: number) => Math.sign(x) * Math.round(Math.abs(x))),
  trunc: builtin(["number"], "number", (_, x: number) => Math.trunc(x)),
  greatest: builtin(["number|list", "number?", "number?"], "number", (e, ...args: (number | unknown[])[]) =>
    numbersOf(e, args).reduce((a, b) => Math.max(a, b)),
  ),
  least: builtin(["number|list", "number?", "number?"], "number", (e, ...args: (number | unknown[])[]) =>
    numbersOf(e, args).reduce((a, b) => Math.min(a, b)),
  ),
};

function numbersOf(e: Evaluation, args: (number | unknown[])[]): number[] {
  const all = Array.isArray(args[0]) ? args[0] : args;
  e.charge(all.length);
  if (all.length === 0) throw new EvaluationError("the list is empty");
  for (const item of all) {
    if (typeof item !== "number") throw new EvaluationError("the list holds something that is not a number");
  }
  return all as number[];
}

export const methods: Record<string, Builtin> = {
  size,
  contains: builtin(["string", "string"], "bool", (e, text: string, part: string) => {
    e.chargeSearch(text, part);
    return text.includes(part);
  }),
  startsWith: builtin(["string", "string"], "bool", (_, text: string, part: string) => text.startsWith(part)),
  endsWith: builtin(["string", "string"], "bool", (_, text: string, part: string) => text.endsWith(part)),
  lowerAscii: builtin(["string"], "string", (e, text: string) => {
    e.chargeText(text.length);
    return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  }),
  upperAscii: builtin(["string"], "string", (e, text: string) => {
    e.chargeText(text.length);
    return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
  }),
  trim: builtin(["string"], "string", (e, text: string) => {
    e.chargeText(text.length);
    return text.trim();
  }),
  charAt: builtin(["string", "number"], "string", (_, text: string, at: number) => {
    const index = offset(text, at, "charAt");
    return text.slice(index, index + 1);
  }),
  indexOf: builtin(["string", "string", "number?"], "number", (e, text: string, part: string, from = 0) => {
    e.chargeSearch(text, part);
    return text.indexOf(part, offset(text, from, "indexOf"));
  }),
  lastIndexOf: builtin(
    ["string", "string", "number?"],
    "number",
    (e, text: string, part: string, from?: number) => {
      e.chargeSearch(text, part);
      return text.lastIndexOf(part, from === undefined ? undefined : offset(text, from, "lastIndexOf"));
    },
  ),
  substring: builtin(
    ["string", "number", "number?"],
    "string",
    (_, text: string, from: number, to?: number) => {
      const start = offset(text, from, "substring");
      const end = to === undefined ? text.length : offset(text, to, "substring");
      if (end < start) throw new EvaluationError("substring() ends before it starts");
      return text.slice(start, end);
    },
  ),
  replace: builtin(["string", "string", "string"], "string", (e, text: string, part: string, by: string) => {
    const pieces = splitText(e, text, part, -1);
    e.chargeText(text.length + (pieces.length - 1) * (by.length - part.length));
    return pieces.join(by);
  }),
  split: builtin(["string", "string", "number?"], "list", (e, text: string, part: string, limit = -1) =>
    splitText(e, text, part, limit),
  ),
  join: builtin(["list", "string?"], "string", (e, list: unknown[], by = "") => {
    e.charge(list.length);
    let length = Math.max(0, list.length - 1) * by.length;
    for (const item of list) {
      if (typeof item !== "string") {
        throw new EvaluationError("join() takes a list of strings; turn the others into text with string()");
      }
      length += item.length;
    }
    e.chargeText(length);
    return list.join(by);
  }),
  base64: builtin(["bytes"], "string", (e, bytes: Uint8Array) => {
    e.chargeText(bytes.length);
    return Buffer.from(bytes).toString("base64");
  }),
  hex: builtin(["bytes"], "string", (e, bytes: Uint8Array) => {
    e.chargeText(bytes.length);
    return Buffer.from(bytes).toString("hex");
  }),
};

for (const [name, get] of Object.entries(timeGetters)) {
  const span = durationGetters[name];
  methods[name] = builtin(
    [span ? "timestamp|duration" : "timestamp", "string?"],
    "number",
    (e, value: Date | Duration, zone?: string) => {
      // A named zone costs microseconds, not nanoseconds.
      if (zone !== undefined) e.charge(100);
      return value instanceof Duration ? span!(value) : get(value, zone);
    },
  );
}

function splitText(e: Evaluation, text: string, part: string, limit: number): string[] {
  e.chargeSearch(text, part);
  // Counted before it is split: a text of one megabyte would become a million strings.
  const most = part === "" ? text.length : Math.floor(text.length / part.length) + 1;
  if (most > 1000) e.charge(Math.min(most, MAX_TEXT) >> 3);
  if (limit === 0) return [];
  const pieces = text.split(part);
  e.charge(pieces.length);
  if (limit < 0 || pieces.length <= limit) return pieces;
  return [...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(part)];
}

function offset(text: string, at: number, name: string): number {
  if (!Number.isInteger(at) || at < 0 || at > text.length) {
    throw new EvaluationError(`${name}() is given ${finite(at)}, and the text has ${text.length} characters`);
  }
  return at;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
