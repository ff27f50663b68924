import type { ExecutionEvent } from "@contract/control.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { api, asClientError } from "./api.ts";
import { keys } from "./keys.ts";

/** Whether what is shown is live. `idle`: nothing on the page asks for it. */
export type Connection = "idle" | "connecting" | "live" | "lost";

let connection: Connection = "idle";
const listeners = new Set<() => void>();

function setConnection(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => connection,
  );
}

type StreamEvent =
  | { event: "snapshot"; id: string; data: unknown }
  | { event: "execution" | "step"; id: string; data: ExecutionEvent };

/**
 * Follows a stream until the signal is aborted: comes back after a break with the id of the last event, waits longer and
 * longer while Pawl is away, and lets go while the page is hidden, since a browser opens few connections to one server.
 */
async function follow(
  open: (lastEventId: string | undefined, signal: AbortSignal) => AsyncIterable<StreamEvent>,
  onEvent: (event: StreamEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    await untilVisible(signal);
    const attempt = new AbortController();
    const hide = () => document.hidden && attempt.abort();
    document.addEventListener("visibilitychange", hide);
    try {
      setConnection(failures === 0 ? "connecting" : "lost");
      for await (const event of open(lastEventId, AbortSignal.any([signal, attempt.signal]))) {
        failures = 0;
        lastEventId = event.id;
        setConnection("live");
        onEvent(event);
      }
    } catch (error) {
      const status = asClientError(error)?.status;
      // Not allowed, or not there: asking again changes nothing.
      if (status !== undefined && status >= 400 && status < 500) return;
      if (!attempt.signal.aborted && !signal.aborted) failures++;
    } finally {
      document.removeEventListener("visibilitychange", hide);
    }
    if (failures > 0) setConnection("lost");
    await pause(Math.min(15_000, 500 * 2 ** failures), signal);
  }
}

function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    if (document.hidden && !signal.aborted) return;
    document.removeEventListener("visibilitychange", done);
    signal.removeEventListener("abort", done);
    resolve();
  };
  document.addEventListener("visibilitychange", done);
  signal.addEventListener("abort", done);
  return promise;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** Calls at once, and then at most once in `ms` however often it is asked, never forgetting the last time. */
function throttled(work: () => void, ms: number): { (): void; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again = false;
  const run = () => {
    again = false;
    work();
    timer = setTimeout(() => {
      timer = undefined;
      if (again) run();
    }, ms);
  };
  const call = () => {
    if (timer === undefined) run();
    else again = true;
  };
  return Object.assign(call, { cancel: () => clearTimeout(timer) });
}

/** Keeps every list of executions on the page up to date while it is shown. */
export function useLiveLists(enabled = true): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const end = new AbortController();
    const refresh = throttled(
      () => void client.invalidateQueries({ queryKey: keys.executions.lists }),
      1_500,
    );
    let first = true;
    const onEvent = ({ event }: StreamEvent) => {
      // The page has just read what the first snapshot tells; a later one comes after a gap.
      if (event === "execution" || (event === "snapshot" && !first)) refresh();
      first = false;
    };
    const open = (id: string | undefined, signal: AbortSignal) =>
      api.watchExecutions({ headers: { "last-event-id": id }, signal }) as AsyncIterable<StreamEvent>;
    void follow(open, onEvent, end.signal);
    return () => {
      end.abort();
      refresh.cancel();
      setConnection("idle");
    };
  }, [client, enabled]);
}

/** Keeps one execution up to date while it is shown and not over. */
export function useLiveExecution(id: string, enabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const end = new AbortController();
    const refresh = throttled(() => {
      void client.invalidateQueries({ queryKey: ["executions", "one", id] });
      void client.invalidateQueries({ queryKey: ["executions", "logs", id] });
    }, 250);
    let first = true;
    const onEvent = ({ event, data }: StreamEvent) => {
      if (event === "snapshot") client.setQueryData(keys.executions.one(id), data);
      if (event !== "snapshot" || !first) refresh();
      first = false;
    };
    const open = (last: string | undefined, signal: AbortSignal) =>
      api.watchExecution({
        params: { id },
        query: { outputs: false },
        headers: { "last-event-id": last },
        signal,
      }) as AsyncIterable<StreamEvent>;
    void follow(open, onEvent, end.signal);
    return () => {
      end.abort();
      refresh.cancel();
      setConnection("idle");
    };
  }, [client, id, enabled]);
}
