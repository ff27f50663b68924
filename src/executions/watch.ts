import type { Readable } from "node:stream";
import type { LiveSnapshot } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import type { Principal } from "../http/principal.ts";
import type { EventHub } from "./event-hub.ts";
import { eventStream } from "./event-stream.ts";
import type { LiveStore } from "./live-store.ts";
import { isRestricted, maySee, readExecution, requireVisible } from "./read.ts";
import type { ExecutionStore } from "./store.ts";

export interface WatchDeps {
  store: ExecutionStore;
  live: LiveStore;
  hub: EventHub;
  heartbeatMs: number;
}

export interface WatchCall {
  principal: Principal;
  lastEventId: string | undefined;
  signal: AbortSignal;
  /** Whether snapshots have the outputs of the steps. */
  outputs?: boolean | undefined;
  /** Who the credential belongs to now; throws when it is worth nothing any more. */
  readmit(): Promise<Principal>;
}

// A job can move out of a principal's limits: what was looked up is believed for so long.
const rightsMs = 10_000;
const listed = 1_000;

/** @throws ApiError NOT_FOUND, OVERLOADED */
export async function watchExecution(deps: WatchDeps, call: WatchCall, id: string): Promise<Readable> {
  const { store, hub, heartbeatMs } = deps;
  let { principal } = call;
  await requireVisible(store, principal, id);
  return eventStream({
    hub,
    heartbeatMs,
    executionId: id,
    lastEventId: call.lastEventId,
    signal: call.signal,
    snapshot: () => readExecution(store, principal, id, { outputs: call.outputs ?? true }),
    maySee: async () => true,
    async recheck() {
      principal = await readmitted(call, principal);
      await unlessAway(requireVisible(store, principal, id));
    },
  });
}

/** @throws ApiError OVERLOADED */
export function watchExecutions(deps: WatchDeps, call: WatchCall): Readable {
  const { live, hub, heartbeatMs } = deps;
  let { principal } = call;
  let seen = new Map<string, { may: boolean; until: number }>();

  async function mayWatch(jobId: string): Promise<boolean> {
    if (!isRestricted(principal)) return true;
    const known = seen.get(jobId);
    if (known && known.until > Date.now()) return known.may;
    const may = maySee(principal, await deps.store.findRights(jobId));
    seen.set(jobId, { may, until: Date.now() + rightsMs });
    return may;
  }

  return eventStream({
    hub,
    heartbeatMs,
    lastEventId: call.lastEventId,
    signal: call.signal,
    maySee: mayWatch,
    async snapshot(): Promise<LiveSnapshot> {
      const { rows, total } = await live.findLive(principal.jobs, listed);
      return {
        executions: rows.map((row) => ({ ...row, startTime: row.startTime.toISOString() })),
        total,
      };
    },
    async recheck() {
      principal = await readmitted(call, principal);
      seen = new Map();
    },
  });
}

async function readmitted(call: WatchCall, principal: Principal): Promise<Principal> {
  return (await unlessAway(call.readmit())) ?? principal;
}

/** A database that is away for a moment takes nobody's rights. */
async function unlessAway<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const lost = ["UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND"];
    if (error instanceof ApiError && lost.includes(error.code)) throw error;
    return undefined;
  }
}
