import type { Journal } from "../../engine/journal/journal.ts";

export interface Fresh {
  /** The same journal; it is noted what is done to which execution. */
  journal: Journal;
  /** Those of them that may be read now. The others are given to `again` when what is done to them is over. */
  read(executionIds: string[]): string[];
  /** Whether nothing was done since to an execution that was read. If something was, it is given to `again`. */
  stillHolds(executionId: string): boolean;
}

/**
 * Keeps an execution from being set running on what was read of it before an action: it would begin a step while it is
 * paused or stopped, and the action, which saw nothing run, would not reach it.
 */
export function freshReads(journal: Journal, again: (executionId: string) => void): Fresh {
  const turns = new Map<string, number>();
  const postponed = new Set<string>();
  // Of one reading at a time.
  let fresh = new Set<string>();

  function over(executionId: string): void {
    const left = turns.get(executionId)! - 1;
    if (left > 0) {
      turns.set(executionId, left);
      return;
    }
    turns.delete(executionId);
    if (postponed.delete(executionId)) again(executionId);
  }

  return {
    journal: {
      ...journal,
      takeInTurn(turn) {
        const { executionId } = turn;
        fresh.delete(executionId);
        turns.set(executionId, (turns.get(executionId) ?? 0) + 1);
        return journal.takeInTurn(turn).finally(() => over(executionId));
      },
    },
    read(executionIds) {
      const now = executionIds.filter((id) => !turns.has(id));
      for (const id of executionIds) if (turns.has(id)) postponed.add(id);
      fresh = new Set(now);
      return now;
    },
    stillHolds(executionId) {
      if (fresh.delete(executionId)) return true;
      if (turns.has(executionId)) postponed.add(executionId);
      else again(executionId);
      return false;
    },
  };
}
