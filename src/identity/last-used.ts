import { type Db, recordUses } from "./store.ts";

/** Takes note of which tokens were used when; the rows are written now and then, many at once. */
export interface Recorder {
  used(tokenId: string | null, at: number): void;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
  /** Stops the clock and writes the rest. */
  close(): Promise<void>;
}

/** Writes at most once every `everyMs`, so that a token in constant use costs one update in that time. */
export function createRecorder(
  db: Db,
  { log, everyMs = 30_000 }: { log: { warn(fields: object, message: string): void }; everyMs?: number },
): Recorder {
  let pending = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void flush(), everyMs).unref();

  // One after the other: who waits for a flush waits for what another is just writing, too.
  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  async function write(): Promise<void> {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      await recordUses(db, new Map([...batch].map(([id, at]) => [id, new Date(at)])));
    } catch (error) {
      // Kept for the next time; a later use of the same token wins.
      for (const [id, at] of batch) pending.set(id, Math.max(at, pending.get(id) ?? 0));
      log.warn({ err: error }, "When API tokens were last used could not be written; it is tried again.");
    }
  }

  return {
    used(tokenId, at) {
      if (tokenId !== null) pending.set(tokenId, at);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
