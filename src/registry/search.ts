import { ApiError } from "../contract/errors.ts";
import type { FilterRequest } from "../contract/search.ts";
import { type CompiledFilter, compileFilter, FilterError } from "../db/filter.ts";
import { type ServerRow, type ServerStore, serverFields, serverSearch } from "./store.ts";

/** @throws ApiError VALIDATION_FAILED */
export async function searchServers(
  store: ServerStore,
  request: FilterRequest,
): Promise<{ rows: ServerRow[]; total: number; page: number; size: number }> {
  const filter = compiled(request);
  const { page, size } = filter;
  return { ...(await store.search(filter)), page, size };
}

function compiled(request: FilterRequest): CompiledFilter {
  try {
    return compileFilter(serverFields, request, serverSearch);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new ApiError("VALIDATION_FAILED", error.message, { details: error.faults });
  }
}
