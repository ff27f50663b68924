import type { Logger } from "pino";
import type { ContentStore } from "./content-store.ts";

/** Long enough to cost nothing, short enough that what was replaced goes soon after its time. */
const everyMs = 5 * 60_000;

/** Removes contents that nobody holds any more, now and from time to time. Answers how to end that. */
export function startSweeping(contents: ContentStore, log: Pick<Logger, "warn">): () => Promise<void> {
  let ended = false;
  let underWay = Promise.resolve();
  async function sweepAll(): Promise<void> {
    try {
      // A hundred at a time.
      while (!ended && (await contents.sweep()) > 0);
    } catch (error) {
      // The next one does it.
      if (!ended) log.warn({ err: error }, "Replaced and deleted contents were not removed.");
    }
  }
  const sweep = () => {
    underWay = underWay.then(sweepAll);
  };
  sweep();
  const timer = setInterval(sweep, everyMs);
  return async () => {
    ended = true;
    clearInterval(timer);
    await underWay;
  };
}
