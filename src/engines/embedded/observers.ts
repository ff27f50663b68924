import type { Ending, EngineEvent } from "../../engine/engine.ts";

/** Those who watch executions of this process. */
export function observers() {
  const watchers = new Map<string, Set<(ending: Ending) => void>>();
  const listeners = new Set<(event: EngineEvent) => void>();

  return {
    watch(id: string, onEnd: (ending: Ending) => void): () => void {
      const watching = watchers.get(id) ?? new Set();
      watchers.set(id, watching.add(onEnd));
      return () => {
        watching.delete(onEnd);
        if (watching.size === 0 && watchers.get(id) === watching) watchers.delete(id);
      };
    },
    subscribe(listener: (event: EngineEvent) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ended(id: string, ending: Ending): void {
      for (const onEnd of watchers.get(id) ?? []) onEnd(ending);
      watchers.delete(id);
    },
    /** Whether anybody wants to know: most of the time nobody does, and an event a step would be made for nothing. */
    listening: () => listeners.size > 0,
    changed(event: EngineEvent): void {
      for (const listener of listeners) listener(event);
    },
  };
}
