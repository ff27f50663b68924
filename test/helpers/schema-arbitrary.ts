import fc from "fast-check";

export type Json = Record<string, unknown>;

/** Text that has broken something somewhere, and is right as such. */
const hostile = [
  ..."%_\\'\"`;$&<>".split(""),
  ...[
    "' or 1=1 --",
    "#{7*7}",
    "{{ 7*7 }}",
    "{{",
    "__proto__",
    "constructor",
    "toString",
    "../../etc/passwd",
    "\u202eexe",
    "👩‍👩‍👧‍👦",
  ],
  ...[
    "\u0000",
    "\ud800",
    "\ufeff",
    "\u2028",
    "null",
    "NaN",
    "1e400",
    "x".repeat(300),
    "مرحبا",
    "a\r\nb: c",
    "\u0001",
  ],
];
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
  { weight: 2, arbitrary: fc.constantFrom(...hostile) },
);
/** Any JSON value, shallow, `__proto__` and the like among its keys. */
export const anyJson = fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme" });
const name = fc.oneof(fc.stringMatching(/^[a-z]{1,6}$/), text).filter((key) => key !== "__proto__");

/**
 * Values that fit a schema of the document, and now and then one that only seems to: what the schema can't say is
 * for the server to refuse. `known` gives better values for a `$ref` or a place than the schema could.
 */
export function arbitraryOf(
  schema: Json,
  components: Record<string, Json>,
  known: (name: string) => fc.Arbitrary<unknown> | undefined,
): fc.Arbitrary<unknown> {
  const of = (inner: Json) => arbitraryOf(inner, components, known);
  if (typeof schema.$ref === "string") {
    const component = schema.$ref.split("/").at(-1)!;
    return known(component) ?? of(components[component]!);
  }
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...(schema.anyOf as Json[]).map(of));
  switch (schema.type) {
    case "object":
      return objectOf(schema, of, known);
    case "array": {
      const { minItems = 0, maxItems = 4 } = schema as { minItems?: number; maxItems?: number };
      return fc.array(of((schema.items ?? {}) as Json), {
        minLength: minItems,
        maxLength: Math.min(maxItems, minItems + 3),
      });
    }
    case "string":
      return textOf(schema);
    case "integer": {
      const { minimum = -(2 ** 31), maximum = 2 ** 31 } = schema as { minimum?: number; maximum?: number };
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.min(maximum, minimum + 20) }),
        fc.constantFrom(minimum, maximum),
      );
    }
    case "number":
      return fc.double({
        noNaN: true,
        min: (schema.minimum as number) ?? -1e6,
        max: (schema.maximum as number) ?? 1e6,
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return anyJson;
  }
}

function objectOf(
  schema: Json,
  of: (inner: Json) => fc.Arbitrary<unknown>,
  known: (name: string) => fc.Arbitrary<unknown> | undefined,
): fc.Arbitrary<unknown> {
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  const patterns = Object.values((schema.patternProperties ?? {}) as Record<string, Json>);
  if (patterns.length > 0) return fc.dictionary(name, of(patterns[0]!), { maxKeys: 3 });
  const fields = Object.entries(properties).map(([key, value]) => [key, known(key) ?? of(value)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: (schema.required ?? []) as never[] });
}

function textOf(schema: Json): fc.Arbitrary<unknown> {
  const {
    minLength = 0,
    maxLength = 1e6,
    format,
    pattern,
  } = schema as {
    minLength?: number;
    maxLength?: number;
    format?: string;
    pattern?: string;
  };
  if (format === "uuid") return fc.uuid();
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return text.filter((value) => value.length >= minLength && [...value].length <= maxLength);
}

/** The value with something in it changed, so that it may no longer fit. */
export function spoilt(value: unknown): fc.Arbitrary<unknown> {
  const junk = fc.oneof(anyJson, text, fc.constantFrom(...[null, -1, 1e21, 2 ** 53, [], {}, "", true]));
  const places = [...placesIn(value)];
  return fc
    .record({
      place: fc.constantFrom(...places),
      how: fc.constantFrom("put", "put", "drop", "add"),
      junk,
      key: name,
    })
    .map(({ place, how, junk, key }) => {
      const copy = structuredClone({ root: value }) as Json;
      const path = ["root", ...place];
      let holder = copy;
      for (const part of path.slice(0, -1)) holder = holder[part] as Json;
      const last = path.at(-1)!;
      const target = holder[last];
      if (how === "drop" && place.length > 0 && !Array.isArray(holder)) delete holder[last];
      else if (how === "add" && typeof target === "object" && target !== null && !Array.isArray(target))
        (target as Json)[key] = junk;
      else holder[last] = junk;
      return copy.root;
    });
}

function* placesIn(value: unknown, path: string[] = []): Generator<string[]> {
  yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* placesIn(child, [...path, key]);
}
