import type { ConnectionPresence, ConnectionType } from "../../contract/connection.ts";
import { ApiError } from "../../contract/errors.ts";
import type { ConnectionRow, ConnectionStore } from "./store.ts";

/** @throws ApiError NOT_FOUND */
export async function readConnection(store: ConnectionStore, id: string): Promise<ConnectionRow> {
  const found = await store.find(id);
  if (!found) throw noSuchConnection();
  return found;
}

/** @throws ApiError NOT_FOUND, CONFLICT (several types have one of this name, and none was named) */
export async function readNamedConnection(
  store: ConnectionStore,
  name: string,
  type: ConnectionType | undefined,
): Promise<ConnectionRow> {
  const [found, another] = await store.findNamed(name, type);
  if (!found) throw noSuchConnection();
  if (!another) return found;
  throw new ApiError(
    "CONFLICT",
    `Several connections have this name, of the types ${found.connectionType}, ${another.connectionType} …: say which with ?type=.`,
  );
}

export async function findPresence(
  store: ConnectionStore,
  name: string,
  type: ConnectionType,
): Promise<ConnectionPresence> {
  const id = await store.findId(name, type);
  return { isPresent: id !== undefined, existingConnectionId: id ?? null };
}

export function noSuchConnection(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such connection.");
}
