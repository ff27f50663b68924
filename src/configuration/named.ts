import type pg from "pg";
import type { BulkDeleted } from "../contract/configuration.ts";
import { ApiError } from "../contract/errors.ts";
import { isUniqueViolation } from "../db/faults.ts";
import type { Principal } from "../http/principal.ts";
import type { NamedKey, NamedRow, NamedStore } from "./named-store.ts";
import { type RecordUsage, requireUnused } from "./usage.ts";

/** @throws ApiError NOT_FOUND */
export async function readNamed<Row extends NamedRow>(
  store: NamedStore<Row>,
  noun: string,
  key: NamedKey,
): Promise<Row> {
  const found = await store.find(key);
  if (!found) throw noSuch(noun);
  return found;
}

/** The record that a step names by its id or its name. An id comes first: nobody takes a place by calling a record so. */
export async function findByIdOrName<Row extends NamedRow>(
  store: NamedStore<Row>,
  idOrName: string,
): Promise<Row | undefined> {
  // An expression can make any text; the database takes no NUL, and so nothing is called so.
  if (idOrName.includes("\0")) return undefined;
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(idOrName);
  return (isId ? await store.find({ id: idOrName }) : undefined) ?? (await store.find({ name: idOrName }));
}

export interface Removal<Row> {
  removed: Row[];
  answer: BulkDeleted;
}

export interface ToRemove<Row> {
  /** Refuses while jobs refer to one of them; left out, they go nevertheless. */
  unless?: { noun: string; principal: Principal; usageOf: RecordUsage } | undefined;
  /** What goes in the same transaction. */
  release?(client: pg.PoolClient, rows: Row[]): Promise<void>;
}

/**
 * Deletes those of the ids that are there, all or none.
 * @throws ApiError INVALID_STATE (jobs refer to one of them)
 */
export async function removeNamed<Row extends NamedRow>(
  store: NamedStore<Row>,
  ids: readonly string[],
  { unless, release }: ToRemove<Row> = {},
): Promise<Removal<Row>> {
  if (unless) {
    // Not within the transaction: it would wait for a second database connection while it holds one.
    const usage = await unless.usageOf(unless.principal, await store.namesOf(ids));
    requireUnused(unless.noun, usage, ids.length);
  }
  const removed = await store.transaction(async (client) => {
    const rows = await store.lockAll(client, ids);
    await release?.(client, rows);
    const found = rows.map(({ id }) => id);
    await store.remove(client, found);
    return rows;
  });
  const deleted = ids.filter((id) => removed.some((row) => row.id === id));
  return { removed, answer: { deleted, notFound: ids.filter((id) => !deleted.includes(id)) } };
}

/** @throws ApiError CONFLICT unless the record has the version that the caller read */
export function requireVersion(noun: string, { version }: NamedRow, expected: number | undefined): void {
  if (expected === undefined || expected === version) return;
  throw new ApiError(
    "CONFLICT",
    `The ${noun} has changed since you read it: it is at version ${version}, not ${expected}. Read it again.`,
  );
}

export function noSuch(noun: string): ApiError {
  return new ApiError("NOT_FOUND", `There is no such ${noun}.`);
}

export function nameTaken(noun: string, name: string): ApiError {
  return new ApiError(
    "CONFLICT",
    `There is ${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun} named "${name}" already. Choose another name.`,
  );
}

/** @param constraint the one that keeps the names of these records unique */
export async function refusingTakenNames<Result>(
  noun: string,
  constraint: string,
  name: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, constraint)) throw error;
    throw nameTaken(noun, name);
  }
}
