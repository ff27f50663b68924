import type pg from "pg";
import type { Ending, Engine } from "../../engine/engine.ts";
import type { Listener } from "./listener.ts";
import { findEndings } from "./request-store.ts";

export const endChannel = "pawl_end";

export interface EndWatch {
  /** As `Engine.watch`. */
  watch(executionId: string, onEnd: (ending: Ending) => void): () => void;
  isWatched(executionId: string): boolean;
  /** Executions whose end somebody waits for. */
  waiting(): number;
  /** The execution is about to be started: whatever end is found of it is new. */
  starts(executionId: string): void;
  /** The executions run in this process from now on, or (undefined) in another. */
  follow(engine: Engine | undefined): void;
  close(): void;
}

interface Watcher {
  onEnd(ending: Ending): void;
  unwatch: (() => void) | undefined;
  /** When it had ended before it was watched; null if it had not; undefined while that is not known. */
  endedBefore: number | null | undefined;
}

const lookEachMs = 500;

/** Tells of the ends of executions, wherever they run: by the engine when it is here, else by looking at their rows. */
export function openEndWatch({ pool, listener }: { pool: pg.Pool; listener: Listener }): EndWatch {
  const watchers = new Map<string, Set<Watcher>>();
  let engine: Engine | undefined;
  let looks: NodeJS.Timeout | undefined;

  function remove(id: string, watcher: Watcher): void {
    watcher.unwatch?.();
    const those = watchers.get(id);
    if (!those?.delete(watcher) || those.size > 0) return;
    watchers.delete(id);
    if (watchers.size === 0) stopLooking();
  }

  function tell(id: string, watcher: Watcher, ending: Ending): void {
    if (!watchers.get(id)?.has(watcher)) return;
    remove(id, watcher);
    watcher.onEnd(ending);
  }

  async function look(ids: string[]): Promise<void> {
    // Those that come while the rows are read would learn of a time before them.
    const asked = ids.flatMap((id) => [...(watchers.get(id) ?? [])].map((watcher) => ({ id, watcher })));
    const endings = await findEndings(pool, ids);
    for (const { id, watcher } of asked) {
      const ending = endings.get(id);
      if (watcher.endedBefore === undefined) watcher.endedBefore = ending?.endedAt ?? null;
      else if (ending && ending.endedAt !== watcher.endedBefore) tell(id, watcher, ending);
    }
  }

  function lookAtAll(): void {
    // The database may be away; the next look is soon.
    if (watchers.size > 0) look([...watchers.keys()]).catch(() => {});
  }

  function stopLooking(): void {
    clearInterval(looks);
    looks = undefined;
  }

  function attach(id: string, watcher: Watcher): void {
    watcher.unwatch = engine?.watch(id, (ending) => tell(id, watcher, ending));
    if (!engine) looks ??= setInterval(lookAtAll, lookEachMs);
  }

  const stopListening = listener.on(endChannel, (payload) => {
    if (engine) return;
    const ids = payload.split(",").filter((id) => watchers.has(id));
    if (ids.length > 0) look(ids).catch(() => {});
  });

  return {
    watch(id, onEnd) {
      const watcher: Watcher = { onEnd, unwatch: undefined, endedBefore: undefined };
      const those = watchers.get(id) ?? new Set();
      watchers.set(id, those.add(watcher));
      attach(id, watcher);
      if (!engine) look([id]).catch(() => {});
      return () => remove(id, watcher);
    },
    isWatched: (id) => watchers.has(id),
    waiting: () => watchers.size,
    starts(id) {
      for (const watcher of watchers.get(id) ?? []) watcher.endedBefore = null;
    },
    follow(next) {
      engine = next;
      if (engine) stopLooking();
      for (const [id, those] of watchers) {
        for (const watcher of those) {
          watcher.unwatch?.();
          // It was watched while the engine was here, which would have told of an end.
          watcher.endedBefore ??= null;
          attach(id, watcher);
        }
      }
      lookAtAll();
    },
    close() {
      stopListening();
      stopLooking();
      for (const [id, those] of watchers) for (const watcher of those) remove(id, watcher);
    },
  };
}
