/** The signal of one try, and the race of its code against that signal: code that ignores it is abandoned. */
export interface TimeLimit {
  signal: AbortSignal;
  /** Settles as the code does, or fails as soon as the signal is aborted. */
  race<T>(code: Promise<T>): Promise<T>;
  /** Why time ran out, if it did. */
  fault(): TimeFault | undefined;
  clear(): void;
}

interface TimeFault {
  code: "STEP_TIMEOUT" | "EXECUTION_TIMEOUT";
  message: string;
  retryable: boolean;
}

// setTimeout holds at most 2^31-1 ms (24.8 days).
const longestTimer = 2 ** 31 - 1;

/** Limits one try by the step's own time, by the deadline of the execution, and by a stop from outside. */
export function timeLimit(given: {
  stepMs: number | undefined;
  /** Asked again when it has passed: it moves while the execution is held. */
  deadline: () => number | undefined;
  startedAt: number;
  stop: AbortSignal;
}): TimeLimit {
  const { stepMs, deadline, startedAt, stop } = given;
  const stepEnd = stepMs === undefined ? Number.POSITIVE_INFINITY : startedAt + stepMs;
  const ends = () => Math.min(stepEnd, deadline() ?? Number.POSITIVE_INFINITY);
  if (stepMs === undefined && deadline() === undefined) {
    return { signal: stop, race: (code) => raceAbort(code, stop), fault: () => undefined, clear() {} };
  }
  const controller = new AbortController();
  const onStop = () => controller.abort(stop.reason);
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  let fault: TimeFault | undefined;
  let timer: NodeJS.Timeout;
  const arm = () => {
    timer = setTimeout(check, Math.min(Math.max(ends() - Date.now(), 0), longestTimer));
  };
  const check = () => {
    if (Date.now() < ends()) return arm();
    fault = stepEnd <= ends() ? stepTimeout(stepMs!) : executionTimeout;
    controller.abort(new Error(fault.message));
  };
  arm();
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

const executionTimeout: TimeFault = {
  code: "EXECUTION_TIMEOUT",
  message: "The execution took longer than its timeoutMs.",
  retryable: false,
};

function stepTimeout(ms: number): TimeFault {
  const message = `The step took longer than its timeoutMs of ${ms}.`;
  return { code: "STEP_TIMEOUT", message, retryable: true };
}

function raceAbort<T>(code: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    code.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
