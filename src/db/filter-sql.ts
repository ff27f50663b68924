import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { FieldKind, Mode } from "./filter-values.ts";

/** A field that may be filtered and sorted by, and the column (or expression) it stands for. */
export interface Field {
  kind: FieldKind;
  column: RawBuilder<unknown>;
  /** The values of an `enum`. */
  values?: readonly string[];
  /** The same text in lower case, kept in a column of collation "C": what an index of trigrams is on. */
  lower?: RawBuilder<unknown>;
  /** What is sorted by instead: something of the same order, never null, that has an index. */
  sort?: RawBuilder<unknown>;
  /** Of a date: a condition that every row within these milliseconds meets, and an index can answer. */
  coarse?: (from: number | undefined, to: number | undefined) => RawBuilder<SqlBool>;
}

/** A text that is looked at without regard to case. */
export type Text = Pick<Field, "column" | "lower">;

/** The condition of one constraint; its value has been checked. */
export function fieldCondition(field: Field, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  return field.kind === "strings" ? listCondition(field, mode, value) : scalarCondition(field, mode, value);
}

/** One item that matches is enough; for `not…` none may. */
function listCondition(field: Field, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  // These two can use an index over the lists.
  if (mode === "equals") return sql<SqlBool>`${field.column} @> array[${value}::text]`;
  if (mode === "in") return sql<SqlBool>`${field.column} && ${value}::text[]`;
  const item = { column: sql.ref("item") };
  const positive = mode === "notEquals" ? "equals" : mode === "notContains" ? "contains" : mode;
  const exists = sql<SqlBool>`exists (select from unnest(${field.column}) as item where ${textCondition(item, positive, value)})`;
  return positive === mode ? exists : sql<SqlBool>`not ${exists}`;
}

function scalarCondition(field: Field, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  const { kind, column } = field;
  switch (kind) {
    case "date":
      return dateCondition(field, mode, value);
    case "number":
      // As JSON has numbers: 0.5 may be compared with a whole number's column, and 1e300 too.
      return comparison(sql`${column}::float8`, mode, value, sql`float8`);
    case "id":
      return comparison(column, mode, value, sql`uuid`);
    case "boolean":
      return comparison(column, mode, value, sql`boolean`);
    default:
      return textCondition(field, mode, value);
  }
}

function textCondition(text: Text, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  switch (mode) {
    case "contains":
      return like(text, `%${escapeLike(value as string)}%`);
    case "notContains":
      return sql<SqlBool>`${like(text, `%${escapeLike(value as string)}%`)} is not true`;
    case "startsWith":
      return like(text, `${escapeLike(value as string)}%`);
    case "endsWith":
      return like(text, `%${escapeLike(value as string)}`);
    default:
      return comparison(text.column, mode, value, sql`text`);
  }
}

function comparison(
  column: RawBuilder<unknown>,
  mode: Mode,
  value: unknown,
  type: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  switch (mode) {
    case "notEquals":
      return sql<SqlBool>`${column} is distinct from ${value}::${type}`;
    case "in":
      return sql<SqlBool>`${column} = any(${value}::${type}[])`;
    case "between": {
      const [from, to] = value as [unknown, unknown];
      return sql<SqlBool>`${column} between ${from}::${type} and ${to}::${type}`;
    }
    default:
      return sql<SqlBool>`${column} ${OPERATORS[mode]} ${value}::${type}`;
  }
}

const OPERATORS: Record<string, RawBuilder<unknown>> = {
  equals: sql`=`,
  gt: sql`>`,
  lt: sql`<`,
  gte: sql`>=`,
  lte: sql`<=`,
};

/**
 * Times are shown in milliseconds and kept in microseconds: a time that is given stands for its whole millisecond, so
 * that a record is found by the time it shows.
 */
function dateCondition({ column, coarse }: Field, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  /** From the first of these milliseconds to the last, each left out where it is open. */
  const within = (from: number | undefined, to: number | undefined) =>
    allOf([
      ...(coarse ? [coarse(from, to)] : []),
      ...(from === undefined ? [] : [sql<SqlBool>`${column} >= ${new Date(from)}::timestamptz`]),
      ...(to === undefined ? [] : [sql<SqlBool>`${column} < ${new Date(to + 1)}::timestamptz`]),
    ]);
  const time = value as number;
  switch (mode) {
    case "equals":
      return within(time, time);
    case "notEquals":
      return sql<SqlBool>`${within(time, time)} is not true`;
    case "in":
      return anyOf((value as number[]).map((each) => within(each, each)));
    case "gt":
      return within(time + 1, undefined);
    case "gte":
      return within(time, undefined);
    case "lt":
      return within(undefined, time - 1);
    case "lte":
      return within(undefined, time);
    default: {
      const [from, to] = value as [number, number];
      return within(from, to);
    }
  }
}

/** Whether a text is like the pattern, whatever the case of either. */
export function like({ column, lower }: Text, pattern: string): RawBuilder<SqlBool> {
  if (lower === undefined) return sql<SqlBool>`${column} ilike ${pattern}`;
  // Folded by the server, as the column was: JavaScript's folding differs in some letters.
  return sql<SqlBool>`${lower} like lower(${pattern}::text collate "default") collate "C"`;
}

export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

export function allOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  if (conditions.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

export function anyOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  if (conditions.length === 0) return sql<SqlBool>`false`;
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}
