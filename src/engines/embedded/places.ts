import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import type { CompiledJob } from "../../engine/engine.ts";
import { FencedError } from "../../engine/journal/lane.ts";
import { claimPlaces, countPlaces } from "./store.ts";

/** How many executions of each job are under way, for those jobs that limit it. */
export interface Places {
  /** Takes a place for a start: false when it has to wait for one. @throws ApiError CONFLICT */
  take(job: CompiledJob): boolean;
  /** A start that waits is durable: it is given a place if one came free meanwhile. */
  offer(job: CompiledJob): void;
  /** A restart takes one in any case: what ran before goes on. */
  add(jobId: string): void;
  /** A place is free again: the execution ended, or its start was not made. */
  free(jobId: string): void;
}

/** Counts what the database holds at first and every change since: only the owner of the executions starts and ends any. */
export async function openPlaces(options: {
  pool: pg.Pool;
  owner: string;
  limitOf(jobId: string, version: number): Promise<number | undefined>;
  onPlace(ids: string[]): void;
  /** Places may have been given whose answer never came: those that have them are to be looked for. */
  onLostClaim(): Promise<void>;
  onFault(error: Error): void;
}): Promise<Places> {
  const taken = new Map<string, number>();
  // Only of jobs some of whose executions may be waiting: to look for them takes places for a moment.
  const limits = new Map<string, number>();
  // True: asked for once more meanwhile.
  const giving = new Map<string, boolean>();

  for (const { jobId, version, under, waiting } of await countPlaces(options.pool)) {
    taken.set(jobId, under);
    if (waiting === 0) continue;
    limits.set(jobId, (await options.limitOf(jobId, version)) ?? Number.POSITIVE_INFINITY);
    void give(jobId);
  }

  /** Gives free places to those that wait, highest priority first. */
  async function give(jobId: string): Promise<void> {
    const limit = limits.get(jobId);
    if (limit === undefined) return;
    if (giving.has(jobId)) {
      giving.set(jobId, true);
      return;
    }
    giving.set(jobId, false);
    try {
      for (;;) {
        const free = Math.min(limits.get(jobId)! - (taken.get(jobId) ?? 0), 1_000);
        if (free <= 0) return;
        taken.set(jobId, (taken.get(jobId) ?? 0) + free);
        const ids = await claimPlaces(options.pool, options.owner, jobId, free).catch((error: unknown) => {
          release(jobId, free);
          throw error;
        });
        release(jobId, free - ids.length);
        if (ids.length > 0) options.onPlace(ids);
        if (ids.length < free) {
          if (!giving.get(jobId)) limits.delete(jobId);
          return;
        }
      }
    } catch (error) {
      // They are the new owner's to give.
      if (error instanceof FencedError) return;
      options.onFault(error as Error);
      setTimeout(() => {
        options.onLostClaim().catch(() => undefined);
        void give(jobId);
      }, 1_000).unref();
    } finally {
      const again = giving.get(jobId);
      giving.delete(jobId);
      if (again) void give(jobId);
    }
  }

  function release(jobId: string, places: number): void {
    const left = (taken.get(jobId) ?? 0) - places;
    if (left > 0) taken.set(jobId, left);
    else taken.delete(jobId);
  }

  return {
    take({ jobId, name, concurrency }) {
      const under = taken.get(jobId) ?? 0;
      if (!concurrency || under < concurrency.limit) {
        taken.set(jobId, under + 1);
        return true;
      }
      if (concurrency.onLimit === "queue") return false;
      const count = concurrency.limit === 1 ? "one execution" : `${concurrency.limit} executions`;
      throw new ApiError(
        "CONFLICT",
        `The job '${name}' allows ${count} at a time, and has that many. Start it again when one has ended.`,
      );
    },
    offer({ jobId, concurrency }) {
      limits.set(jobId, concurrency?.limit ?? Number.POSITIVE_INFINITY);
      void give(jobId);
    },
    add(jobId) {
      taken.set(jobId, (taken.get(jobId) ?? 0) + 1);
    },
    free(jobId) {
      release(jobId, 1);
      void give(jobId);
    },
  };
}
