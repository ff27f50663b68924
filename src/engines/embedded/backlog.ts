export interface Backlog {
  /** Adds executions that are to run: ids only, their rows hold the rest. */
  push(...ids: string[]): void;
  /** Takes up what there is room for; to be called whenever room may have come free. */
  refill(): void;
  size(): number;
}

const loadAtOnce = 100;
const retryMs = 1_000;

/** Executions that were accepted or found and wait for room in memory, in the order in which they came. */
export function openBacklog(options: {
  /** How many more may run now. */
  room(): number;
  /** Loads these and sets them running. */
  takeUp(ids: string[]): Promise<void>;
  onFault(error: Error): void;
}): Backlog {
  let waiting: string[] = [];
  let taking = false;

  async function takeAll(): Promise<void> {
    for (let room = options.room(); waiting.length > 0 && room > 0; room = options.room()) {
      const ids = waiting.splice(0, Math.min(room, loadAtOnce));
      try {
        await options.takeUp(ids);
      } catch (error) {
        waiting = [...ids, ...waiting];
        throw error;
      }
    }
  }

  function refill(): void {
    if (taking || waiting.length === 0) return;
    taking = true;
    takeAll()
      .catch((error: Error) => {
        options.onFault(error);
        setTimeout(refill, retryMs).unref();
      })
      .finally(() => {
        taking = false;
      });
  }

  return {
    push(...ids) {
      waiting.push(...ids);
      refill();
    },
    refill,
    size: () => waiting.length,
  };
}
