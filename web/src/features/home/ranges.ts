const hourMs = 3_600_000;

export const ranges = {
  day: { label: "24 hours", buckets: 24, bucketMs: hourMs },
  week: { label: "7 days", buckets: 28, bucketMs: 6 * hourMs },
  month: { label: "30 days", buckets: 30, bucketMs: 24 * hourMs },
} as const;

export type RangeName = keyof typeof ranges;

/** From when to when a range goes: whole stretches by the local clock, the one under way included. */
export function spanOf(name: RangeName, now = new Date()): { from: string; to: string } {
  const { buckets, bucketMs } = ranges[name];
  const offset = now.getTimezoneOffset() * 60_000;
  const to = Math.ceil((now.getTime() - offset + 1) / bucketMs) * bucketMs + offset;
  return { from: new Date(to - buckets * bucketMs).toISOString(), to: new Date(to).toISOString() };
}
