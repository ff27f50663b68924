import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../client/client.ts";
import { ClientError } from "../client/error.ts";

/** Tells when there is something new to read of an execution. */
export interface Changes {
  /** Resolves at the next change; without live events, after this time. */
  next(pollMs: number): Promise<void>;
  close(): void;
}

// Should an event be lost on the way, the execution is read again all the same.
const liveMs = 10_000;

/** Listens to an execution's events. A server or a proxy that has none to give is polled. */
export function changesOf(client: Client, id: string, signal: AbortSignal): Changes {
  const end = new AbortController();
  const over = AbortSignal.any([signal, end.signal]);
  let live = false;
  let fresh = false;
  let wake = () => {};

  async function listen(): Promise<void> {
    while (!over.aborted) {
      try {
        for await (const _event of client.watchExecution({ params: { id }, signal: over })) {
          live = true;
          fresh = true;
          wake();
        }
      } catch (error) {
        // What can't be listened to can still be read, or reading says why not.
        if (!(error instanceof ClientError) || (error.status >= 400 && error.status < 500)) return;
      } finally {
        live = false;
        wake();
      }
      await delay(1000, undefined, { signal: over }).catch(() => {});
    }
  }
  void listen();

  return {
    async next(pollMs) {
      signal.throwIfAborted();
      if (!fresh) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, live ? liveMs : pollMs);
        signal.addEventListener("abort", () => resolve(), { once: true });
        await promise;
        clearTimeout(timer);
        signal.throwIfAborted();
      }
      fresh = false;
    },
    close: () => end.abort(),
  };
}
