import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import { isStoreUnavailable } from "../../db/faults.ts";
import type { Engine, NewExecution } from "../../engine/engine.ts";
import { FencedError } from "../../engine/journal/lane.ts";
import { endChannel } from "./end-watch.ts";
import { type EngineCall, perform } from "./engine-call.ts";
import { patienceMs } from "./hand-over.ts";
import type { Listener } from "./listener.ts";
import {
  findRequests,
  notices,
  notify,
  putAnswers,
  removeOldRequests,
  requestChannel,
  type StoredAnswer,
  type StoredRequest,
} from "./request-store.ts";

const lookEachMs = 500;
const sweepEachMs = 30_000;
const atOnce = 2_000;

/**
 * Does what the processes that stand by ask of the owner. A request is answered once; one whose owner died in between is
 * done again by the next, and finds by the ids it carries what was done already. Answers how to stop.
 */
export function serveRequests(options: {
  pool: pg.Pool;
  listener: Listener;
  owner: string;
  engine: Engine;
  log: { error(o: object, m: string): void };
  onFenced(error: FencedError): void;
}): () => void {
  const { pool, listener, owner, engine, log } = options;
  const underWay = new Set<string>();
  let answers: { id: string; answer: StoredAnswer }[] = [];
  let ends: string[] = [];
  let looking = false;
  let lookAgain = false;
  let telling = false;
  let stopped = false;

  async function look(): Promise<void> {
    lookAgain = true;
    if (looking) return;
    looking = true;
    try {
      while (lookAgain && !stopped && underWay.size < atOnce) {
        lookAgain = false;
        const limit = atOnce - underWay.size;
        const found = await findRequests(pool, { except: [...underWay], maxAgeMs: patienceMs, limit });
        if (stopped) return;
        for (const request of found) void handle(request);
      }
    } catch {
      // The database is away; the next look is soon.
    } finally {
      looking = false;
    }
  }

  async function handle({ id, payload }: StoredRequest): Promise<void> {
    underWay.add(id);
    const answer = await answerTo(payload as EngineCall);
    if (!answer) {
      underWay.delete(id);
      return;
    }
    answers.push({ id, answer });
    void tell();
  }

  /** Undefined: whoever is the owner when it is looked at again answers. */
  async function answerTo(call: EngineCall): Promise<StoredAnswer | undefined> {
    const unwatch = call.watched ? watchEnd((call.given as NewExecution).id) : undefined;
    try {
      const value = await perform(engine, pool, call, true);
      if (value === false) unwatch?.();
      return { value: value ?? null };
    } catch (error) {
      unwatch?.();
      if (error instanceof FencedError) {
        options.onFenced(error);
        return undefined;
      }
      if (error instanceof ApiError) {
        const { code, message, details, retryAfter } = error;
        return code === "STORE_UNAVAILABLE" ? undefined : { error: { code, message, details, retryAfter } };
      }
      if (isStoreUnavailable(error)) return undefined;
      log.error({ err: error, kind: call.kind }, "A request of another Pawl failed.");
      const message = "The Pawl that runs the executions failed at this; its log has the reason.";
      return { error: { code: "INTERNAL", message } };
    }
  }

  function watchEnd(executionId: string): () => void {
    return engine.watch(executionId, () => {
      ends.push(executionId);
      void tell();
    });
  }

  async function tell(): Promise<void> {
    if (telling) return;
    telling = true;
    try {
      while (answers.length > 0 || ends.length > 0) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        const now = [...answers];
        const over = ends;
        ends = [];
        if (now.length > 0) await putAnswers(pool, owner, now);
        answers = answers.slice(now.length);
        for (const { id } of now) underWay.delete(id);
        if (over.length > 0) await notify(pool, endChannel, notices(over));
      }
    } catch {
      // The answers are told at the next look; the ends are found by those who wait for them.
    } finally {
      telling = false;
    }
  }

  const stopListening = listener.on(requestChannel, () => void look());
  const looks = setInterval(() => {
    void look();
    void tell();
  }, lookEachMs);
  const sweeps = setInterval(() => {
    removeOldRequests(pool).catch(() => {});
  }, sweepEachMs);
  looks.unref();
  sweeps.unref();
  void look();

  return () => {
    stopped = true;
    stopListening();
    clearInterval(looks);
    clearInterval(sweeps);
  };
}
