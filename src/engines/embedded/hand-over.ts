import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { EngineCall } from "./engine-call.ts";
import type { Listener } from "./listener.ts";
import {
  answerChannel,
  putRequests,
  removeRequest,
  type StoredAnswer,
  type StoredRequest,
  takeAnswers,
} from "./request-store.ts";

export interface HandOver {
  /** Answers what the owner of the executions did; when it dies meanwhile, what the next one did. */
  ask(call: EngineCall): Promise<unknown>;
  /** Requests without an answer. */
  waiting(): number;
  close(): void;
}

interface Waiting {
  request: StoredRequest;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

// Longer than another process needs to take over.
export const patienceMs = 10_000;
const lookEachMs = 500;

/** Hands requests over to the owner of the executions: those that come together go and return together. */
export function openHandOver(options: { pool: pg.Pool; listener: Listener; maxWaiting: number }): HandOver {
  const { pool, listener } = options;
  const waiting = new Map<string, Waiting>();
  let unsent: StoredRequest[] = [];
  let answered = new Set<string>();
  let lookAtAll = false;
  let busy = false;
  let closed = false;

  async function exchange(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      while (unsent.length > 0 || answered.size > 0 || lookAtAll) {
        // What arrives in this turn goes along.
        await new Promise<void>((resolve) => setImmediate(resolve));
        const requests = unsent;
        const all = lookAtAll;
        const ids = all ? [...waiting.keys()] : [...answered];
        unsent = [];
        answered = new Set();
        lookAtAll = false;
        if (requests.length > 0) await putRequests(pool, requests);
        if (ids.length > 0) for (const { id, answer } of await takeAnswers(pool, ids)) settle(id, answer);
        // A row may be gone: its insert failed, or its answer was lost with the connection. It is asked again.
        const unanswered = all ? ids.flatMap((id) => waiting.get(id)?.request ?? []) : [];
        if (unanswered.length > 0) await putRequests(pool, unanswered);
      }
    } catch {
      // The database is away: all that wait are asked again at the next look.
    } finally {
      busy = false;
    }
  }

  function settle(id: string, answer: StoredAnswer): void {
    const one = waiting.get(id);
    if (!one) return;
    waiting.delete(id);
    clearTimeout(one.timer);
    if ("value" in answer) {
      one.resolve(answer.value);
      return;
    }
    const { code, message, details, retryAfter } = answer.error;
    one.reject(
      new ApiError(code, message, { ...(details ? { details } : {}), ...(retryAfter ? { retryAfter } : {}) }),
    );
  }

  function giveUp(id: string): void {
    const one = waiting.get(id);
    if (!one) return;
    waiting.delete(id);
    clearTimeout(one.timer);
    one.reject(
      new ApiError(
        "STORE_UNAVAILABLE",
        "The Pawl that runs the executions has not answered; what was asked may still have been done. Look, and try again.",
        { retryAfter: 2 },
      ),
    );
    removeRequest(pool, id).catch(() => {});
  }

  const stopListening = listener.on(answerChannel, (payload) => {
    if (waiting.size === 0) return;
    if (payload === "") lookAtAll = true;
    for (const id of payload.split(",")) if (waiting.has(id)) answered.add(id);
    void exchange();
  });
  // A notification is lost with the connection that would have heard it.
  const look = setInterval(() => {
    if (waiting.size === 0) return;
    lookAtAll = true;
    void exchange();
  }, lookEachMs);
  look.unref();

  return {
    ask(call) {
      if (closed || waiting.size >= options.maxWaiting) {
        const why = closed
          ? "Pawl is shutting down"
          : "More requests wait for the Pawl that runs the executions than this one will hold";
        return Promise.reject(
          new ApiError(closed ? "STORE_UNAVAILABLE" : "OVERLOADED", `${why}; try again shortly.`, {
            retryAfter: 1,
          }),
        );
      }
      return new Promise((resolve, reject) => {
        const request = { id: newId(), kind: call.kind, payload: call };
        const timer = setTimeout(() => giveUp(request.id), patienceMs);
        waiting.set(request.id, { request, resolve, reject, timer });
        unsent.push(request);
        void exchange();
      });
    },
    waiting: () => waiting.size,
    close() {
      closed = true;
      clearInterval(look);
      stopListening();
      for (const id of waiting.keys()) giveUp(id);
    },
  };
}
