/** What of a JSON Schema these tests read. */
export interface Schema {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** A change that makes a valid value wrong in one place, and where the refusal must point. */
export interface Fault {
  what: string;
  /** Names down to the field. */
  at: string[];
  /** What is put there; `undefined` removes it. */
  value: unknown;
}

const JUNK: Record<string, unknown> = {
  string: "junk",
  integer: 1.5,
  number: "1",
  boolean: "true",
  object: ["junk"],
  array: { junk: 1 },
  null: 0,
};
const OTHERS: unknown[] = [null, 0, -1, "", "junk", true, [], {}, [[]], { a: 1 }];

/** Everything that can be wrong with a value of this schema in one field: missing, another type, out of range, unknown. */
export function faultsOf(schema: Schema, at: string[] = []): Fault[] {
  const faults: Fault[] = [];
  const add = (what: string, value: unknown) => faults.push({ what, at, value });
  const types = (schema.anyOf ?? [schema]).map(({ type }) => type);
  if (schema.properties) {
    for (const name of schema.required ?? []) {
      const { default: fallback } = schema.properties[name] as { default?: unknown };
      if (fallback === undefined) faults.push({ what: "missing", at: [...at, name], value: undefined });
    }
    if (schema.additionalProperties === false) {
      for (const name of ["nope", "a/b~c", "__proto_", "ключ", "toString"]) {
        faults.push({ what: "unknown field", at: [...at, name], value: 1 });
      }
    }
    for (const [name, property] of Object.entries(schema.properties))
      faults.push(...faultsOf(property, [...at, name]));
  }
  for (const alternative of schema.anyOf ?? []) {
    if (alternative.properties)
      faults.push(...faultsOf(alternative, at).filter((fault) => fault.at.length > at.length));
  }
  if (schema.enum) add("not of the list", `${schema.enum[0]}x`);
  if (types.every((type) => type !== undefined)) {
    for (const value of [...OTHERS, ...types.map((type) => JUNK[type!])]) {
      if (!types.some((type) => isOfType(value, type!))) add(`another type: ${JSON.stringify(value)}`, value);
    }
  }
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format, pattern } = schema;
  if (minimum !== undefined) add("too small", minimum - 1);
  if (maximum !== undefined) add("too large", maximum + 1);
  if (minLength !== undefined && minLength > 0) add("too short", "");
  if (maxLength !== undefined) add("too long", "é".repeat(maxLength + 1));
  if (minItems !== undefined && minItems > 0) add("too few", []);
  if (maxItems !== undefined) add("too many", Array(maxItems + 1).fill(itemOf(schema.items)));
  if (format === "uuid")
    for (const value of ["abc", "", "0".repeat(36), "{01890a5d-ac96-774b-bcce-b302099a8057}"])
      add("no id", value);
  if (pattern !== undefined)
    for (const value of ["", "a b", "\n", "1'; --"]) add("not of the pattern", value);
  return faults;
}

/** An item that is right, so that only their number is wrong. */
function itemOf(schema: Schema | undefined): unknown {
  if (schema?.type !== "string") return {};
  if (schema.format === "uuid") return "01890a5d-ac96-774b-bcce-b302099a8057";
  return schema.pattern ? "A:B:c" : "x";
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** The value with the fault in it. */
export function withFault(value: unknown, { at, value: wrong }: Fault): unknown {
  const [name, ...rest] = at;
  if (name === undefined) return wrong;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  if (rest.length > 0) copy[name] = withFault(copy[name] ?? {}, { what: "", at: rest, value: wrong });
  else if (wrong === undefined) delete copy[name];
  else copy[name] = wrong;
  return copy;
}

/** As a refusal's `details` name it. */
export function pointerTo(at: string[]): string {
  return at.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
