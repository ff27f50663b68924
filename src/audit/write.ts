import { ApiError } from "../contract/errors.ts";
import type { Audit, AuditEntry } from "../http/audit.ts";
import { type AuditLine, chained, lineOf } from "./chain.ts";
import type { AuditStore } from "./store.ts";

export interface AuditLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface AuditWriter extends Audit {
  /** Writes what waits; what can't be written goes to the log. */
  close(): Promise<void>;
}

interface Waiting {
  line: AuditLine;
  /** Must not happen unseen: not tried again, its caller is told. */
  must: boolean;
  done: PromiseWithResolvers<void>;
}

const most = { batch: 500, waiting: 10_000 };
const retryMs = 500;

/**
 * Writes lines in groups: what comes while a group is under way is the next one, so that a hundred changes at a time
 * cost the database little more than one.
 * @param waitMs how long an answer waits for its line while the database is away
 */
export function createAuditWriter(options: {
  store: Pick<AuditStore, "append">;
  key: Buffer;
  log: AuditLog;
  waitMs?: number;
}): AuditWriter {
  const { store, key, log, waitMs = 3_000 } = options;
  let waiting: Waiting[] = [];
  let writing = false;
  let closed = false;
  let failing = false;

  async function write(): Promise<void> {
    if (writing) return;
    writing = true;
    try {
      while (waiting.length > 0) {
        const group = waiting.splice(0, most.batch);
        try {
          await store.append(
            group.map(({ line }) => line),
            (head, lines) => chained(key, head, lines),
          );
          for (const { done } of group) done.resolve();
          failing = false;
        } catch (error) {
          if (await putBack(group, error)) continue;
          return;
        }
      }
    } finally {
      writing = false;
    }
  }

  /** Answers whether to go on at once. */
  async function putBack(group: Waiting[], error: unknown): Promise<boolean> {
    if (!failing) log.warn({ err: error }, "The audit record could not be written; it is tried again.");
    failing = true;
    for (const { must, done } of group) if (must) done.reject(error);
    waiting = [...group.filter(({ must }) => !must), ...waiting];
    if (waiting.length > most.waiting) {
      giveUp(waiting.splice(0, waiting.length - most.waiting));
    }
    if (closed) return false;
    await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    return true;
  }

  /** They say nothing that a log may not hold. */
  function giveUp(lines: Waiting[]): void {
    for (const { line, done } of lines) {
      log.error({ audit: line }, "A line of the audit record could not be written, and is only here.");
      done.resolve();
    }
  }

  function add(entry: AuditEntry, must: boolean): Waiting {
    const one = { line: lineOf(entry), must, done: Promise.withResolvers<void>() };
    waiting.push(one);
    void write();
    return one;
  }

  return {
    async record(entry) {
      const one = add(entry, false);
      await within(waitMs, one.done.promise).catch(() => {});
    },
    async mustRecord(entry) {
      const one = add(entry, true);
      try {
        await within(waitMs, one.done.promise);
      } catch (error) {
        waiting = waiting.filter((other) => other !== one);
        throw new ApiError(
          "STORE_UNAVAILABLE",
          "The audit record can't be written just now, and this must not happen without it. Try again in a moment.",
          { cause: error },
        );
      }
    },
    async close() {
      closed = true;
      const left = [...waiting];
      await within(waitMs, Promise.allSettled([write(), ...left.map(({ done }) => done.promise)])).catch(
        () => {},
      );
      giveUp(waiting.splice(0).filter(({ must }) => !must));
    },
  };
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("It took too long.")), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
