import type { RawBuilder } from "kysely";
import { ApiError } from "../contract/errors.ts";
import type { FilterRequest } from "../contract/search.ts";
import type { Meta } from "../contract/shapes.ts";
import { isStatementTimeout } from "../db/faults.ts";
import { type CompiledFilter, compileFilter, type FieldMap, FilterError } from "../db/filter.ts";
import type { Text } from "../db/filter-sql.ts";

export interface Found<Row> {
  rows: Row[];
  total: number;
}

/**
 * A page of the records that a filter finds.
 * @param texts where searchText is looked for
 * @throws ApiError VALIDATION_FAILED, OVERLOADED (the search took too long)
 */
export async function searchPage<Row>(
  fields: FieldMap,
  texts: readonly Text[],
  request: FilterRequest,
  find: (filter: CompiledFilter) => Promise<Found<Row>>,
  tie?: RawBuilder<unknown>,
): Promise<{ rows: Row[]; meta: Meta }> {
  const filter = compiled(fields, request, texts, tie);
  try {
    const { rows, total } = await find(filter);
    return { rows, meta: { totalElements: total, page: filter.page, size: filter.size } };
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw new ApiError("OVERLOADED", "The search took too long, and was given up. Ask for less at a time.");
  }
}

/** What a search says of what it found. */
export function foundMessage(noun: string, { totalElements: total }: Meta): string {
  if (total === 0) return `No ${noun}s found.`;
  return total === 1 ? `1 ${noun} found.` : `${total} ${noun}s found.`;
}

function compiled(
  fields: FieldMap,
  request: FilterRequest,
  texts: readonly Text[],
  tie: RawBuilder<unknown> | undefined,
): CompiledFilter {
  try {
    return compileFilter(fields, request, texts, tie);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new ApiError("VALIDATION_FAILED", error.message, { details: error.faults });
  }
}
