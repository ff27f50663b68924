/** The signal of one try, and the race of its code against that signal: code that ignores it is abandoned. */
export interface TimeLimit {
  signal: AbortSignal;
  /** Settles as the code does, or fails as soon as the signal is aborted. */
  race<T>(code: Promise<T>): Promise<T>;
  /** Why time ran out, if it did. */
  fault(): { code: string; message: string; retryable: boolean } | undefined;
  clear(): void;
}

// setTimeout holds at most 2^31-1 ms (24.8 days); a longer limit is checked again at the next attempt or wake-up.
const longestTimer = 2 ** 31 - 1;

/** Limits one try by the step's own time, by the deadline of the execution, and by a stop from outside. */
export function timeLimit(given: {
  stepMs: number | undefined;
  deadline: number | undefined;
  startedAt: number;
  stop: AbortSignal;
}): TimeLimit {
  const { stepMs, deadline, startedAt, stop } = given;
  const executionMs = deadline === undefined ? Number.POSITIVE_INFINITY : Math.max(0, deadline - startedAt);
  const ms = Math.min(stepMs ?? Number.POSITIVE_INFINITY, executionMs);
  if (ms === Number.POSITIVE_INFINITY) {
    return { signal: stop, race: (code) => raceAbort(code, stop), fault: () => undefined, clear() {} };
  }
  const controller = new AbortController();
  const onStop = () => controller.abort(stop.reason);
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  let fault: ReturnType<TimeLimit["fault"]>;
  const timer = setTimeout(
    () => {
      fault =
        executionMs <= ms
          ? {
              code: "EXECUTION_TIMEOUT",
              message: "The execution took longer than its timeoutMs.",
              retryable: false,
            }
          : {
              code: "STEP_TIMEOUT",
              message: `The step took longer than its timeoutMs of ${stepMs}.`,
              retryable: true,
            };
      controller.abort(new Error(fault.message));
    },
    Math.min(ms, longestTimer),
  );
  return {
    signal: controller.signal,
    race: (code) => raceAbort(code, controller.signal),
    fault: () => fault,
    clear() {
      clearTimeout(timer);
      stop.removeEventListener("abort", onStop);
    },
  };
}

function raceAbort<T>(code: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    code.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
