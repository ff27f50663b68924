import type { StepStatus } from "../../contract/execution.ts";
import type { CompiledJob, Ending, EngineEvent } from "../../engine/engine.ts";

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
    stepped(
      executionId: string,
      { jobId, steps }: CompiledJob,
      { position, attempt, status }: { position: number; attempt: number; status: StepStatus },
    ): void {
      // Most of the time nobody wants to know, and an event a step would be made for nothing.
      if (listeners.size === 0) return;
      const { id, key } = steps[position]!;
      const event = { executionId, jobId, at: Date.now(), status, step: { id, key, attempt } };
      for (const listener of listeners) listener(event);
    },
    changed(event: EngineEvent): void {
      for (const listener of listeners) listener(event);
    },
  };
}
