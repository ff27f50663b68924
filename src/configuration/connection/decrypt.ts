import type { Vault } from "../../vault/vault.ts";
import { decryptFailed, openSealed } from "../sealed.ts";
import { readConnection } from "./read.ts";
import type { ConnectionItemRow, ConnectionRow, ConnectionStore } from "./store.ts";

export interface DecryptDeps {
  store: ConnectionStore;
  vault: Vault;
}

/** A connection whose variables are all in the clear. Record it before it is handed on. */
export interface OpenConnection {
  connection: ConnectionRow;
  variables: Record<string, string>;
  /** Names of the variables that are secrets. */
  sensitive: string[];
}

/** @throws ApiError NOT_FOUND, DECRYPT_FAILED */
export async function openConnection({ store, vault }: DecryptDeps, id: string): Promise<OpenConnection> {
  const connection = await readConnection(store, id);
  const opened = Object.entries(connection.sealed).map(([field, sealed]) => [
    field,
    openSealed(vault, "connection", { record: connection.id, field }, sealed),
  ]);
  return {
    connection,
    variables: { ...connection.plain, ...Object.fromEntries(opened) },
    sensitive: Object.keys(connection.sealed),
  };
}

/**
 * Opens a sealed value of a connection that is there. Of one that is not there it opens none: nobody could be asked whether
 * they may have it.
 * @throws ApiError DECRYPT_FAILED
 */
export async function openValue(
  { store, vault }: DecryptDeps,
  sealed: string,
): Promise<{ connection: ConnectionItemRow; field: string; value: string }> {
  const context = vault.contextOf(sealed);
  if (!context || !uuid.test(context.record)) throw decryptFailed();
  const value = openSealed(vault, "connection", context, sealed);
  const connection = await store.find(context.record);
  if (!connection) throw decryptFailed();
  return { connection, field: context.field, value };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
