import type { LogLine } from "./engine.ts";

export interface StepLog {
  lines: LogLine[] | undefined;
  write(level: LogLine["level"], message: string): void;
  /** A line of the engine's own, which a full log takes too. */
  note(level: LogLine["level"], message: string): void;
}

const maxLines = 10_000;

/** Collects what a step logs in one try, up to a size; past it one last line says that the rest was dropped. */
export function stepLog(maxBytes: number): StepLog {
  let size = 0;
  const log: StepLog = {
    // Most steps log nothing: no array for them.
    lines: undefined,
    write(level, message) {
      if (size > maxBytes) return;
      log.lines ??= [];
      size += message.length;
      const full = size > maxBytes || log.lines.length >= maxLines;
      if (full) size = Number.POSITIVE_INFINITY;
      const text = full ? "The log of this try is full; further lines are dropped." : message;
      log.lines.push({ at: Date.now(), level: full ? "warn" : level, message: text });
    },
    note(level, message) {
      log.lines ??= [];
      log.lines.push({ at: Date.now(), level, message });
    },
  };
  return log;
}
