import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Settings } from "typebox/system";
import { ApiError, type FaultDetail } from "../contract/errors.ts";
import { faultsFrom } from "./faults.ts";
import { compileFill } from "./fill.ts";

// TypeBox stops at 8 by default; a person who mends a job wants the whole list.
Settings.Set({ maxErrors: 200 });

const MAX_DETAILS = 100;
const MAX_TEXT = 500;

/** A compiled schema: fills in defaults, then lists what is wrong; an empty list means that the value fits. */
export interface Checker<T extends TSchema> {
  schema: T;
  faults(value: unknown, prefix?: string): FaultDetail[];
}

/** Compiles a schema when it is first used: those of all routes would take a tenth of a server's start. */
export function checker<T extends TSchema>(schema: T): Checker<T> {
  let parts: ReturnType<typeof compile> | undefined;
  return {
    schema,
    faults(value, prefix = "") {
      parts ??= compile(schema);
      const { compiled, fill } = parts;
      fill?.(value);
      if (compiled.Check(value)) return [];
      const long = tooLong(schema, value, prefix);
      if (long.length > 0) return long;
      return faultsFrom(compiled.Errors(value), schema, value, prefix);
    },
  };
}

function compile(schema: TSchema) {
  return { compiled: Compile(schema), fill: compileFill(schema) };
}

/**
 * Lists over their limit. The rest is not looked at then: to explain what is wrong takes ten times as long as to see that
 * something is, and a body can hold hundreds of thousands of items.
 */
function tooLong(schema: TSchema, value: unknown, prefix: string): FaultDetail[] {
  const { properties } = schema as { properties?: Record<string, { maxItems?: number }> };
  if (properties === undefined || typeof value !== "object" || value === null) return [];
  return Object.entries(properties).flatMap(([name, { maxItems = Number.POSITIVE_INFINITY }]) => {
    const list = (value as Record<string, unknown>)[name];
    if (!Array.isArray(list) || list.length <= maxItems) return [];
    return [{ path: `${prefix}/${name}`, message: `must have ${maxItems} items at most.` }];
  });
}

const compiled = new WeakMap<TSchema, Checker<TSchema>>();

/** Checks a value that came another way than as the JSON body (YAML, a form), with defaults applied in place. */
export function validate<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const check = compiled.get(schema) ?? checker(schema);
  compiled.set(schema, check);
  throwFaults(check.faults(value));
  return value as Static<T>;
}

/** Throws the one error that lists all the faults, if there are any. */
export function throwFaults(faults: FaultDetail[]): void {
  if (faults.length === 0) return;
  const details = faults
    .slice(0, MAX_DETAILS)
    .map(({ path, message }) => ({ path: cut(path), message: cut(message) }));
  const [first] = details;
  const more = details.length === 1 ? "" : ` (and ${details.length - 1} more, see details)`;
  const place = first!.path === "" ? "The body" : first!.path;
  throw new ApiError("VALIDATION_FAILED", `The request is not valid: ${place} ${first!.message}${more}`, {
    details,
  });
}

/** Names in a body can be as long as the body. */
function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`;
}
