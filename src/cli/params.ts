import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { CliError } from "./exit.ts";

type Values = Record<string, unknown>;

/**
 * The parameters of a start. `--param` wins over the file; `a.b=1` sets a field of an object; the same name twice makes a
 * list. A value is JSON where it parses, unless the job's schema wants a string there.
 */
export function readParameters(pairs: string[], file: string | undefined, schema: unknown): Values {
  const values = file === undefined ? emptyValues() : readFile(file);
  const given = new Set<string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) {
      throw new CliError("usage", `"${pair}" is not a parameter: write --param name=value.`);
    }
    const name = pair.slice(0, at);
    const path = propertyOf(schema, name) === undefined ? name.split(".") : [name];
    if (path.includes("")) throw new CliError("usage", `"${name}" has an empty part between its dots.`);
    set(values, path, pair.slice(at + 1), schema, given.has(name));
    given.add(name);
  }
  return values;
}

// Without a prototype, so that a parameter named __proto__ is only a parameter (which Pawl refuses by name).
function emptyValues(): Values {
  return Object.create(null) as Values;
}

function readFile(file: string): Values {
  let parsed: unknown;
  try {
    parsed = parseYaml(readFileSync(file === "-" ? 0 : file, "utf8"));
  } catch (cause) {
    throw new CliError("usage", `The parameters in ${file} can't be read: ${(cause as Error).message}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new CliError(
      "usage",
      `The parameters in ${file} must be one JSON or YAML object of names and values.`,
    );
  }
  return Object.assign(emptyValues(), parsed);
}

function set(values: Values, path: string[], text: string, schema: unknown, again: boolean) {
  let target = values;
  let part = schema;
  for (const name of path.slice(0, -1)) {
    if (typeof target[name] !== "object" || target[name] === null) target[name] = emptyValues();
    target = target[name] as Values;
    part = propertyOf(part, name);
  }
  const last = path.at(-1)!;
  const own = propertyOf(part, last);
  const value = parseValue(text, own);
  if (again) target[last] = [...[target[last]].flat(), ...[value].flat()];
  else target[last] = typeOf(own) === "array" && !Array.isArray(value) ? [value] : value;
}

function parseValue(text: string, schema: unknown): unknown {
  const isList = typeOf(schema) === "array";
  const wanted = isList ? typeOf((schema as Values).items) : typeOf(schema);
  try {
    const value: unknown = JSON.parse(text);
    if (isList && Array.isArray(value)) return value;
    return wanted === "string" && typeof value !== "string" ? text : value;
  } catch {
    return text;
  }
}

function typeOf(schema: unknown): unknown {
  return typeof schema === "object" && schema !== null ? (schema as Values).type : undefined;
}

function propertyOf(schema: unknown, name: string): unknown {
  const properties =
    typeof schema === "object" && schema !== null ? (schema as Values).properties : undefined;
  if (typeof properties !== "object" || properties === null) return undefined;
  return Object.hasOwn(properties, name) ? (properties as Values)[name] : undefined;
}
