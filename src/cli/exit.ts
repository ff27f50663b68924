/** What the process's exit code means: scripts rely on it, so `pawl --help` prints this table. */
export const exitCodes = {
  ok: { code: 0, means: "done; with --wait: the execution COMPLETED" },
  failed: {
    code: 1,
    means:
      "the execution FAILED, the connection does not work, the audit record is not intact, or Pawl could not do its work",
  },
  usage: { code: 2, means: "the command line, a file or the configuration is wrong" },
  stopped: { code: 3, means: "the execution was STOPPED" },
  unreachable: { code: 4, means: "Pawl can't be reached" },
  refused: { code: 5, means: "Pawl refused the request (not found, not allowed, not valid …)" },
  lost: { code: 70, means: "serve: Pawl lost its database and ended; nothing is lost, start it again" },
  detached: { code: 130, means: "Ctrl-C while waiting; the execution goes on" },
} as const;

export type Exit = keyof typeof exitCodes;

/** A failure of the command itself: a sentence, the exit code, and what to do next. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exit: Exit;
  readonly details: string[];
  readonly hint: string | undefined;
  constructor(exit: Exit, message: string, more: { details?: string[]; hint?: string } = {}) {
    super(message);
    this.exit = exit;
    this.details = more.details ?? [];
    this.hint = more.hint;
  }
}
