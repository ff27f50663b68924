import { setTimeout as delay } from "node:timers/promises";

const [firstWaitMs, longestWaitMs] = [100, 2_000];

/** Asks until there is an answer or another fault than that the store is away for now; or until it is told to end. */
export async function patiently<T>(
  signal: AbortSignal | undefined,
  isAway: (error: unknown) => boolean,
  ask: () => Promise<T>,
): Promise<T> {
  for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, longestWaitMs)) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error)) throw error;
      await delay(wait, undefined, signal ? { signal } : {});
    }
  }
}
