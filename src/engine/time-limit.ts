/** The signal of one try, and the race of its code against that signal: code that ignores it is abandoned after a while. */
export interface TimeLimit {
  signal: AbortSignal;
  /** Settles as the code does. Once the signal is aborted it fails: as soon as the code has ended, or its grace is over. */
  race<T>(code: Promise<T>): Promise<T>;
  /** The code went on after its grace: what comes of it is heard by nobody. */
  wasAbandoned(): boolean;
  /** Why time ran out, if it did. */
  fault(): TimeFault | undefined;
  clear(): void;
}

interface TimeFault {
  code: "STEP_TIMEOUT" | "EXECUTION_TIMEOUT";
  message: string;
  retryable: boolean;
}

/** The reason to abort when the process is about to end: nobody waits for code then. */
export class ShuttingDown extends Error {
  override readonly name = "ShuttingDown";
  constructor() {
    super("Pawl is shutting down.");
  }
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
  /** How long code may take to end once it was told to. */
  graceMs: number;
}): TimeLimit {
  const { stepMs, deadline, startedAt, stop, graceMs } = given;
  let abandoned = false;
  const race = <T>(code: Promise<T>, signal: AbortSignal) =>
    raceAbort(code, signal, graceMs, () => {
      abandoned = true;
    });
  const wasAbandoned = () => abandoned;
  const stepEnd = stepMs === undefined ? Number.POSITIVE_INFINITY : startedAt + stepMs;
  const ends = () => Math.min(stepEnd, deadline() ?? Number.POSITIVE_INFINITY);
  if (stepMs === undefined && deadline() === undefined) {
    return {
      signal: stop,
      race: (code) => race(code, stop),
      wasAbandoned,
      fault: () => undefined,
      clear() {},
    };
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
    race: (code) => race(code, controller.signal),
    wasAbandoned,
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

function raceAbort<T>(
  code: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
  onAbandoned: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const abandon = () => {
      onAbandoned();
      reject(signal.reason);
    };
    const onAbort = () => {
      if (graceMs === 0 || signal.reason instanceof ShuttingDown) return abandon();
      grace = setTimeout(abandon, graceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    // What it answers after it was told to end is not its result, be it in time.
    const unlessAborted = <V>(settle: (value: V) => void) => {
      return (value: V) => (signal.aborted ? reject(signal.reason) : settle(value));
    };
    code.then(unlessAborted(resolve), unlessAborted(reject)).finally(() => {
      clearTimeout(grace);
      signal.removeEventListener("abort", onAbort);
    });
  });
}
