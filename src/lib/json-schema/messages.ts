import type { ErrorObject } from "ajv";
import { didYouMean } from "../did-you-mean.ts";
import type { SchemaFault } from "./walk.ts";

const MAX_FAULTS = 100;

/** What Ajv found, for people: one fault a place. */
export function faultsOf(errors: readonly ErrorObject[]): SchemaFault[] {
  const faults: SchemaFault[] = [];
  const seen = new Set<string>();
  for (const error of settle(errors)) {
    const fault = describe(error);
    const key = `${fault.path}\n${fault.message}`;
    if (!seen.has(key)) faults.push(fault);
    seen.add(key);
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

/**
 * An `anyOf` reports the faults of all its alternatives. When each is that the type is wrong, one fault names the types;
 * else the faults of the alternative with the fewest are kept.
 */
function settle(errors: readonly ErrorObject[]): ErrorObject[] {
  const outer = errors.find(
    ({ keyword, schemaPath }) => /^(anyOf|oneOf)$/.test(keyword) && under(errors, schemaPath).length > 0,
  );
  if (!outer) return [...errors];
  const inside = under(errors, outer.schemaPath);
  const rest = errors.filter((error) => error !== outer && !inside.includes(error));
  const byBranch = Map.groupBy(
    inside,
    ({ schemaPath }) => /^\/\d+/.exec(schemaPath.slice(outer.schemaPath.length))?.[0],
  );
  const branches = [...byBranch.values()];
  if (branches.every(([first]) => first?.keyword === "type" && first.instancePath === outer.instancePath)) {
    const type = branches.flatMap(([first]) => first!.params.type as string | string[]);
    return settle([...rest, { ...outer, keyword: "type", params: { type } }]);
  }
  const fitting = branches.filter(
    ([first]) => first?.keyword !== "type" || first.instancePath !== outer.instancePath,
  );
  const nearest = fitting.reduce((best, next) => (next.length < best.length ? next : best));
  return settle([...rest, ...nearest]);
}

function under(errors: readonly ErrorObject[], path: string): ErrorObject[] {
  return errors.filter(({ schemaPath }) => schemaPath.startsWith(`${path}/`));
}

function describe({ keyword, instancePath: at, params, message }: ErrorObject): SchemaFault {
  const one = (text: string): SchemaFault => ({ path: at, message: text });
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return { path: `${at}/${part(params.missingProperty)}`, message: "is required." };
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = params.additionalProperty ?? params.unevaluatedProperty;
      return { path: `${at}/${part(name)}`, message: "is not known." };
    }
    case "type":
      return one(`must be ${listed([params.type].flat().map(article))}.`);
    case "enum":
      return one(
        `must be one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(", ")}.`,
      );
    case "const":
      return one(`must be ${JSON.stringify(params.allowedValue)}.`);
    case "format":
      return one(`must be ${formats[params.format] ?? `in the format ${params.format}`}.`);
    case "pattern":
      return one(`must match the pattern ${params.pattern}`);
    case "minLength":
      return one(params.limit === 1 ? "must not be empty." : `must have ${params.limit} characters or more.`);
    case "maxLength":
      return one(`must have ${params.limit} characters at most.`);
    case "minItems":
      return one(`must have ${params.limit} ${params.limit === 1 ? "item" : "items"} or more.`);
    case "maxItems":
      return one(`must have ${params.limit} items at most.`);
    case "uniqueItems":
      return one("must not have the same item twice.");
    case "minimum":
      return one(`must be ${params.limit} or more.`);
    case "maximum":
      return one(`must be ${params.limit} or less.`);
    case "exclusiveMinimum":
      return one(`must be more than ${params.limit}.`);
    case "exclusiveMaximum":
      return one(`must be less than ${params.limit}.`);
    case "multipleOf":
      return one(`must be a multiple of ${params.multipleOf}.`);
    case "oneOf":
      return one("fits more than one of the alternatives, or none; it must fit exactly one.");
    default:
      return one(`${message ?? "is not valid"}.`);
  }
}

/** Faults of a schema itself, from the meta-schema: one a place, as its `anyOf`s echo each other. */
export function schemaFaultsOf(errors: readonly ErrorObject[]): SchemaFault[] {
  const places = new Map<string, SchemaFault>();
  for (const fault of faultsOf(errors)) {
    if (places.has(fault.path)) continue;
    places.set(fault.path, fault.path.endsWith("/type") ? { ...fault, message: TYPE_FAULT } : fault);
  }
  return [...places.values()];
}

const TYPE_FAULT =
  "must be string, number, integer, boolean, object, array or null, or a list of some of them.";

/** For the fault of an unknown name: the names there are. */
export function suggest(fault: SchemaFault, known: readonly string[], whose: string): SchemaFault {
  if (fault.message !== "is not known." || fault.path.lastIndexOf("/") !== 0) return fault;
  const name = fault.path.slice(1);
  return { ...fault, message: `is not a parameter of ${whose}.${didYouMean(name, known)}` };
}

const formats: Record<string, string> = {
  uuid: "a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057",
  "date-time": "a time such as 2026-01-31T09:30:00Z",
  date: "a date such as 2026-01-31",
  time: "a time of day such as 09:30:00Z",
  email: "an e-mail address",
  uri: "a URL such as https://example.org/path",
};

function article(type: string): string {
  if (type === "null") return "null";
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function listed(words: string[]): string {
  const unique = [...new Set(words)];
  return unique.length < 2 ? unique.join("") : `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`;
}

function part(key: unknown): string {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}
