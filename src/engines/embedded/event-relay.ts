import type pg from "pg";
import type { Engine, EngineEvent } from "../../engine/engine.ts";
import { newId } from "../../lib/ids.ts";
import type { Listener } from "./listener.ts";
import { notify } from "./request-store.ts";

export interface EventRelay {
  /** As `Engine.subscribe`. Of executions that run in another process, events come a moment later. */
  subscribe(listener: (event: EngineEvent) => void, onGap?: () => void): () => void;
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

/**
 * What is told: events, or with none that nothing has been told since. `from` is another one whenever somebody else tells or has
 * begun anew, and `after` counts what was told before, so that whoever hears it knows whether they have missed something.
 */
interface Notice {
  from: string;
  after: number;
  events: EngineEvent[];
}

interface Publishing {
  /** Until when somebody is known to listen; milliseconds since the epoch. */
  until: number;
  /** Somebody listens: they are told up to where it has been told. */
  asked(): void;
  stop(): void;
}

interface Subscriber {
  listener(event: EngineEvent): void;
  onGap: (() => void) | undefined;
}

/** Brings the events of executions to those who subscribed in any process; the owner tells only while somebody asks. */
export function openEventRelay(given: {
  pool: pg.Pool;
  listener: Listener;
  log: { warn(o: object, m: string): void };
}): EventRelay {
  const { pool, listener, log } = given;
  const subscribers = new Set<Subscriber>();
  let engine: Engine | undefined;
  let ownSubscription: (() => void) | undefined;
  let stopAsking: (() => void) | undefined;
  let publishing: Publishing | undefined;
  // Up to where this process has heard the owner; undefined: not yet.
  let heard: { from: string; count: number } | undefined;

  function give(event: EngineEvent): void {
    for (const { listener } of subscribers) listener(event);
  }

  function tellOfGap(): void {
    for (const { onGap } of subscribers) onGap?.();
  }

  function hear({ from, after, events }: Notice): void {
    const missed = heard?.from !== from || heard.count !== after;
    heard = { from, count: after + (events.length > 0 ? 1 : 0) };
    if (missed) tellOfGap();
    for (const event of events) give(event);
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
    heard = undefined;
    const stopListening = listener.on(eventChannel, (payload) => {
      if (payload !== "") return hear(JSON.parse(payload));
      // The connection was lost; the owner's answer tells what of it.
      heard = undefined;
      ask();
    });
    const asking = setInterval(ask, askEachMs);
    asking.unref();
    ask();
    return () => {
      clearInterval(asking);
      stopListening();
    };
  }

  function publish(from: Engine): Publishing {
    const id = newId();
    let untold: string[] = [];
    let leftOut = false;
    let told = 0;
    let sent: Promise<unknown> = Promise.resolve();
    const stopListening = from.subscribe((event) => {
      if (untold.length < mostUntold) untold.push(JSON.stringify(event));
      else leftOut = true;
    });

    function send(): void {
      const chunks = inChunks(untold);
      untold = [];
      const notices = chunks.map(
        (chunk) => `{"from":"${id}","after":${told++},"events":[${chunk.join(",")}]}`,
      );
      tell(notices);
      if (!leftOut) return;
      leftOut = false;
      // A number that nobody hears: they will know that they have missed something.
      told++;
      log.warn({ events: mostUntold }, "Events come faster than other Pawls can be told: some are left out.");
    }

    /** One after the other: on two connections they could overtake each other. */
    function tell(notices: string[]): void {
      sent = sent.then(() => notify(pool, eventChannel, notices)).catch(() => {});
    }

    const timer = setInterval(() => {
      if (Date.now() > state.until) return stopPublishing();
      if (untold.length > 0) send();
    }, tellEachMs);
    timer.unref();
    const state = {
      until: 0,
      asked() {
        state.until = Date.now() + interestMs;
        if (untold.length > 0) send();
        else tell([`{"from":"${id}","after":${told},"events":[]}`]);
      },
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
    publishing.asked();
  });

  return {
    subscribe(listener, onGap) {
      const subscriber = { listener, onGap };
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
      // Of an owner elsewhere the first notice tells.
      if (engine) tellOfGap();
    },
    close() {
      stopListening();
      stopPublishing();
      subscribers.clear();
      settle();
    },
  };
}

function inChunks(events: string[]): string[][] {
  const chunks: string[][] = [];
  let chunk: string[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event) + 1;
    if (bytes + size > bytesPerNotice) {
      chunks.push(chunk);
      chunk = [];
      bytes = 0;
    }
    chunk.push(event);
    bytes += size;
  }
  chunks.push(chunk);
  return chunks;
}
