import type { CredentialRow } from "./store.ts";

// Rights change in other processes too: this long at most is an old answer believed. Unknown credentials are remembered for
// less, so that one made elsewhere works soon.
const FRESH_MS = 5_000;
const UNKNOWN_MS = 1_000;
const MAX_ENTRIES = 10_000;

export interface CredentialEntry {
  row: CredentialRow | undefined;
  readAt: number;
}

/** Credentials as they were read a moment ago, so that a busy caller costs a query every few seconds. */
export interface CredentialCache {
  /** At once when it is known: a promise costs. */
  find(
    key: string,
    read: () => Promise<CredentialRow | undefined>,
  ): CredentialRow | undefined | Promise<CredentialRow | undefined>;
  /** To be called when rights or tokens have changed: that holds at once in this process. */
  forget(): void;
}

export function createCredentialCache(now: () => number): CredentialCache {
  // In order of reading: the first is the oldest.
  const known = new Map<string, CredentialEntry>();
  const reading = new Map<string, Promise<CredentialRow | undefined>>();
  let generation = 0;

  function remember(key: string, row: CredentialRow | undefined): void {
    known.delete(key);
    known.set(key, { row, readAt: now() });
    if (known.size > MAX_ENTRIES) known.delete(known.keys().next().value!);
  }

  return {
    find(key, read) {
      const entry = known.get(key);
      if (entry !== undefined) {
        const age = now() - entry.readAt;
        if (age >= 0 && age < (entry.row === undefined ? UNKNOWN_MS : FRESH_MS)) return entry.row;
        known.delete(key);
      }
      const under = reading.get(key);
      if (under !== undefined) return under;
      const begun = generation;
      const promise = read()
        .then((row) => {
          // What was read before a revocation must not be believed after it.
          if (begun === generation) remember(key, row);
          return row;
        })
        .finally(() => {
          if (reading.get(key) === promise) reading.delete(key);
        });
      reading.set(key, promise);
      return promise;
    },
    forget() {
      generation++;
      known.clear();
      reading.clear();
    },
  };
}
