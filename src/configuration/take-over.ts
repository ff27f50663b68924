import type pg from "pg";
import { ApiError } from "../contract/errors.ts";
import { isForeignKeyViolation } from "../db/faults.ts";
import { longestUploadMs } from "../http/bytes.ts";
import type { ContentStore } from "./content-store.ts";
import { nameTaken, requireVersion } from "./named.ts";
import type { NamedRow, NamedStore } from "./named-store.ts";

/** A record whose content was uploaded. */
export interface HoldingRow extends NamedRow {
  contentId: string;
}

export interface HoldingStore<Row extends HoldingRow> extends NamedStore<Row> {
  /** False: there is one of this name by now. */
  insert(client: pg.PoolClient, row: Row): Promise<boolean>;
  update(client: pg.PoolClient, row: Row): Promise<void>;
}

/** Where an upload is to go. */
export interface Place {
  noun: string;
  name: string;
  onExisting?: "replace" | "fail" | undefined;
  expectedVersion?: number | undefined;
}

/** Longer than any upload may take: what one has written so far is not removed under its hands. */
const uploadKeptMs = 2 * longestUploadMs;

/**
 * Writes a content beside what is there, and takes it over when all of it is there; where anything fails it is removed.
 * @param write fills the content, and gives what makes the record of what was there before
 * @throws ApiError CONFLICT, and what `write` throws
 */
export async function uploadContent<Row extends HoldingRow>(
  { store, contents }: { store: HoldingStore<Row>; contents: ContentStore },
  place: Place,
  write: (contentId: string) => Promise<(before: Row | undefined) => Row>,
): Promise<Row> {
  // What can't be taken over in the end need not be sent first.
  requirePlace(place, await store.find({ name: place.name }));
  const contentId = await contents.begin(uploadKeptMs);
  try {
    const rowOf = await write(contentId);
    for (;;) {
      const taken = await store.transaction(async (client) => {
        const before = await store.lock(client, { name: place.name });
        requirePlace(place, before);
        const row = rowOf(before);
        if (before === undefined && !(await store.insert(client, row))) return undefined;
        if (before !== undefined) {
          await store.update(client, row);
          await contents.release(client, [before.contentId]);
        }
        await contents.keep(client, contentId);
        return row;
      });
      // Else another upload made the name between the look and the insert: look again.
      if (taken) return taken;
    }
  } catch (error) {
    if (isForeignKeyViolation(error)) throw tookTooLong();
    // Where this fails too, the sweep does it later.
    await contents.drop(contentId).catch(() => {});
    throw error;
  }
}

function requirePlace(place: Place, before: NamedRow | undefined): void {
  if (before === undefined) {
    if (place.expectedVersion === undefined) return;
    throw new ApiError(
      "CONFLICT",
      `There is no such ${place.noun} any more: leave expectedVersion out to make it.`,
    );
  }
  if (place.onExisting === "fail") throw nameTaken(place.noun, place.name);
  requireVersion(place.noun, before, place.expectedVersion);
}

function tookTooLong(): ApiError {
  return new ApiError("MALFORMED_JSON", "The upload took too long, and was given up. Send it again.");
}
