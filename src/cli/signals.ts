import { constants } from "node:os";
import { CliError } from "./exit.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm, npx and bin/pawl.js each pass on the Ctrl-C that the terminal sent us already: what follows this soon is the same one. */
const echoMs = 500;

/** The first request to end, as a signal that aborts. A second one ends the process at once, if `force`. */
export function onEndRequested({ force }: { force: boolean }): { requested: AbortSignal; release(): void } {
  const abort = new AbortController();
  let first = 0;
  function handle(name: NodeJS.Signals) {
    const now = performance.now();
    if (!abort.signal.aborted) {
      first = now;
      abort.abort(new Error(`Ended by ${name}.`));
    } else if (force && now - first > echoMs) {
      process.exit(128 + constants.signals[name]);
    }
  }
  for (const name of signals) process.on(name, handle);
  return {
    requested: abort.signal,
    release() {
      for (const name of signals) process.off(name, handle);
    },
  };
}

/**
 * Work that an end request interrupts. What fails after one fails because of it: Ctrl-C reaches every process of the
 * terminal, and what one of them complains of would mislead.
 */
export async function interruptible<T>(
  requested: AbortSignal,
  message: string,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw requested.aborted ? new CliError("detached", message) : error;
  }
}

/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
