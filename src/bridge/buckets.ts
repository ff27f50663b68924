const minuteMs = 60_000;
const mostBuckets = 20_000;

/** Takes one out of a bucket that fills up again within a minute. Answers 0, or in how many seconds there is one again. */
export type Take = (key: string, perMinute: number) => number;

/** Kept in this process: two processes let through twice as much. */
export function createBuckets(now: () => number = Date.now): Take {
  const buckets = new Map<string, { left: number; at: number }>();
  return (key, perMinute) => {
    const at = now();
    const bucket = buckets.get(key) ?? { left: perMinute, at };
    const filled = bucket.left + (Math.max(0, at - bucket.at) / minuteMs) * perMinute;
    const left = Math.min(perMinute, filled);
    buckets.delete(key);
    buckets.set(key, { left: left < 1 ? left : left - 1, at });
    if (buckets.size > mostBuckets) buckets.delete(buckets.keys().next().value!);
    return left >= 1 ? 0 : Math.ceil(((1 - left) / perMinute) * 60);
  };
}
