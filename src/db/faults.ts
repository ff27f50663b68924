const CONNECTION_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

// 08 connection · 53 out of disk, memory or connections · 57P0x the server is going down or coming up ·
// 58030 I/O error · 25006 a standby took the place of the primary.
const UNAVAILABLE_STATE = /^(08...|53...|57P0[1235]|58030|25006)$/;

// pg raises these without a code.
const CONNECTION_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Client was closed|Cannot use a pool after calling end)/;

/** The database cannot be reached or cannot take work now: the same request may succeed later. */
export function isStoreUnavailable(error: unknown): boolean {
  return anyCause(error, (fault) => {
    const code = codeOf(fault);
    if (code !== undefined) return CONNECTION_CODES.has(code) || UNAVAILABLE_STATE.test(code);
    return fault instanceof Error && CONNECTION_MESSAGES.test(fault.message);
  });
}

/** A unique constraint refused the row. On a partitioned table the name is that of the partition's index. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return violates(error, "23505", constraint);
}

/** A row that is referred to, or refers to one that is not there. */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return violates(error, "23503", constraint);
}

/** The table is not there: no migration has made it. */
export function isUndefinedTable(error: unknown): boolean {
  return anyCause(error, (fault) => codeOf(fault) === "42P01");
}

/** The statement was cancelled: it passed its time limit, or someone cancelled it. */
export function isStatementTimeout(error: unknown): boolean {
  return anyCause(error, (fault) => codeOf(fault) === "57014");
}

/** A deadlock or serialization failure: the whole transaction may be tried again at once. */
export function isTransactionConflict(error: unknown): boolean {
  return anyCause(error, (fault) => ["40001", "40P01"].includes(codeOf(fault) ?? ""));
}

function violates(error: unknown, state: string, constraint: string | undefined): boolean {
  return anyCause(error, (fault) => {
    if (codeOf(fault) !== state) return false;
    return constraint === undefined || (fault as { constraint?: string }).constraint === constraint;
  });
}

function codeOf(fault: unknown): string | undefined {
  const code = (fault as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

function anyCause(error: unknown, matches: (fault: unknown) => boolean): boolean {
  // A connection attempt to several addresses fails with an AggregateError.
  const open = [error];
  for (let seen = 0; open.length > 0 && seen < 32; seen++) {
    const fault = open.shift();
    if (matches(fault)) return true;
    if (fault instanceof AggregateError) open.push(...fault.errors);
    if (fault instanceof Error && fault.cause !== undefined) open.push(fault.cause);
  }
  return false;
}
