import type { LogLine } from "./engine.ts";

export interface StepLog {
  /** Those that are not kept yet. */
  lines: LogLine[] | undefined;
  /** How many are kept already. */
  kept: number;
  write(level: LogLine["level"], message: string): void;
  /** A line that is seen while the step goes on. */
  tell(level: LogLine["level"], message: string): void;
  /** A line of the engine's own, which a full log takes too. */
  note(level: LogLine["level"], message: string): void;
  /** From now on nothing is kept ahead: the record of the try has what is left. */
  end(): void;
}

/** Keeps lines of a step that goes on, the first of which has this number. Never throws. */
export type KeepLines = (lines: LogLine[], from: number) => Promise<void>;

const maxLines = 10_000;

/** Collects what a step logs in one try, up to a size; past it one last line says that the rest was dropped. */
export function stepLog(maxBytes: number, keep?: KeepLines): StepLog {
  let size = 0;
  let count = 0;
  let last = 0;
  let keeping = false;
  let wanted = false;
  let ended = false;

  function push(level: LogLine["level"], message: string): void {
    // Most steps log nothing: no array for them.
    log.lines ??= [];
    count++;
    // Lines are read in the order of their times, also those of a try that a crash cut in two: none may go back.
    last = Math.max(last, Date.now());
    log.lines.push({ at: last, level, message });
  }

  /** One group after another: what is told meanwhile goes with the next. */
  async function keepTold(): Promise<void> {
    if (!keep || keeping) return;
    keeping = true;
    while (wanted && !ended) {
      wanted = false;
      const lines = log.lines ?? [];
      const from = log.kept;
      log.lines = undefined;
      log.kept += lines.length;
      if (lines.length > 0) await keep(lines, from);
    }
    keeping = false;
  }

  const log: StepLog = {
    lines: undefined,
    kept: 0,
    write(level, message) {
      if (size > maxBytes || ended) return;
      size += message.length;
      const full = size > maxBytes || count + 1 >= maxLines;
      if (full) size = Number.POSITIVE_INFINITY;
      push(full ? "warn" : level, full ? "The log of this try is full; further lines are dropped." : message);
    },
    tell(level, message) {
      log.write(level, message);
      wanted = true;
      void keepTold();
    },
    note: push,
    end() {
      ended = true;
    },
  };
  return log;
}
