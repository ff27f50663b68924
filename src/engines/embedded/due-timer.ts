// Past this the timer looks again: it bounds what a jump of the system clock can delay.
const longestWait = 30_000;

/** Calls back when the earliest of the given times comes. */
export function dueTimer(onDue: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let next = Number.POSITIVE_INFINITY;

  return {
    /** @param at milliseconds since the epoch */
    schedule(at: number): void {
      if (at >= next) return;
      next = at;
      clearTimeout(timer);
      const wait = Math.min(Math.max(at - Date.now(), 0), longestWait);
      timer = setTimeout(() => {
        next = Number.POSITIVE_INFINITY;
        onDue();
      }, wait);
    },
    stop(): void {
      next = Number.NEGATIVE_INFINITY;
      clearTimeout(timer);
    },
  };
}
