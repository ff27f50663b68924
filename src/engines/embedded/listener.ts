import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

/** Called with what was told; with nothing when something may have been told that nobody heard. */
export type OnTold = (payload: string) => void;

export interface Listener {
  /** Answers how to stop. */
  on(channel: string, onTold: OnTold): () => void;
  close(): Promise<void>;
}

const retryMs = 500;

/** Hears what other processes tell through the database (NOTIFY), on one connection that is made anew when it is lost. */
export function openListener(url: string): Listener {
  const channels = new Map<string, Set<OnTold>>();
  const closed = new AbortController();
  let client: pg.Client | undefined;
  let sent: Promise<unknown> = Promise.resolve();

  function tell(channel: string, payload: string): void {
    for (const onTold of channels.get(channel) ?? []) onTold(payload);
  }

  /** One after the other. What fails has lost its connection, and the next one begins anew. */
  function send(statement: string): void {
    const to = client;
    sent = sent.then(() => to?.query(statement)).catch(() => {});
  }

  /** Resolves when the connection is lost. */
  async function listen(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: "pawl-listen",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    next.on("error", () => undefined);
    next.on("end", end);
    next.on("notification", ({ channel, payload }) => tell(channel, payload ?? ""));
    closed.signal.addEventListener("abort", () => end(), { once: true });
    try {
      await next.connect();
      client = next;
      for (const channel of channels.keys()) send(`listen ${channel}`);
      await sent;
      for (const channel of channels.keys()) tell(channel, "");
      await ended;
    } finally {
      client = undefined;
      await next.end().catch(() => {});
    }
  }

  const listening = (async () => {
    while (!closed.signal.aborted) {
      await listen().catch(() => {});
      await delay(retryMs, undefined, { signal: closed.signal }).catch(() => {});
    }
  })();

  return {
    on(channel, onTold) {
      const those = channels.get(channel);
      if (those) {
        those.add(onTold);
      } else {
        channels.set(channel, new Set([onTold]));
        send(`listen ${channel}`);
      }
      return () => {
        const left = channels.get(channel);
        if (!left?.delete(onTold) || left.size > 0) return;
        channels.delete(channel);
        send(`unlisten ${channel}`);
      };
    },
    async close() {
      closed.abort();
      await listening;
    },
  };
}
