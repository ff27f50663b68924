export interface Retry {
  maxAttempts: number;
  initialDelayMs: number;
  factor: number;
  maxDelayMs: number;
}

/**
 * Milliseconds to wait after the `attempt`-th failure: exponential, capped, and drawn from the upper half of that
 * span, so that many executions that failed together don't come back together.
 */
export function backoff(retry: Retry, attempt: number, random: () => number = Math.random): number {
  const full = Math.min(retry.maxDelayMs, retry.initialDelayMs * retry.factor ** (attempt - 1));
  return Math.round(full / 2 + (full / 2) * random());
}
