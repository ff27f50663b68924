import { ApiError } from "../contract/errors.ts";
import { type FilterRequest, type ItemType, itemTypes } from "../contract/search.ts";
import { isStatementTimeout } from "../db/faults.ts";
import { type CompiledFilter, compileFilter, type FieldMap, FilterError } from "../db/filter.ts";
import type { Text } from "../db/filter-sql.ts";
import { holds, type Principal } from "../http/principal.ts";
import {
  type CollectionRow,
  type CollectionStore,
  collectionFields,
  collectionSearch,
} from "./collection-store.ts";
import type { JobRow } from "./present.ts";
import {
  type Found,
  type ItemRow,
  itemFields,
  itemSearch,
  type SearchStore,
  type StepRow,
  stepFields,
} from "./search-store.ts";
import { type JobStore, jobFields, jobSearch } from "./store.ts";
import { suggest } from "./suggest.ts";

export interface SearchDeps {
  store: JobStore;
  collections: CollectionStore;
  items: SearchStore;
}

export interface Page<Row> extends Found<Row> {
  page: number;
  size: number;
  /** A search text that finds something, where this one found nothing. */
  suggestion?: string | undefined;
}

const authorities: Record<ItemType, string> = {
  job: "JobService:Job:read",
  step: "JobService:Step:read",
  collection: "JobService:Collection:read",
};

/** @throws ApiError VALIDATION_FAILED, FORBIDDEN (when the principal may read nothing of the type) */
export function searchAll(
  { items }: SearchDeps,
  principal: Principal,
  type: ItemType | "all",
  request: FilterRequest,
): Promise<Page<ItemRow>> {
  const asked = type === "all" ? itemTypes : [type];
  const types = asked.filter((each) => holds(principal, authorities[each]));
  if (types.length === 0) {
    const needed = asked.map((each) => authorities[each]).join(" or ");
    throw new ApiError(
      "FORBIDDEN",
      `This needs the authority ${needed}, which ${principal.name} does not have.`,
    );
  }
  const scope = { types, limits: principal.jobs };
  return search(items, request, [itemFields, itemSearch], (filter) => items.searchItems(scope, filter));
}

/** @throws ApiError VALIDATION_FAILED */
export function searchJobs(
  { store, items }: SearchDeps,
  principal: Principal,
  request: FilterRequest,
): Promise<Page<JobRow>> {
  const exposedOnly = principal.assistant !== undefined;
  return search(items, request, [jobFields, jobSearch], (filter) =>
    store.search(filter, principal.jobs, exposedOnly),
  );
}

/** @throws ApiError VALIDATION_FAILED */
export function searchSteps(
  { items }: SearchDeps,
  principal: Principal,
  request: FilterRequest,
): Promise<Page<StepRow>> {
  return search(items, request, [stepFields, itemSearch], (filter) =>
    items.searchSteps(principal.jobs, filter),
  );
}

/** @throws ApiError VALIDATION_FAILED */
export function searchCollections(
  { collections, items }: SearchDeps,
  principal: Principal,
  request: FilterRequest,
): Promise<Page<CollectionRow>> {
  return search(items, request, [collectionFields, collectionSearch], (filter) =>
    collections.search(filter, principal.jobs),
  );
}

/** @throws ApiError NOT_FOUND, also for a step of a job outside the principal's limits */
export async function readStep({ items }: SearchDeps, principal: Principal, id: string): Promise<StepRow> {
  const step = await items.findStep(id, principal.jobs);
  if (!step) throw new ApiError("NOT_FOUND", "There is no such step.");
  return step;
}

async function search<Row>(
  items: SearchStore,
  request: FilterRequest,
  [fields, texts]: [FieldMap, Text[]],
  find: (filter: CompiledFilter) => Promise<Found<Row>>,
): Promise<Page<Row>> {
  const filter = compiled(fields, request, texts);
  try {
    const found = await find(filter);
    const { page, size } = filter;
    if (found.total > 0 || !request.searchText?.trim()) return { ...found, page, size };
    const suggestion = await suggest(items, request.searchText, async (searchText) => {
      return (await find(compiled(fields, { ...request, searchText, page: 0, size: 1 }, texts))).total > 0;
    });
    return { ...found, page, size, suggestion };
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw new ApiError("OVERLOADED", "The search took too long, and was given up. Ask for less at a time.");
  }
}

function compiled(fields: FieldMap, request: FilterRequest, texts: Text[]): CompiledFilter {
  try {
    return compileFilter(fields, request, texts);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new ApiError("VALIDATION_FAILED", error.message, { details: error.faults });
  }
}
