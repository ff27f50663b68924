import { ApiError } from "../contract/errors.ts";
import type { FoundExecution } from "../contract/execution.ts";
import type { FilterRequest } from "../contract/search.ts";
import type { Meta } from "../contract/shapes.ts";
import { isStatementTimeout } from "../db/faults.ts";
import { type CompiledFilter, compileFilter, FilterError } from "../db/filter.ts";
import type { Principal } from "../http/principal.ts";
import { presentFound } from "./present.ts";
import { type ExecutionSearchStore, executionFields, executionSearch } from "./search-store.ts";

/** @throws ApiError VALIDATION_FAILED, OVERLOADED (the search took too long) */
export async function searchExecutions(
  store: ExecutionSearchStore,
  principal: Principal,
  request: FilterRequest,
): Promise<{ data: FoundExecution[]; meta: Meta }> {
  const filter = compiled(request);
  const { page, size } = filter;
  try {
    const { rows, total } = await store.search(filter, principal.jobs, principal.assistant !== undefined);
    return { data: rows.map(presentFound), meta: { totalElements: total, page, size } };
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw new ApiError(
      "OVERLOADED",
      "The search took too long, and was given up. Narrow it, best by startTime.",
    );
  }
}

function compiled(request: FilterRequest): CompiledFilter {
  try {
    return compileFilter(executionFields, request, executionSearch);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new ApiError("VALIDATION_FAILED", error.message, { details: error.faults });
  }
}
