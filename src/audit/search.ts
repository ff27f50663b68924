import { ApiError } from "../contract/errors.ts";
import type { FilterRequest } from "../contract/search.ts";
import { isStatementTimeout } from "../db/faults.ts";
import { type CompiledFilter, compileFilter, FilterError } from "../db/filter.ts";
import type { Principal } from "../http/principal.ts";
import type { AuditRow } from "./chain.ts";
import { type AuditStore, auditFields, auditSearch } from "./store.ts";

/** @throws ApiError VALIDATION_FAILED, FORBIDDEN, OVERLOADED (it took too long) */
export async function searchAudit(
  store: Pick<AuditStore, "search">,
  principal: Principal,
  request: FilterRequest,
): Promise<{ rows: AuditRow[]; total: number; page: number; size: number }> {
  requireWhole(principal);
  const filter = compiled(request);
  try {
    return { ...(await store.search(filter)), page: filter.page, size: filter.size };
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw new ApiError(
      "OVERLOADED",
      "The search took too long, and was given up. Narrow it, best by targetId.",
    );
  }
}

/** The record is of all jobs. @throws ApiError FORBIDDEN for who is limited to some */
export function requireWhole(principal: Principal): void {
  if (principal.jobs === null) return;
  throw new ApiError("FORBIDDEN", "You are limited to some jobs, and the audit record is about all of them.");
}

function compiled(request: FilterRequest): CompiledFilter {
  try {
    return compileFilter(auditFields, request, auditSearch);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new ApiError("VALIDATION_FAILED", error.message, { details: error.faults });
  }
}
