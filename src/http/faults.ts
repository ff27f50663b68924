import type { TSchema } from "typebox";
import type { TLocalizedValidationError as SchemaError } from "typebox/error";
import type { FaultDetail } from "../contract/errors.ts";
import { patternWords } from "../contract/shapes.ts";
import { didYouMean } from "../lib/did-you-mean.ts";

/** What TypeBox found, for people: one fault a place, in the order of the schema, without the echoes of keywords around it. */
export function faultsFrom(
  errors: SchemaError[],
  schema: TSchema,
  value: unknown,
  prefix: string,
): FaultDetail[] {
  const faults: FaultDetail[] = [];
  const seen = new Set<string>();
  for (const error of settleAlternatives(errors)) {
    for (const fault of describe(error, schema, value)) {
      const path = join(prefix, fault.path);
      const key = `${path}\n${fault.message}`;
      if (!seen.has(key)) faults.push({ path, message: fault.message });
      seen.add(key);
    }
  }
  return faults;
}

/** `query` and `/size` make `query/size`; a body has no prefix. */
function join(prefix: string, pointer: string): string {
  return prefix === "" ? pointer : `${prefix}${pointer}`;
}

type Fault =
  | SchemaError
  | { keyword: "types"; schemaPath: string; instancePath: string; params: { types: string[] } };

/** The faults under one branch of an `anyOf`; `end` is where its number ends in their schema paths. */
interface Alternative {
  end: number;
  errors: SchemaError[];
}

/**
 * An `anyOf` reports the faults of every alternative. Kept are those of the alternative that the value is nearest to: of
 * the right type, with the fewest faults. When none has the right type, one fault names all the types.
 * @param from where in the schema paths to look on: what is before is settled
 */
function settleAlternatives(errors: SchemaError[], from = 0): Fault[] {
  const settled: Fault[] = [];
  const groups = new Map<string, Map<string, Alternative>>();
  for (const error of errors) {
    // Said again by the faults below it.
    if (error.keyword === "anyOf" || error.keyword === "additionalProperties") continue;
    const match = /\/anyOf\/\d+/.exec(error.schemaPath.slice(from));
    if (match === null) {
      settled.push(error);
      continue;
    }
    const end = from + match.index + match[0].length;
    // Items of one array share a schema path: the place in the value keeps their alternatives apart.
    const group = `${error.schemaPath.slice(0, from + match.index)}\n${placeOfAlternatives(error, end)}`;
    const alternatives = groups.get(group) ?? new Map<string, Alternative>();
    const alternative = alternatives.get(match[0]) ?? { end, errors: [] };
    alternative.errors.push(error);
    groups.set(group, alternatives.set(match[0], alternative));
  }
  for (const alternatives of groups.values()) settled.push(...nearestOf([...alternatives.values()]));
  return settled;
}

/** The place in the value that the alternatives are about: the fault's own, less the steps that the schema path takes after. */
function placeOfAlternatives(error: SchemaError, end: number): string {
  const below = error.schemaPath.slice(end);
  const steps =
    below.match(/\/(?:properties|patternProperties)\/[^/]*|\/items|\/additionalProperties/g) ?? [];
  const parts = error.instancePath.split("/");
  return parts.slice(0, Math.max(1, parts.length - steps.length)).join("/");
}

function nearestOf(alternatives: Alternative[]): Fault[] {
  const fitting = alternatives.filter((alternative) => !isTypeMismatch(alternative));
  if (fitting.length === 0) {
    const { schemaPath, instancePath } = alternatives[0]!.errors[0]!;
    const types = alternatives.flatMap(
      ({ errors }) => (errors[0]!.params as { type: string | string[] }).type,
    );
    return [{ keyword: "types", schemaPath, instancePath, params: { types } }];
  }
  const nearest = fitting.reduce((best, next) => (next.errors.length < best.errors.length ? next : best));
  return settleAlternatives(nearest.errors, nearest.end);
}

function isTypeMismatch({ end, errors }: Alternative): boolean {
  return errors.length === 1 && errors[0]!.keyword === "type" && errors[0]!.schemaPath.length === end;
}

function describe(error: Fault, schema: TSchema, value: unknown): FaultDetail[] {
  const at = error.instancePath;
  const one = (message: string): FaultDetail[] => [{ path: at, message }];
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map((name) => ({
        path: `${at}/${name}`,
        message: "is required.",
      }));
    // The only schema that is `false` is that of fields which are not in the list.
    case "boolean": {
      const known = Object.keys(
        nodeAt(schema, error.schemaPath.replace(/\/additionalProperties$/, ""))?.properties ?? {},
      );
      return one(`is not a known field.${didYouMean(unescaped(at.split("/").at(-1)!), known)}`);
    }
    case "types":
      return one(`must be ${listed(error.params.types.map(article))}.`);
    case "type":
      return one(`must be ${listed([error.params.type].flat().map(article))}.`);
    case "enum": {
      const values = error.params.allowedValues.map(String);
      const given = valueAt(value, at);
      const hint = typeof given === "string" ? didYouMean(given, values) : "";
      return one(`must be one of ${values.join(", ")}.${hint}`);
    }
    case "const":
      return one(`must be ${JSON.stringify(error.params.allowedValue)}.`);
    case "format":
      return one(`must be ${formats[error.params.format] ?? `in the format ${error.params.format}`}.`);
    case "pattern":
      return one(
        patternWords[String(error.params.pattern)] ?? `must match the pattern ${error.params.pattern}`,
      );
    case "minLength":
      return one(
        error.params.limit === 1
          ? "must not be empty."
          : `must have ${error.params.limit} characters or more.`,
      );
    case "maxLength":
      return one(`must have ${error.params.limit} characters at most.`);
    case "minItems":
      return one(`must have ${error.params.limit} ${error.params.limit === 1 ? "item" : "items"} or more.`);
    case "maxItems":
      return one(`must have ${error.params.limit} items at most.`);
    case "minimum":
      return one(`must be ${error.params.limit} or more.`);
    case "maximum":
      return one(`must be ${error.params.limit} or less.`);
    case "uniqueItems":
      return one("must not have the same item twice.");
    default:
      return one(`${error.message}.`);
  }
}

const formats: Record<string, string> = {
  uuid: "a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057",
  "date-time": "a time such as 2026-01-31T09:30:00.000Z",
  date: "a date such as 2026-01-31",
};

function article(type: string): string {
  if (type === "null") return "null";
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function listed(words: string[]): string {
  const unique = [...new Set(words)];
  return unique.length < 2 ? unique.join("") : `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`;
}

type SchemaNode = { properties?: Record<string, unknown> };

function nodeAt(schema: TSchema, schemaPath: string): SchemaNode | undefined {
  let node: unknown = schema;
  for (const part of schemaPath.split("/").slice(1))
    node = (node as Record<string, unknown> | undefined)?.[part];
  return node as SchemaNode | undefined;
}

function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of pointer.split("/").slice(1)) {
    at = (at as Record<string, unknown> | null)?.[unescaped(part)];
  }
  return at;
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
