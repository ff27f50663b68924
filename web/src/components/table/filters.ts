import { type FilterRequest, type MatchMode, matchModes } from "@contract/search.ts";

/** One condition: field, how to match, value. */
export type Condition = [field: string, mode: MatchMode, value: unknown];

/** What a table shows, as it stands in the address: a link to it shows the same to whoever opens it. */
export interface TableState {
  /** Free text. */
  q?: string | undefined;
  /** Field to sort by; with a minus before it the other way round. */
  sort?: string | undefined;
  f?: Condition[] | undefined;
  /** Fields whose conditions need not all hold: one of them is enough. */
  any?: string[] | undefined;
}

const maxConditions = 50;

/** Reads the state from an address that somebody may have typed: what does not fit is left out. */
export function readTableState(raw: Record<string, unknown>): TableState {
  const { q, sort, f, any } = raw;
  const conditions = Array.isArray(f) ? f.filter(isCondition).slice(0, maxConditions) : [];
  return {
    q: typeof q === "string" || typeof q === "number" ? String(q).slice(0, 256) || undefined : undefined,
    sort: typeof sort === "string" ? sort.slice(0, 60) : undefined,
    f: conditions.length > 0 ? conditions : undefined,
    any: Array.isArray(any) ? any.filter((field) => typeof field === "string") : undefined,
  };
}

function isCondition(item: unknown): item is Condition {
  return (
    Array.isArray(item) &&
    item.length === 3 &&
    typeof item[0] === "string" &&
    (matchModes as readonly string[]).includes(item[1] as string)
  );
}

type Sort = Pick<FilterRequest, "sortBy" | "sortOrder">;

/** The state as the API takes it. */
export function toFilterRequest(
  { q, sort, f, any }: TableState,
  fallback: string,
): Omit<FilterRequest, "page" | "size"> {
  const filters: NonNullable<FilterRequest["filters"]> = {};
  for (const [field, matchMode, value] of f ?? []) {
    filters[field] ??= { operator: any?.includes(field) ? "or" : "and", constraints: [] };
    filters[field].constraints.push({ value, matchMode });
  }
  return {
    ...sortOf(sort ?? (q ? "relevance" : fallback)),
    ...(q ? { searchText: q } : {}),
    ...(f && f.length > 0 ? { filters } : {}),
  };
}

function sortOf(sort: string): Sort {
  const descending = sort.startsWith("-");
  const sortBy = descending ? sort.slice(1) : sort;
  // The best match first, whatever the sign.
  return { sortBy, sortOrder: descending || sortBy === "relevance" ? "desc" : "asc" };
}
