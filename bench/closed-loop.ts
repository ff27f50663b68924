import { setTimeout as delay } from "node:timers/promises";

export interface Measured<S> {
  /** Completed in the window, and how long that was. */
  count: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Completed in all, warm-up and tail included: what the store has to hold afterwards. */
  total: number;
  /** What `sample` answered at both ends of the window. */
  before: S;
  after: S;
}

/**
 * A closed loop: so many callers, each of which asks again as soon as it has its answer. The window opens after the warm-up
 * without a pause, and only what completes inside it counts.
 */
export async function closedLoop<S>(given: {
  inFlight: number;
  warmUpSeconds: number;
  seconds: number;
  once(): Promise<void>;
  sample(): S | Promise<S>;
}): Promise<Measured<S>> {
  const times: number[] = [];
  let total = 0;
  let measuring = false;
  let over = false;
  const callers = Promise.all(
    Array.from({ length: given.inFlight }, async () => {
      while (!over) {
        const begun = performance.now();
        await given.once();
        total++;
        if (measuring) times.push(performance.now() - begun);
      }
    }),
  );
  // The race ends a run at its first failure instead of at its end.
  await Promise.race([callers, delay(given.warmUpSeconds * 1000)]);
  const before = await given.sample();
  measuring = true;
  const from = performance.now();
  await Promise.race([callers, delay(given.seconds * 1000)]);
  const seconds = (performance.now() - from) / 1000;
  measuring = false;
  const after = await given.sample();
  over = true;
  await callers;
  const count = times.length;
  times.sort((a, b) => a - b);
  return {
    count,
    seconds,
    perSecond: count / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    total,
    before,
    after,
  };
}

/** Of sorted values; 0 of none. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}
