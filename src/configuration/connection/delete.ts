import type { BulkDeleted, Usage } from "../../contract/configuration.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { noSuchConnection } from "./read.ts";
import type { ConnectionItemRow, ConnectionStore } from "./store.ts";

/** The jobs whose steps refer to a connection; those the principal may not see are counted only. */
export type UsageOf = (principal: Principal, connectionIds: readonly string[]) => Promise<Usage>;

export interface DeleteDeps {
  store: ConnectionStore;
  usageOf: UsageOf;
}

/** @throws ApiError NOT_FOUND, INVALID_STATE (jobs refer to it, and it is not forced) */
export async function deleteConnection(
  deps: DeleteDeps,
  principal: Principal,
  id: string,
  force: boolean,
): Promise<ConnectionItemRow> {
  const [deleted] = await remove(deps, principal, [id], force);
  if (!deleted) throw noSuchConnection();
  return deleted;
}

/**
 * Deletes those that are there, or none.
 * @throws ApiError INVALID_STATE (jobs refer to one of them, and it is not forced)
 */
export async function deleteConnections(
  deps: DeleteDeps,
  principal: Principal,
  ids: readonly string[],
  force: boolean,
): Promise<BulkDeleted & { rows: ConnectionItemRow[] }> {
  const rows = await remove(deps, principal, ids, force);
  const deleted = new Set(rows.map(({ id }) => id));
  return {
    deleted: ids.filter((id) => deleted.has(id)),
    notFound: ids.filter((id) => !deleted.has(id)),
    rows,
  };
}

async function remove(
  { store, usageOf }: DeleteDeps,
  principal: Principal,
  ids: readonly string[],
  force: boolean,
): Promise<ConnectionItemRow[]> {
  // Not within the transaction: it would wait for a second database connection while it holds one.
  if (!force) requireUnused(await usageOf(principal, ids), ids.length);
  return store.remove(ids);
}

function requireUnused({ jobs, totalJobs }: Usage, connections: number): void {
  if (totalJobs === 0) return;
  const names = jobs.slice(0, 5).map(({ name }) => `"${name}"`);
  const others = totalJobs - names.length;
  const listed = names.length === 0 ? countOf(others) : names.join(", ");
  const more = names.length > 0 && others > 0 ? ` and ${others} more` : "";
  throw new ApiError(
    "INVALID_STATE",
    `${connections === 1 ? "The connection is" : "Some of these connections are"} used by ${listed}${more}. Take it out of them first, or delete it nevertheless with ?force=true.`,
  );
}

function countOf(jobs: number): string {
  return jobs === 1 ? "1 job" : `${jobs} jobs`;
}
