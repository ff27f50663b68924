import { createBuckets } from "./buckets.ts";
import { ToolFault } from "./faults.ts";

export interface LimitsOptions {
  /** Calls that a user may make of one tool in a minute; 0: any number. Of tools that start or change runs, a fifth. */
  callsPerMinute: number;
  /** Calls of one user that may wait for something at the same time. */
  waits: number;
  now?: (() => number) | undefined;
}

export interface Limits {
  /** @throws ToolFault RATE_LIMITED */
  call(userId: string, tool: string, changes: boolean): void;
  /** Takes a place among those that wait; answers how to give it back. @throws ToolFault RATE_LIMITED */
  wait(userId: string): () => void;
}

/** Kept in this process: two processes let through twice as much. */
export function createLimits({ callsPerMinute, waits, now }: LimitsOptions): Limits {
  const take = createBuckets(now);
  const waiting = new Map<string, number>();

  return {
    call(userId, tool, changes) {
      if (callsPerMinute === 0) return;
      const most = Math.max(1, changes ? Math.ceil(callsPerMinute / 5) : callsPerMinute);
      const seconds = take(`${userId} ${tool}`, most);
      if (seconds === 0) return;
      throw new ToolFault(
        "RATE_LIMITED",
        `${tool} may be called ${most} times a minute. Wait ${seconds} seconds, then call again.`,
        { retryable: true },
      );
    },
    wait(userId) {
      const already = waiting.get(userId) ?? 0;
      if (already >= waits) {
        throw new ToolFault(
          "RATE_LIMITED",
          `${waits} calls of yours wait already. Call with waitSeconds: 0, or let one of them end first.`,
          { retryable: true },
        );
      }
      waiting.set(userId, already + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const left = (waiting.get(userId) ?? 1) - 1;
        if (left === 0) waiting.delete(userId);
        else waiting.set(userId, left);
      };
    },
  };
}
