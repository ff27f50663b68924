import type { Purpose } from "./keyring.ts";

/** One sealed value in the place where it is kept. */
export interface SealedItem {
  record: string;
  field: string;
  sealed: string;
}

/** A sealed value that another is to take the place of. */
export interface SealedChange extends SealedItem {
  anew: string;
}

/** A table with sealed values, as rotation sees it. Every part that keeps some has one, or they stay under the old key. */
export interface SealedSource {
  /** For people and progress: `connections`. */
  name: string;
  purpose: Purpose;
  /** How many values are sealed with another key than this one; all of them for "", which is no key's id. */
  count(notKeyId: string): Promise<number>;
  /**
   * The next values sealed with another key than this one, at most `limit` and more only to complete a record, in an
   * order that lasts. `cursor`: what the batch before answered; undefined for the first. `next` undefined: there are no more.
   */
  batch(
    notKeyId: string,
    cursor: string | undefined,
    limit: number,
  ): Promise<{ items: SealedItem[]; next: string | undefined }>;
  /** Puts `newSealed` where `oldSealed` still stands. False: the value was changed or removed meanwhile, and is left alone. */
  replace(record: string, field: string, oldSealed: string, newSealed: string): Promise<boolean>;
  /** The same for many at once, which costs one commit; what somebody holds just now may be passed over. Answers how many it put. */
  replaceAll?(changes: readonly SealedChange[]): Promise<number>;
}

/** How many values of all sources are sealed with another key. */
export async function countOthers(sources: readonly SealedSource[], keyId: string): Promise<number> {
  const counts = await Promise.all(sources.map((source) => source.count(keyId)));
  return counts.reduce((sum, count) => sum + count, 0);
}
