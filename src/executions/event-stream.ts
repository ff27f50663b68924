import { Readable } from "node:stream";
import type { ExecutionEvent } from "../contract/control.ts";
import type { EngineEvent } from "../engine/engine.ts";
import type { EventHub, NumberedEvent } from "./event-hub.ts";

export interface StreamOptions {
  hub: EventHub;
  /** One execution; all that may be seen when left out. */
  executionId?: string;
  lastEventId: string | undefined;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  snapshot(): Promise<unknown>;
  /** Whether the caller may know of executions of this job. */
  maySee(jobId: string): Promise<boolean>;
  /** Looks again at who the caller is; throws when they may not watch any more. */
  recheck(): Promise<void>;
  heartbeatMs: number;
}

/**
 * A snapshot and then every change, as server-sent events; a snapshot again where changes may have been missed. Whoever comes back with the id of an event that is still known
 * gets what came after it instead of the snapshot. Ends when the caller loses the right to it, or reads too slowly; a
 * client of the standard kind comes back by itself.
 */
export function eventStream(options: StreamOptions): Readable {
  const subscription = options.hub.subscribe(options.executionId);
  options.signal.addEventListener("abort", () => subscription.end(), { once: true });
  let handedOver = 0;
  const stream = Readable.from(frames(), { objectMode: true, highWaterMark: 1 });
  // The client takes nothing: its connection is stuck, or it means to hold our memory.
  const watchdog = setInterval(() => {
    if (handedOver > 0 && Date.now() - handedOver > 2 * options.heartbeatMs) stream.destroy();
  }, options.heartbeatMs);
  stream.once("close", () => {
    clearInterval(watchdog);
    subscription.end();
  });

  async function* frames(): AsyncGenerator<string> {
    yield* handOver(`retry: 1000\n\n${await opening()}`);
    while (!subscription.isOver()) {
      await subscription.wait(options.heartbeatMs);
      if (subscription.isBroken()) {
        yield* handOver(await snapshot());
        continue;
      }
      const events = subscription.take();
      if (events.length === 0) {
        if (subscription.isOver()) return;
        if (!(await mayStill())) return;
      }
      const text = await told(events);
      if (text !== "") yield* handOver(text);
      else if (events.length === 0) yield* handOver(": still here\n\n");
    }
  }

  async function mayStill(): Promise<boolean> {
    try {
      await options.recheck();
      return true;
    } catch {
      return false;
    }
  }

  function* handOver(text: string): Generator<string> {
    handedOver = Date.now();
    yield text;
    handedOver = 0;
  }

  async function opening(): Promise<string> {
    const missed = options.lastEventId === undefined ? undefined : subscription.since(options.lastEventId);
    return missed ? told(missed) : snapshot();
  }

  async function snapshot(): Promise<string> {
    // Read after the position: an event in between is told twice rather than never.
    const id = subscription.position();
    return frame("snapshot", id, await options.snapshot());
  }

  async function told(events: NumberedEvent[]): Promise<string> {
    const frames: string[] = [];
    for (const { id, event } of events) {
      if (await options.maySee(event.jobId)) {
        frames.push(frame(event.step ? "step" : "execution", id, presentEvent(event)));
      }
    }
    return frames.join("");
  }

  return stream;
}

function frame(event: string, id: string, data: unknown): string {
  // JSON has no line breaks of its own.
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

function presentEvent({ executionId, jobId, status, at, step }: EngineEvent): ExecutionEvent {
  return {
    executionId,
    jobId,
    status,
    at: new Date(at).toISOString(),
    ...(step ? { step: { id: step.id, key: step.key, attempt: step.attempt } } : {}),
  };
}
