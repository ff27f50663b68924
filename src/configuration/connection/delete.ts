import type { BulkDeleted, Usage } from "../../contract/configuration.ts";
import type { Principal } from "../../http/principal.ts";
import { requireUnused } from "../usage.ts";
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
  if (!force) requireUnused("connection", await usageOf(principal, ids), ids.length);
  return store.remove(ids);
}
