import { didYouMean } from "../did-you-mean.ts";

export interface SchemaFault {
  path: string;
  message: string;
}

type Schema = Record<string, unknown>;

const ONE = ["additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames"];
ONE.push("unevaluatedItems", "unevaluatedProperties", "contentSchema");
const MANY = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED = ["properties", "patternProperties", "$defs", "dependentSchemas"];
const OTHERS = [
  ...["type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"],
  ...[
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
  ],
  ...["maxProperties", "minProperties", "required", "dependentRequired", "format", "contentEncoding"],
  ...[
    "contentMediaType",
    "title",
    "description",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "examples",
  ],
  ...["$comment", "$schema", "$ref"],
];
const KNOWN = new Set([...ONE, ...MANY, ...NAMED, ...OTHERS]);
const NAMING = new Set(["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary"]);

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** Bounds of a schema that a user writes. */
export const schemaLimits = { characters: 65_536, depth: 32, schemas: 1000 };

/** What its validation may cost, and where it fills in values. */
export interface SchemaTraits {
  /** Has a keyword whose cost is more than linear: validation is run under a time limit. */
  costly: boolean;
  hasDefaults: boolean;
}

// These have short expressions that can't backtrack; the others are taken as costly.
const CHEAP_FORMATS = new Set([
  "date",
  "time",
  "date-time",
  "uuid",
  "ipv4",
  "int32",
  "int64",
  "float",
  "double",
]);
CHEAP_FORMATS.add("password");

/** Walks a schema and its subschemas: what no meta-schema says, keyword by keyword. */
export function walkSchema(
  root: Schema,
  formats: readonly string[],
): { faults: SchemaFault[]; traits: SchemaTraits } {
  const faults: SchemaFault[] = [];
  const traits: SchemaTraits = { costly: false, hasDefaults: false };
  let schemas = 0;

  /** `named`: reached by names alone, from the root. */
  function visit(schema: unknown, path: string, depth: number, named: boolean): void {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
    schemas++;
    if (depth > schemaLimits.depth || schemas > schemaLimits.schemas) {
      if (faults.at(-1)?.message !== TOO_LARGE) faults.push({ path, message: TOO_LARGE });
      return;
    }
    for (const [keyword, value] of Object.entries(schema)) {
      const at = `${path}/${part(keyword)}`;
      note(keyword, value, traits);
      const message =
        keyword === "secret"
          ? secretFault(schema, value, named && depth > 1)
          : faultOf(keyword, value, formats);
      if (message !== undefined) faults.push({ path: at, message });
      if (ONE.includes(keyword)) visit(value, at, depth + 1, false);
      else if (MANY.includes(keyword) && Array.isArray(value)) {
        for (const [i, item] of value.entries()) visit(item, `${at}/${i}`, depth + 1, false);
      } else if (NAMED.includes(keyword) && typeof value === "object" && value !== null) {
        const byName = named && keyword === "properties";
        for (const [name, item] of Object.entries(value))
          visit(item, `${at}/${part(name)}`, depth + 1, byName);
      }
    }
  }

  visit(root, "", 1, true);
  return { faults, traits };
}

const TOO_LARGE = `is too large: ${schemaLimits.schemas} schemas, ${schemaLimits.depth} deep, is the limit.`;

function faultOf(keyword: string, value: unknown, formats: readonly string[]): string | undefined {
  if (keyword === "$schema") {
    return value === DRAFT ? undefined : `must be "${DRAFT}", or be left out.`;
  }
  if (keyword === "$ref") {
    if (typeof value === "string" && value.startsWith("#/")) return undefined;
    return "must point into this schema, such as #/$defs/address: nothing is fetched from elsewhere.";
  }
  if (NAMING.has(keyword)) return "is not taken here: refer to parts with $ref, such as #/$defs/address.";
  if (keyword === "format" && typeof value === "string" && !formats.includes(value)) {
    return `is not a known format.${didYouMean(value, formats)} The formats are ${formats.join(", ")}.`;
  }
  if (keyword === "pattern" && typeof value === "string") return patternFault(value);
  if (keyword === "patternProperties" && typeof value === "object" && value !== null) {
    return Object.keys(value)
      .map(patternFault)
      .find((message) => message !== undefined);
  }
  if (KNOWN.has(keyword) || keyword.startsWith("x-")) return undefined;
  return `is not a keyword of JSON Schema.${didYouMean(keyword, KNOWN)} Notes of your own start with x-.`;
}

// The definition is no secret.
const TELLING = ["default", "const", "enum", "examples"];

function secretFault(schema: object, value: unknown, named: boolean): string | undefined {
  if (typeof value !== "boolean") return "must be true or false.";
  if (!value) return undefined;
  if (!named) {
    return "works for a parameter or a field of one that is called by its name (under properties), not here.";
  }
  const told = TELLING.find((keyword) => Object.hasOwn(schema, keyword));
  return told && `can't stand beside ${told}: whoever may read the job reads that.`;
}

function patternFault(pattern: string): string | undefined {
  try {
    // As Ajv makes it.
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    return `is not a regular expression: ${(error as Error).message.replace(/^Invalid regular expression: /, "")}.`;
  }
}

function note(keyword: string, value: unknown, traits: SchemaTraits): void {
  if (keyword === "default") traits.hasDefaults = true;
  // uniqueItems compares all with all; references can double the work at every step, over and over.
  if (["pattern", "patternProperties", "uniqueItems", "$ref"].includes(keyword)) traits.costly = true;
  if (keyword === "format" && !CHEAP_FORMATS.has(String(value))) traits.costly = true;
}

function part(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
