import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { FieldKind, Mode } from "./filter-values.ts";

/** A field that may be filtered and sorted by, and the column (or expression) it stands for. */
export interface Field {
  kind: FieldKind;
  column: RawBuilder<unknown>;
  /** The values of an `enum`. */
  values?: readonly string[];
}

/** The condition of one constraint; its value has been checked. */
export function fieldCondition(field: Field, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  return field.kind === "strings" ? listCondition(field, mode, value) : scalarCondition(field, mode, value);
}

/** One item that matches is enough; for `not…` none may. */
function listCondition(field: Field, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  const item = sql.ref("item");
  const positive = mode === "notEquals" ? "equals" : mode === "notContains" ? "contains" : mode;
  const exists = sql<SqlBool>`exists (select from unnest(${field.column}) as item where ${textCondition(item, positive, value)})`;
  return positive === mode ? exists : sql<SqlBool>`not ${exists}`;
}

function scalarCondition({ kind, column }: Field, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  switch (kind) {
    case "date":
      return dateCondition(column, mode, value);
    case "number":
      // As JSON has numbers: 0.5 may be compared with a whole number's column, and 1e300 too.
      return comparison(sql`${column}::float8`, mode, value, sql`float8`);
    case "id":
      return comparison(column, mode, value, sql`uuid`);
    case "boolean":
      return comparison(column, mode, value, sql`boolean`);
    default:
      return textCondition(column, mode, value);
  }
}

function textCondition(column: RawBuilder<unknown>, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  switch (mode) {
    case "contains":
      return like(column, `%${escapeLike(value as string)}%`);
    case "notContains":
      return sql<SqlBool>`${like(column, `%${escapeLike(value as string)}%`)} is not true`;
    case "startsWith":
      return like(column, `${escapeLike(value as string)}%`);
    case "endsWith":
      return like(column, `%${escapeLike(value as string)}`);
    default:
      return comparison(column, mode, value, sql`text`);
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
function dateCondition(column: RawBuilder<unknown>, mode: Mode, value: unknown): RawBuilder<SqlBool> {
  const at = (time: unknown) => sql`${new Date(time as number)}::timestamptz`;
  const after = (time: unknown) => sql`${new Date((time as number) + 1)}::timestamptz`;
  const within = (from: unknown, to: unknown) =>
    sql<SqlBool>`(${column} >= ${at(from)} and ${column} < ${after(to)})`;
  switch (mode) {
    case "equals":
      return within(value, value);
    case "notEquals":
      return sql<SqlBool>`${within(value, value)} is not true`;
    case "in":
      return anyOf((value as number[]).map((time) => within(time, time)));
    case "gt":
      return sql<SqlBool>`${column} >= ${after(value)}`;
    case "gte":
      return sql<SqlBool>`${column} >= ${at(value)}`;
    case "lt":
      return sql<SqlBool>`${column} < ${at(value)}`;
    case "lte":
      return sql<SqlBool>`${column} < ${after(value)}`;
    default: {
      const [from, to] = value as [number, number];
      return within(from, to);
    }
  }
}

export function like(column: RawBuilder<unknown>, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} ilike ${pattern}`;
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
