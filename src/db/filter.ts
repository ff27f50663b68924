import { type RawBuilder, type SqlBool, sql } from "kysely";
import { didYouMean } from "../lib/did-you-mean.ts";
import { allOf, anyOf, escapeLike, type Field, fieldCondition, like, type Text } from "./filter-sql.ts";
import { filterValue, isMode, modesOf } from "./filter-values.ts";

export type FieldMap = Readonly<Record<string, Field>>;

/** The seed's FilterRequest; its contract is in `contract/search.ts`, which this folder may not import. */
export interface FilterRequest {
  page?: number;
  size?: number;
  sortBy?: string;
  sortOrder?: "asc" | "desc";
  searchText?: string | null;
  filters?: Record<
    string,
    { operator: "and" | "or"; constraints: readonly { matchMode: string; value?: unknown }[] }
  > | null;
}

export interface CompiledFilter {
  where: RawBuilder<SqlBool>;
  orderBy: RawBuilder<unknown>;
  limit: number;
  offset: number;
  page: number;
  size: number;
}

export interface FilterFault {
  /** JSON pointer into the request. */
  path: string;
  message: string;
}

/** A request that can't be turned into a query. Every fault is listed. */
export class FilterError extends Error {
  override readonly name = "FilterError";
  readonly faults: FilterFault[];
  constructor(faults: FilterFault[]) {
    super(`The filter is not valid: ${faults[0]?.path} ${faults[0]?.message}`);
    this.faults = faults;
  }
}

export const filterLimits = { size: 1000, page: 1_000_000, constraints: 50, searchText: 256 };

/**
 * Turns a request into SQL. Names come from `fields` only, and every value is bound.
 *
 * Meaning: the constraints of a group are joined by its operator; groups and `searchText` are all ANDed; each word of
 * `searchText` must appear in one of the `search` columns. A row without a value matches `notEquals` and `notContains`,
 * and nothing else. Of a list, one item that matches is enough, and for the two `not…` none may. Text is compared without
 * regard to case by contains, notContains, startsWith and endsWith, exactly by the others; it sorts by code point, rows
 * without a value last, ties by id in the same direction. Sorted by `relevance` (desc is the best first) a name that starts
 * with the text comes before one that holds every word, and that before the rest; without words all are as good.
 * @param search the name and what else `searchText` is looked for in
 * @param tie what no two rows have alike, where that is not their id
 * @throws FilterError
 */
export function compileFilter(
  fields: FieldMap,
  request: FilterRequest,
  search: readonly Text[] = [],
  tie: RawBuilder<unknown> | undefined = fields.id?.column,
): CompiledFilter {
  const faults: FilterFault[] = [];
  const page = whole(request.page ?? 0, "/page", 0, filterLimits.page, faults);
  const size = whole(request.size ?? 10, "/size", 1, filterLimits.size, faults);
  const words = searchWords(request.searchText ?? "", faults);
  const conditions = [
    ...groupConditions(fields, request.filters ?? {}, faults),
    ...[...new Set(words)].map((word) => anyOf(search.map((text) => contains(text, word)))),
  ];
  const orderBy = order(fields, request, { words, name: search[0], tie: tie! }, faults);
  if (faults.length > 0 || orderBy === undefined) throw new FilterError(faults);
  return { where: allOf(conditions), orderBy, limit: size, offset: page * size, page, size };
}

/** Of the fields in a message: a table has 200, and each wrong name says them. */
const mostShown = 30;

function groupConditions(
  fields: FieldMap,
  filters: NonNullable<FilterRequest["filters"]>,
  faults: FilterFault[],
): RawBuilder<SqlBool>[] {
  const conditions: RawBuilder<SqlBool>[] = [];
  let left = filterLimits.constraints;
  if (typeof filters !== "object" || Array.isArray(filters)) {
    faults.push({ path: "/filters", message: "must be an object, from field names to groups." });
    return [];
  }
  for (const [name, group] of Object.entries(filters)) {
    const path = `/filters/${name.replaceAll("~", "~0").replaceAll("/", "~1").slice(0, 100)}`;
    const field = fieldOf(fields, name, path, faults);
    const constraints: unknown = group?.constraints;
    if ((group?.operator !== "and" && group?.operator !== "or") || !Array.isArray(constraints)) {
      faults.push({ path, message: 'must have an operator, "and" or "or", and constraints.' });
      continue;
    }
    left -= constraints.length;
    if (left < 0) {
      faults.push({
        path,
        message: `has too many constraints: ${filterLimits.constraints} is the limit in all.`,
      });
      return [];
    }
    if (constraints.length === 0) faults.push({ path, message: "must have a constraint or more." });
    if (!field) continue;
    const made = constraints.map((constraint, i) =>
      condition(field, constraint, `${path}/constraints/${i}`, faults),
    );
    const real = made.filter((item) => item !== undefined);
    conditions.push(group.operator === "and" ? allOf(real) : anyOf(real));
  }
  return conditions;
}

function fieldOf(fields: FieldMap, name: string, path: string, faults: FilterFault[]): Field | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  const known = Object.keys(fields);
  const more = known.length > mostShown ? ` and ${known.length - mostShown} more` : "";
  faults.push({
    path,
    message: `is not a field to filter or sort by.${didYouMean(name.slice(0, 100), known)} The fields are ${known.slice(0, mostShown).join(", ")}${more}.`,
  });
  return undefined;
}

function condition(
  field: Field,
  constraint: { matchMode?: unknown; value?: unknown } | null,
  path: string,
  faults: FilterFault[],
): RawBuilder<SqlBool> | undefined {
  const mode = constraint?.matchMode;
  const allowed = modesOf(field.kind);
  if (!isMode(mode) || !allowed.includes(mode)) {
    const hint = typeof mode === "string" ? didYouMean(mode.slice(0, 100), allowed) : "";
    faults.push({
      path: `${path}/matchMode`,
      message: `is not possible for this field, which takes ${allowed.join(", ")}.${hint}`,
    });
    return undefined;
  }
  const read = filterValue(field.kind, mode, constraint?.value, field.values);
  if ("fault" in read) {
    faults.push({ path: `${path}/value`, message: read.fault });
    return undefined;
  }
  return fieldCondition(field, mode, read.value);
}

function searchWords(text: unknown, faults: FilterFault[]): string[] {
  const most = filterLimits.searchText;
  if (typeof text === "string" && text.length <= most && !text.includes("\0") && text.isWellFormed()) {
    return text.split(/\s+/).filter((word) => word !== "");
  }
  faults.push({
    path: "/searchText",
    message: `must be a text of ${most} characters at most, without NUL or half of a surrogate pair.`,
  });
  return [];
}

function contains(text: Text, part: string): RawBuilder<SqlBool> {
  return like(text, `%${escapeLike(part)}%`);
}

function relevance(name: Text, words: readonly string[]): RawBuilder<unknown> {
  const starts = like(name, `${escapeLike(words.join(" "))}%`);
  const holds = allOf(words.map((word) => contains(name, word)));
  return sql`(case when ${starts} then 2 when ${holds} then 1 else 0 end)`;
}

function order(
  fields: FieldMap,
  { sortBy = "id", sortOrder = "desc" }: FilterRequest,
  { words, name, tie }: { words: readonly string[]; name: Text | undefined; tie: RawBuilder<unknown> },
  faults: FilterFault[],
): RawBuilder<unknown> | undefined {
  if (sortOrder !== "asc" && sortOrder !== "desc") {
    faults.push({ path: "/sortOrder", message: 'must be "asc" or "desc".' });
    return undefined;
  }
  if (typeof sortBy !== "string") {
    faults.push({ path: "/sortBy", message: "must be the name of a field." });
    return undefined;
  }
  const direction = sortOrder === "asc" ? sql`asc` : sql`desc`;
  const id = sql`${tie} ${direction}`;
  // A column of a table may be called so too.
  if (sortBy === "relevance" && name && !Object.hasOwn(fields, sortBy)) {
    return words.length === 0 ? id : sql`${relevance(name, words)} ${direction}, ${id}`;
  }
  const field = fieldOf(fields, sortBy, "/sortBy", faults);
  if (!field) return undefined;
  if (field.kind === "strings") {
    faults.push({ path: "/sortBy", message: "is a list, and nothing can be sorted by it." });
    return undefined;
  }
  if (field.column === tie) return id;
  if (field.sort) return sql`${field.sort} ${direction}, ${id}`;
  const textual = field.kind === "string" || field.kind === "enum";
  const column = textual ? sql`${field.column} collate "C"` : field.column;
  return sql`${column} ${direction} nulls last, ${id}`;
}

function whole(value: unknown, path: string, least: number, most: number, faults: FilterFault[]): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
    return value as number;
  faults.push({ path, message: `must be a whole number from ${least} to ${most}.` });
  return least;
}
