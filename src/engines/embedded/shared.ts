import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "../../contract/errors.ts";
import type { ControlOutcome, Engine } from "../../engine/engine.ts";
import { FencedError } from "../../engine/journal/lane.ts";
import { newId } from "../../lib/ids.ts";
import { openEndWatch } from "./end-watch.ts";
import { openEmbedded } from "./engine.ts";
import { type EngineCall, perform } from "./engine-call.ts";
import { openEventRelay } from "./event-relay.ts";
import { openHandOver } from "./hand-over.ts";
import { openListener } from "./listener.ts";
import type { EmbeddedOptions } from "./options.ts";
import { lookAgainMs, type Ownership, ownerChannel, takeOwnership } from "./ownership.ts";
import { serveRequests } from "./request-server.ts";
import { somebodyStandsBy, standBy } from "./stand-by.ts";

export interface SharedEngine extends Engine {
  unfinishedAtStart: number;
  /** Whether the executions run in this process; another one runs them otherwise. */
  runsHere(): boolean;
}

/** The embedded engine while it runs here. */
interface Local {
  engine: Engine & { unfinishedAtStart: number };
  stop(): void;
}

/**
 * The embedded engine for a database that several processes share: one of them runs the executions; the others hand over what
 * they are asked, and one of them takes over when the owner dies or freezes.
 */
export async function openShared(
  options: Omit<EmbeddedOptions, "ownership" | "onFenced">,
): Promise<SharedEngine> {
  const { url, pool, log } = options;
  const listener = openListener(url);
  const handOver = openHandOver({ pool, listener, maxWaiting: options.maxQueued });
  const ends = openEndWatch({ pool, listener });
  const events = openEventRelay({ pool, listener, log });
  // Closing, or draining: this process takes nothing over any more.
  const leaving = new AbortController();
  let local: Local | undefined;
  let draining = false;
  let closed: Promise<void> | undefined;
  let handedOn: Promise<void> | undefined;
  // Ends a pause of the wait for the ownership.
  let wake = () => {};
  const stopListening = listener.on(ownerChannel, () => wake());
  // Resolves when the executions do not run here any more.
  let lost = Promise.withResolvers<void>();

  /** From here on another process runs the executions; it may have done so for a while. */
  function lose(from: Local | undefined, error: Error): void {
    if (!from || local !== from) return;
    if (!leaving.signal.aborted) {
      log.warn({ err: error }, "Another Pawl has taken over the executions: this one stands by.");
    }
    leave(from);
    // What still runs is aborted; nothing of it can be written.
    from.engine.close(0).catch(() => {});
  }

  function leave(from: Local): void {
    local = undefined;
    from.stop();
    ends.follow(undefined);
    events.follow(undefined);
    lost.resolve();
  }

  /** Takes the executions over as soon as `take` answers with the ownership. */
  async function runHere(
    take: (onLost: (error: Error) => void) => Promise<Ownership | undefined>,
  ): Promise<Local | undefined> {
    let own: Local | undefined;
    let early: Error | undefined;
    const onLost = (error: Error) => {
      early = error;
      lose(own, error);
    };
    const ownership = await take(onLost);
    if (!ownership) return undefined;
    const { owner } = ownership;
    const onFenced = () => onLost(new FencedError());
    const engine = await openEmbedded({ ...options, ownership, onFenced }).catch(async (error: unknown) => {
      await ownership.release();
      throw error;
    });
    own = { engine, stop: serveRequests({ pool, listener, owner, engine, log, onFenced }) };
    local = own;
    lost = Promise.withResolvers();
    ends.follow(engine);
    events.follow(engine);
    if (early) {
      lose(own, early);
      return undefined;
    }
    log.info({ resumed: engine.unfinishedAtStart }, "This Pawl runs the executions.");
    return own;
  }

  /** Looks for the ownership whenever the executions run elsewhere. */
  async function stayReady(): Promise<void> {
    while (!leaving.signal.aborted) {
      if (local) {
        await lost.promise;
        continue;
      }
      try {
        await runHere((onLost) => standBy({ url, signal: leaving.signal, log, onLost, pause }));
      } catch (error) {
        log.error({ err: error }, "The executions could not be taken over; it is tried again.");
        await pause(lookAgainMs);
      }
    }
  }

  /** Gives the executions to a process that stands by, as soon as no step is under way here. */
  async function handOn(): Promise<void> {
    while (local && !closed) {
      const here = local;
      const taker = await somebodyStandsBy(pool).catch(() => false);
      if (taker && !closed && local === here && here.engine.stats().running === 0) {
        log.info({}, "Drained: another Pawl goes on with the executions.");
        leave(here);
        return here.engine.close(0);
      }
      await delay(lookAgainMs, undefined, { ref: false });
    }
  }

  async function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await Promise.race([promise, delay(ms, undefined, { signal: leaving.signal }).catch(() => {})]);
  }

  async function call(asked: EngineCall): Promise<unknown> {
    const here = local;
    if (here) {
      try {
        return await perform(here.engine, pool, asked, false);
      } catch (error) {
        if (!(error instanceof FencedError)) throw error;
        lose(here, error);
      }
    }
    return handOver.ask(asked);
  }

  function control(kind: Exclude<EngineCall["kind"], "start">) {
    return <R extends EngineCall["given"]>(given: R): Promise<ControlOutcome> =>
      call({ kind, given: { actionId: newId(), ...given } }) as Promise<ControlOutcome>;
  }

  async function closeParts(): Promise<void> {
    handOver.close();
    ends.close();
    events.close();
    await listener.close();
  }

  async function close(graceMs: number): Promise<void> {
    leaving.abort();
    lost.resolve();
    stopListening();
    await ready;
    const limit = performance.now() + graceMs;
    await handedOn?.catch(() => {});
    local?.stop();
    if (local) await local.engine.close(graceMs);
    // What was handed over is answered by another process, which goes on.
    const waits = () => !local && handOver.waiting() + ends.waiting() > 0;
    while (waits() && performance.now() < limit) await delay(20);
    await closeParts();
  }

  const first = await runHere((onLost) => takeOwnership(url, onLost)).catch(async (error: unknown) => {
    await closeParts();
    throw error;
  });
  if (!first) log.info({}, "Another Pawl runs the executions of this database: this one stands by.");
  const ready = stayReady();

  return {
    unfinishedAtStart: first?.engine.unfinishedAtStart ?? 0,
    runsHere: () => local !== undefined,

    start(execution) {
      ends.starts(execution.id);
      return call({
        kind: "start",
        given: execution,
        watched: ends.isWatched(execution.id),
      }) as Promise<boolean>;
    },
    pause: control("pause"),
    resume: control("resume"),
    stop: control("stop"),
    restart: control("restart"),
    decide: control("decide"),

    watch: ends.watch,
    subscribe: events.subscribe,

    drain() {
      draining = true;
      leaving.abort();
      local?.engine.drain();
      handedOn ??= handOn();
      handedOn.catch((error: unknown) => log.warn({ err: error }, "The executions could not be handed on."));
    },

    close(graceMs) {
      closed ??= close(graceMs);
      return closed;
    },

    check() {
      if (draining) throw new ApiError("OVERLOADED", "The server is draining: no new step begins.");
      local?.engine.check();
    },

    stats: () => local?.engine.stats() ?? { running: 0, queued: 0 },
  };
}
