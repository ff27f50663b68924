import type pg from "pg";
import type { Engine, EngineEvent } from "../../engine/engine.ts";
import type { Listener } from "./listener.ts";
import { notify } from "./request-store.ts";

export interface EventRelay {
  /** As `Engine.subscribe`. Of executions that run in another process, events come a moment later, and are lost with a connection. */
  subscribe(listener: (event: EngineEvent) => void): () => void;
  /** The executions run in this process from now on, or (undefined) in another. */
  follow(engine: Engine | undefined): void;
  close(): void;
}

const eventChannel = "pawl_event";
const interestChannel = "pawl_interest";
const askEachMs = 2_000;
const interestMs = 5_000;
const tellEachMs = 20;
// A notification holds less than 8,000 bytes.
const bytesPerNotice = 7_500;
const mostUntold = 10_000;

/** Brings the events of executions to those who subscribed in any process; the owner tells only while somebody asks. */
export function openEventRelay(given: {
  pool: pg.Pool;
  listener: Listener;
  log: { warn(o: object, m: string): void };
}): EventRelay {
  const { pool, listener, log } = given;
  const subscribers = new Set<(event: EngineEvent) => void>();
  let engine: Engine | undefined;
  let ownSubscription: (() => void) | undefined;
  let stopAsking: (() => void) | undefined;
  let publishing: { stop(): void; until: number } | undefined;

  function give(event: EngineEvent): void {
    for (const subscriber of subscribers) subscriber(event);
  }

  /** Brings what this process listens to in line with who subscribed and where the executions run. */
  function settle(): void {
    const wanted = subscribers.size > 0;
    if (wanted && engine) ownSubscription ??= engine.subscribe(give);
    if (!wanted || !engine) {
      ownSubscription?.();
      ownSubscription = undefined;
    }
    if (wanted && !engine) stopAsking ??= askOwner();
    if (!wanted || engine) {
      stopAsking?.();
      stopAsking = undefined;
    }
  }

  function askOwner(): () => void {
    const ask = () => void notify(pool, interestChannel, [""]).catch(() => {});
    const stopListening = listener.on(eventChannel, (payload) => {
      if (payload !== "") for (const event of JSON.parse(payload)) give(event);
    });
    const asking = setInterval(ask, askEachMs);
    asking.unref();
    ask();
    return () => {
      clearInterval(asking);
      stopListening();
    };
  }

  function publish(from: Engine): { stop(): void; until: number } {
    let untold: string[] = [];
    const stopListening = from.subscribe((event) => {
      if (untold.length < mostUntold) untold.push(JSON.stringify(event));
      if (untold.length === mostUntold) {
        log.warn(
          { events: mostUntold },
          "Events come faster than other Pawls can be told: some are left out.",
        );
      }
    });
    const timer = setInterval(() => {
      if (Date.now() > state.until) return stopPublishing();
      if (untold.length === 0) return;
      const events = untold;
      untold = [];
      notify(pool, eventChannel, inChunks(events)).catch(() => {});
    }, tellEachMs);
    timer.unref();
    const state = {
      until: Date.now() + interestMs,
      stop() {
        stopListening();
        clearInterval(timer);
      },
    };
    return state;
  }

  function stopPublishing(): void {
    publishing?.stop();
    publishing = undefined;
  }

  const stopListening = listener.on(interestChannel, () => {
    if (!engine) return;
    publishing ??= publish(engine);
    publishing.until = Date.now() + interestMs;
  });

  return {
    subscribe(subscriber) {
      subscribers.add(subscriber);
      settle();
      return () => {
        subscribers.delete(subscriber);
        settle();
      };
    },
    follow(next) {
      stopPublishing();
      ownSubscription?.();
      ownSubscription = undefined;
      engine = next;
      settle();
    },
    close() {
      stopListening();
      stopPublishing();
      subscribers.clear();
      settle();
    },
  };
}

function inChunks(events: string[]): string[] {
  const chunks: string[] = [];
  let chunk: string[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event) + 1;
    if (bytes + size > bytesPerNotice) {
      chunks.push(`[${chunk.join(",")}]`);
      chunk = [];
      bytes = 0;
    }
    chunk.push(event);
    bytes += size;
  }
  chunks.push(`[${chunk.join(",")}]`);
  return chunks;
}
