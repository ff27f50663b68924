import type { Timeline, TimelineBucket } from "@contract/overview.ts";

export interface Stretch extends TimelineBucket {
  until: string;
  total: number;
  /** Percent of the ended ones that completed; null where none has ended. */
  success: number | null;
}

/** The stretches of a timeline with what the chart adds to them. */
export function stretchesOf({ buckets, bucketMs }: Timeline): Stretch[] {
  return buckets.map((bucket) => ({
    ...bucket,
    // The next one begins there: what began at that very moment is not of this one.
    until: new Date(Date.parse(bucket.at) + bucketMs - 1).toISOString(),
    total: bucket.completed + bucket.failed + bucket.stopped + bucket.unfinished,
    success: shareOf(bucket),
  }));
}

export function sumOf(buckets: TimelineBucket[]) {
  const sum = { completed: 0, failed: 0, stopped: 0, unfinished: 0 };
  for (const bucket of buckets) {
    sum.completed += bucket.completed;
    sum.failed += bucket.failed;
    sum.stopped += bucket.stopped;
    sum.unfinished += bucket.unfinished;
  }
  return { ...sum, total: sum.completed + sum.failed + sum.stopped + sum.unfinished, success: shareOf(sum) };
}

function shareOf({ completed, failed, stopped }: Omit<TimelineBucket, "at">): number | null {
  const ended = completed + failed + stopped;
  return ended === 0 ? null : Math.round((completed / ended) * 1000) / 10;
}
