import fc from "fast-check";
import type { FilterRequest } from "../../src/db/filter.ts";

/** How many random requests a property is tried with: so many in every run, all 5,000 with PAWL_ORACLE_RUNS=5000. */
export function oracleRuns(usual: number): number {
  return Number(process.env.PAWL_ORACLE_RUNS ?? usual);
}

/** A record as searches see it: texts, numbers, dates, booleans, lists of texts, or null. */
export interface Searched {
  id: string;
  name: string;
  description: string | null;
}

/** The same search, over an array: the meaning of every match mode in plain words. */
export function findInMemory<Row extends Searched>(
  rows: readonly Row[],
  request: FilterRequest,
): { ids: string[]; total: number } {
  const { page = 0, size = 10, sortBy = "id", sortOrder = "desc" } = request;
  const searched = (request.searchText ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const kept = rows.filter(
    (item) =>
      Object.entries(request.filters ?? {}).every(([name, group]) => {
        const holds = group.constraints.map(({ matchMode, value }) =>
          matches(item[name as keyof Row], matchMode, value),
        );
        return group.operator === "and" ? holds.every(Boolean) : holds.some(Boolean);
      }) &&
      searched.every((word) =>
        [item.name, item.description ?? ""].some((each) => each.toLowerCase().includes(word)),
      ),
  );
  const sign = sortOrder === "asc" ? 1 : -1;
  kept.sort((a, b) => {
    const [left, right] =
      sortBy === "relevance"
        ? [rank(a, searched), rank(b, searched)]
        : [a[sortBy as keyof Row], b[sortBy as keyof Row]];
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1;
    } else {
      const order = compare(left, right);
      if (order !== 0) return sign * order;
    }
    return sign * compare(a.id, b.id);
  });
  return { ids: kept.slice(page * size, (page + 1) * size).map(({ id }) => id), total: kept.length };
}

/** How well a name answers the words: it starts with them, holds them all, or neither. */
function rank({ name }: Searched, words: string[]): number {
  if (words.length === 0) return 0;
  if (name.toLowerCase().startsWith(words.join(" "))) return 2;
  return words.every((word) => name.toLowerCase().includes(word)) ? 1 : 0;
}

function matches(held: unknown, mode: string, value: unknown): boolean {
  if (Array.isArray(held)) {
    if (mode === "notEquals") return !held.some((item) => matches(item, "equals", value));
    if (mode === "notContains") return !held.some((item) => matches(item, "contains", value));
    return held.some((item) => matches(item, mode, value));
  }
  if (held === null) return mode === "notEquals" || mode === "notContains";
  if (held instanceof Date) return range(held.getTime(), mode, timesOf(value));
  if (typeof held === "string" && /With|ontains/.test(mode)) {
    const [text, part] = [held.toLowerCase(), String(value).toLowerCase()];
    if (mode === "startsWith") return text.startsWith(part);
    if (mode === "endsWith") return text.endsWith(part);
    return text.includes(part) === (mode === "contains");
  }
  return range(held, mode, value);
}

function range(held: unknown, mode: string, value: unknown): boolean {
  switch (mode) {
    case "equals":
      return held === value;
    case "notEquals":
      return held !== value;
    case "in":
      return (value as unknown[]).includes(held);
    case "between": {
      const [from, to] = value as [never, never];
      return (held as never) >= from && (held as never) <= to;
    }
    case "gt":
      return (held as number) > (value as number);
    case "lt":
      return (held as number) < (value as number);
    case "gte":
      return (held as number) >= (value as number);
    default:
      return (held as number) <= (value as number);
  }
}

function timesOf(value: unknown): unknown {
  return Array.isArray(value) ? value.map(timesOf) : Date.parse(value as string);
}

/** Code points, not UTF-16 units: an emoji sorts after every character of the basic plane. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const [left, right] = [Number(a), Number(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

export const textual = ["equals", "notEquals", "contains", "notContains", "startsWith", "endsWith", "in"];
export const ranged = ["equals", "notEquals", "in", "gt", "lt", "gte", "lte", "between"];
export const exact = ["equals", "notEquals", "in"];

/** A group of constraints with these modes on values like these. */
export function constraints(modes: string[], value: fc.Arbitrary<unknown>) {
  const one = fc.constantFrom(...modes).chain((matchMode) =>
    fc.record({
      matchMode: fc.constant(matchMode),
      value:
        matchMode === "in"
          ? fc.array(value, { maxLength: 4 })
          : matchMode === "between"
            ? fc.tuple(value, value)
            : value,
    }),
  );
  return fc.record({
    operator: fc.constantFrom("and" as const, "or" as const),
    constraints: fc.array(one, { minLength: 1, maxLength: 3 }),
  });
}
