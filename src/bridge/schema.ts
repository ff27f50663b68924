import { cleanJson } from "./text.ts";

// Where a JSON Schema holds other schemas, and where it holds values that only look like schemas.
const mapsOfSchemas = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const values = new Set(["const", "enum", "default", "examples", "required", "dependentRequired"]);
/** Of a secret these would tell it, or what it may be. */
const telling = new Set(["default", "examples", "const", "enum"]);

/** The schema of a job's parameters as an assistant may see it: secrets are marked, and nothing of their values is said. */
export function inputSchemaOf(parameters: Record<string, unknown> | undefined): Record<string, unknown> {
  const schema = parameters ?? { type: "object", properties: {} };
  return cleanJson(shown(schema)) as Record<string, unknown>;
}

function shown(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shown);
  if (!isObject(schema)) return schema;
  const { secret, ...rest } = schema;
  const isSecret = secret === true;
  const entries = Object.entries(rest)
    .filter(([keyword]) => !(isSecret && telling.has(keyword)))
    .map(([keyword, value]) => [keyword, shownKeyword(keyword, value)]);
  return { ...Object.fromEntries(entries), ...(isSecret ? { writeOnly: true } : {}) };
}

function shownKeyword(keyword: string, value: unknown): unknown {
  if (values.has(keyword)) return value;
  if (!mapsOfSchemas.has(keyword) || !isObject(value)) return shown(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shown(inner)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
