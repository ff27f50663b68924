import { randomUUID } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import type { Engine, EngineEvent } from "../engine/engine.ts";

/** An event with its place in the order of all. */
export interface NumberedEvent {
  id: string;
  event: EngineEvent;
}

/** Somebody who watches: what has happened since they last took it. */
export interface Subscription {
  /** Events after this one, if they are all still known; else undefined, and a snapshot is due. */
  since(id: string): NumberedEvent[] | undefined;
  /** The id that a snapshot taken now has. */
  position(): string;
  /** Resolves when there is something to take, when the time has passed, or when it is over. */
  wait(ms: number): Promise<void>;
  take(): NumberedEvent[];
  /** True once after something may have been missed: a snapshot is due. */
  isBroken(): boolean;
  /** The hub was closed, or the subscriber fell too far behind. */
  isOver(): boolean;
  end(): void;
}

export interface EventHub {
  subscribe(executionId: string | undefined): Subscription;
  /** Ends all subscriptions. */
  close(): void;
}

interface Subscriber {
  executionId: string | undefined;
  waiting: NumberedEvent[];
  /** Something may have been missed since it last took. */
  broken: boolean;
  over: boolean;
  wake: () => void;
}

export interface HubLimits {
  /** Events that are kept for those who come back with Last-Event-ID. */
  kept: number;
  /** Events that may wait for one subscriber; one that is slower than that is cut off. */
  waiting: number;
  subscribers: number;
  /** How long events are still kept when nobody watches any more. */
  lingerMs: number;
}

const defaults: HubLimits = { kept: 10_000, waiting: 10_000, subscribers: 1_000, lingerMs: 60_000 };

/**
 * Hands the engine's events to those who watch, and keeps the last of them in memory. Where nobody watches, it does not
 * listen: telling of every step would cost the engine for nothing.
 */
export function eventHub(engine: Pick<Engine, "subscribe">, given: Partial<HubLimits> = {}): EventHub {
  const limits = { ...defaults, ...given };
  const all = new Set<Subscriber>();
  const byExecution = new Map<string, Set<Subscriber>>();
  const everything = new Set<Subscriber>();
  let stopListening: (() => void) | undefined;
  let linger: NodeJS.Timeout | undefined;
  let closed = false;
  // Numbers mean something only while one process listens without a break.
  let epoch = "";
  let last = 0;
  let kept: NumberedEvent[] = [];

  function listen(): void {
    clearTimeout(linger);
    if (stopListening) return;
    beginEpoch();
    stopListening = engine.subscribe(publish, onGap);
  }

  function beginEpoch(): void {
    epoch = randomUUID().slice(0, 8);
    last = 0;
    kept = [];
  }

  /** What was told so far has no continuation: whoever watches, and whoever comes back, needs to see how things stand. */
  function onGap(): void {
    beginEpoch();
    for (const subscriber of all) {
      subscriber.waiting = [];
      subscriber.broken = true;
      subscriber.wake();
    }
  }

  function publish(event: EngineEvent): void {
    last++;
    const numbered = { id: `${epoch}-${last}`, event };
    kept.push(numbered);
    if (kept.length >= 2 * limits.kept) kept = kept.slice(-limits.kept);
    for (const subscriber of byExecution.get(event.executionId) ?? []) give(subscriber, numbered);
    for (const subscriber of everything) give(subscriber, numbered);
  }

  function give(subscriber: Subscriber, event: NumberedEvent): void {
    if (subscriber.waiting.length >= limits.waiting) subscriber.over = true;
    else subscriber.waiting.push(event);
    subscriber.wake();
  }

  function join(subscriber: Subscriber): void {
    all.add(subscriber);
    const { executionId } = subscriber;
    if (executionId === undefined) return void everything.add(subscriber);
    const those = byExecution.get(executionId) ?? new Set();
    byExecution.set(executionId, those.add(subscriber));
  }

  function leave(subscriber: Subscriber): void {
    if (!all.delete(subscriber)) return;
    everything.delete(subscriber);
    const those = byExecution.get(subscriber.executionId ?? "");
    those?.delete(subscriber);
    if (those?.size === 0) byExecution.delete(subscriber.executionId!);
    if (all.size === 0 && !closed) {
      linger = setTimeout(stop, limits.lingerMs);
      linger.unref();
    }
  }

  function stop(): void {
    clearTimeout(linger);
    stopListening?.();
    stopListening = undefined;
    kept = [];
  }

  return {
    subscribe(executionId) {
      if (closed || all.size >= limits.subscribers) {
        const why = closed ? "Pawl is shutting down" : "Too many watch at the moment";
        throw new ApiError("OVERLOADED", `${why}; try again shortly.`, { retryAfter: 5 });
      }
      listen();
      const own: Subscriber = {
        executionId,
        waiting: [],
        broken: false,
        over: false,
        wake() {},
      };
      join(own);
      return {
        position: () => `${epoch}-${last}`,
        since(id) {
          const [of, number] = id.split("-");
          const seen = Number(number);
          const oldest = last - Math.min(kept.length, limits.kept);
          if (of !== epoch || !Number.isInteger(seen) || seen < oldest || seen > last) return undefined;
          // What is replayed here is not to be told again.
          own.waiting = [];
          return kept
            .slice(kept.length - (last - seen), kept.length)
            .filter(({ event }) => executionId === undefined || event.executionId === executionId);
        },
        async wait(ms) {
          if (own.waiting.length > 0 || own.broken || own.over) return;
          const { promise, resolve } = Promise.withResolvers<void>();
          const timer = setTimeout(resolve, ms);
          own.wake = resolve;
          await promise;
          clearTimeout(timer);
          own.wake = () => {};
        },
        take: () => own.waiting.splice(0),
        isBroken() {
          const { broken } = own;
          own.broken = false;
          return broken;
        },
        isOver: () => own.over,
        end() {
          own.over = true;
          own.wake();
          leave(own);
        },
      };
    },
    close() {
      closed = true;
      for (const subscriber of all) {
        subscriber.over = true;
        subscriber.wake();
      }
      stop();
    },
  };
}
