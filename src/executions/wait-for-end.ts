import type { Ending, Engine } from "../engine/engine.ts";

/** Waits for the end of one execution. */
export interface EndWait {
  /** To be called before the execution starts, so that even the quickest end is seen. */
  watch(executionId: string): void;
  /** For an end that was found otherwise. */
  saw(ending: Ending): void;
  /** The end; undefined when the limit passed, or the client had gone. */
  ended: Promise<Ending | undefined>;
  /** Ends the wait, whatever became of it. */
  stop(): void;
}

export function waitForEnd(engine: Engine, limitMs: number, signal: AbortSignal | undefined): EndWait {
  const { promise: ended, resolve } = Promise.withResolvers<Ending | undefined>();
  let unwatch: (() => void) | undefined;
  const finish = (ending: Ending | undefined) => {
    clearTimeout(timer);
    unwatch?.();
    signal?.removeEventListener("abort", giveUp);
    resolve(ending);
  };
  const giveUp = () => finish(undefined);
  const timer = setTimeout(giveUp, limitMs);
  signal?.addEventListener("abort", giveUp, { once: true });
  if (signal?.aborted) giveUp();

  return {
    watch(executionId) {
      unwatch?.();
      unwatch = engine.watch(executionId, finish);
    },
    saw: finish,
    ended,
    stop: giveUp,
  };
}
