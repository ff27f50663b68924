/** What a field holds: `strings` is a list of texts, `id` a UUID. */
export type FieldKind = "string" | "number" | "date" | "boolean" | "strings" | "enum" | "id";

const TEXT = ["equals", "notEquals", "contains", "notContains", "startsWith", "endsWith", "in"] as const;
const RANGE = ["equals", "notEquals", "in", "gt", "lt", "gte", "lte", "between"] as const;
const EXACT = ["equals", "notEquals", "in"] as const;

export type Mode = (typeof TEXT)[number] | (typeof RANGE)[number];

const MODES: Record<FieldKind, readonly Mode[]> = {
  string: TEXT,
  strings: TEXT,
  number: RANGE,
  date: RANGE,
  enum: EXACT,
  id: EXACT,
  boolean: EXACT,
};

const ALL: ReadonlySet<unknown> = new Set([...TEXT, ...RANGE]);

/** The match modes that a kind of field takes. */
export function modesOf(kind: FieldKind): readonly Mode[] {
  return MODES[kind];
}

export function isMode(mode: unknown): mode is Mode {
  return ALL.has(mode);
}

const MAX_TEXT = 4000;
const MAX_IN = 1000;

type Read = { value: unknown } | { fault: string };

/** The value of a constraint as the database takes it (dates in milliseconds), or what is wrong with it. */
export function filterValue(kind: FieldKind, mode: Mode, value: unknown, values?: readonly string[]): Read {
  if (mode === "in") {
    if (!Array.isArray(value) || value.length > MAX_IN) {
      return { fault: `must be an array of ${MAX_IN} values at most.` };
    }
    return readAll(value.map((item) => scalar(kind, item, values)));
  }
  if (mode === "between") {
    if (!Array.isArray(value) || value.length !== 2)
      return { fault: "must be an array of two values: from and to." };
    return readAll(value.map((item) => scalar(kind, item, values)));
  }
  return scalar(kind, value, values);
}

function readAll(reads: Read[]): Read {
  const fault = reads.find((read) => "fault" in read);
  return fault ?? { value: reads.map((read) => (read as { value: unknown }).value) };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function scalar(kind: FieldKind, value: unknown, values: readonly string[] = []): Read {
  switch (kind) {
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? { value } : { fault: "must be a number." };
    case "boolean":
      return typeof value === "boolean" ? { value } : { fault: "must be true or false." };
    case "date":
      return date(value);
    case "id":
      return typeof value === "string" && UUID.test(value)
        ? { value: value.toLowerCase() }
        : { fault: "must be an id, a UUID." };
    case "enum":
      return typeof value === "string" && values.includes(value)
        ? { value }
        : { fault: `must be one of ${values.join(", ")}.` };
    default:
      return text(value);
  }
}

function text(value: unknown): Read {
  if (typeof value !== "string" || value.length > MAX_TEXT) {
    return { fault: `must be a text of ${MAX_TEXT} characters at most.` };
  }
  if (value.includes("\0") || !value.isWellFormed()) {
    return { fault: "contains a NUL or half of a surrogate pair, which no record can hold." };
  }
  return { value };
}

// A date alone is midnight UTC. A time without an offset would depend on the server's zone, so it is refused.
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

function date(value: unknown): Read {
  const time = typeof value === "string" && ISO.test(value) ? Date.parse(value) : Number.NaN;
  // Date.parse rolls the 30th of February over to March.
  const rolled = !Number.isNaN(time) && !isDay(String(value).slice(0, 10));
  if (Number.isNaN(time) || rolled) {
    return { fault: 'must be a date such as "2026-11-21" or a time such as "2026-11-21T09:30:00.000Z".' };
  }
  return { value: time };
}

function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
