import type { Socket } from "node:net";
import type { Dialer } from "../dialer.ts";
import { StepError } from "../step-error.ts";

/** Where a database is, and who signs in. */
export interface SqlTarget {
  host: string;
  port: number;
  database: string;
  username: string;
  password: string;
  tls: TlsMode;
}

/** As libpq calls them: `prefer` and `require` encrypt without a look at the certificate. */
export type TlsMode = "disable" | "prefer" | "require" | "verify-full";

export interface SqlStatement {
  sql: string;
  /** Bound, never put into the text. */
  values: readonly unknown[];
  /** More rows fail the statement. */
  maxRows: number;
  /** Of the rows, about as JSON counts them. */
  maxBytes: number;
}

export interface SqlResult {
  columns: string[];
  rows: Record<string, unknown>[];
  /** Rows that were read, or changed. */
  rowCount: number;
  /** Of a row that was inserted, where the database counts them by itself. */
  insertId?: number | string;
}

/** A connection to a database, for one statement after another. */
export interface SqlSession {
  /** When the signal is aborted, the statement is ended on the server too. @throws StepError */
  run(statement: SqlStatement, signal: AbortSignal): Promise<SqlResult>;
  close(): void;
}

/** How a database of one kind is spoken to: in steps, so that each can be reported by itself. */
export interface SqlProtocol {
  /** @param socket connected; it belongs to the session from then on. @throws StepError */
  signIn(dialer: Dialer, target: SqlTarget, socket: Socket, signal: AbortSignal): Promise<SqlSession>;
}

export function reach(dialer: Dialer, { host, port }: SqlTarget, signal: AbortSignal): Promise<Socket> {
  return dialer.connect(host, port, { signal });
}

/** Who does not let us in by then never will. */
export const SIGN_IN_MS = 15_000;

/** Collects rows up to the caps. */
export function rowCollector(columns: readonly string[], { maxRows, maxBytes }: SqlStatement) {
  const names = unique(columns);
  const rows: Record<string, unknown>[] = [];
  let size = 0;
  return {
    names,
    rows,
    /** @throws StepError RESULT_TOO_LARGE */
    add(cells: readonly unknown[]): void {
      if (rows.length >= maxRows) throw tooLarge(`${maxRows} rows`, "maxRows");
      const row = Object.fromEntries(names.map((name, i) => [name, cells[i] ?? null]));
      size += JSON.stringify(row).length;
      if (size > maxBytes) throw tooLarge(`${maxBytes} bytes`, "maxBytes");
      rows.push(row);
    },
  };
}

/** Two columns of one name stay two: `id` and `id_2`. */
function unique(columns: readonly string[]): string[] {
  const taken = new Set<string>();
  return columns.map((column) => {
    let name = column;
    for (let number = 2; taken.has(name); number++) name = `${column}_${number}`;
    taken.add(name);
    return name;
  });
}

export function tooLarge(what: string, field: string): StepError {
  const message = `The statement gave more than ${what}. Raise ${field}, or ask for less.`;
  return new StepError("RESULT_TOO_LARGE", message, { retryable: false });
}

const LOOK_EVERY_MS = 20;

/** Of a greeting and a sign-in. */
const SIGN_IN_BYTES = 1024 * 1024;

/**
 * Cuts a connection on which more has come than rows within the cap can need: one value may be a gigabyte, and a driver hands
 * over whole rows only. @returns what ends the watch
 */
export function capResult(socket: Socket, maxBytes: number): () => void {
  return capBytes(socket, 4 * maxBytes + 1024 * 1024, () => tooLarge(`${maxBytes} bytes`, "maxBytes"));
}

/** The same for a server that does not come to an end of its greeting. */
export function capSignIn(socket: Socket): () => void {
  const message = "The database sends more than a sign-in takes.";
  return capBytes(socket, SIGN_IN_BYTES, () => new StepError("CONNECTION_FAILED", message));
}

function capBytes(socket: Socket, bytes: number, fault: () => StepError): () => void {
  const most = socket.bytesRead + bytes;
  const timer = setInterval(() => {
    if (socket.bytesRead > most) socket.destroy(fault());
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** Waits for what answers by callbacks, until the signal is aborted or the time is over. */
export function within<T>(
  signal: AbortSignal,
  ms: number,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const onAbort = () => {
      settle();
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      settle();
      reject(new StepError("CONNECTION_FAILED", "The database did not finish the sign-in in time."));
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    begin(
      (value) => {
        settle();
        resolve(value);
      },
      (error) => {
        settle();
        reject(error);
      },
    );
  });
}
