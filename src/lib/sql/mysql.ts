import { isIP, type Socket } from "node:net";
import mysql, { type Connection } from "mysql2";
import type { Dialer } from "../dialer.ts";
import { networkFault } from "../dialer-faults.ts";
import { StepError } from "../step-error.ts";
import { type Refusal, signInFault, statementFault } from "./faults.ts";
import { bindable, exactNumber } from "./json-value.ts";
import {
  capResult,
  capSignIn,
  reach,
  rowCollector,
  SIGN_IN_MS,
  type SqlProtocol,
  type SqlResult,
  type SqlSession,
  type SqlStatement,
  type SqlTarget,
  within,
} from "./session.ts";

/** MySQL, MariaDB, and what speaks their protocol. */
export const mysqlProtocol: SqlProtocol = {
  async signIn(dialer, target, socket, signal) {
    const place = `${target.host}:${target.port}`;
    const stopWatching = capSignIn(socket);
    let connection: Connection | undefined;
    try {
      requireName(target);
      await within<void>(signal, SIGN_IN_MS, (resolve, reject) => {
        connection = connectionOn(socket, target);
        connection.on("error", reject);
        connection.connect((error) => (error ? reject(error) : resolve()));
      });
      return session(dialer, target, connection!, socket);
    } catch (error) {
      connection?.on("error", () => {});
      socket.on("error", () => {});
      socket.destroy();
      const refusal = refusalOf(error);
      if (refusal) throw signInFault(refusal);
      throw signal.aborted ? signal.reason : (tlsFault(error, place) ?? networkFault(error, place));
    } finally {
      stopWatching();
    }
  },
};

function connectionOn(
  socket: Socket,
  { host, port, database, username, password, tls }: SqlTarget,
): Connection {
  return mysql.createConnection({
    stream: socket,
    host,
    port,
    database,
    user: username,
    password,
    ...(tls === "disable" ? {} : { ssl: { rejectUnauthorized: true, verifyIdentity: true } }),
    connectTimeout: SIGN_IN_MS,
    charset: "UTF8MB4_UNICODE_CI",
    dateStrings: true,
    supportBigNumbers: true,
    multipleStatements: false,
    // Or it writes code out of the names of columns.
    disableEval: true,
    // A server that asks for a file of ours gets none.
    flags: ["-LOCAL_FILES"],
  });
}

function session(dialer: Dialer, target: SqlTarget, connection: Connection, socket: Socket): SqlSession {
  const place = `${target.host}:${target.port}`;
  // Also when nothing is under way: the next statement fails by itself.
  connection.on("error", () => {});
  return {
    async run(statement, signal) {
      const stopWatching = capResult(socket, statement.maxBytes);
      const onAbort = () => {
        void kill(dialer, target, connection.threadId);
        socket.destroy();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        signal.throwIfAborted();
        return await read(connection, socket, statement);
      } catch (error) {
        const refusal = refusalOf(error);
        throw signal.aborted ? signal.reason : refusal ? statementFault(refusal) : networkFault(error, place);
      } finally {
        stopWatching();
        signal.removeEventListener("abort", onAbort);
      }
    },
    close() {
      connection.end(() => {});
      // What is left to send is a farewell.
      setTimeout(() => socket.destroy(), 1_000).unref();
    },
  };
}

/** Given an address, the driver takes any trusted certificate for "localhost". */
function requireName({ host, tls }: SqlTarget): void {
  if (tls === "disable" || isIP(host) === 0) return;
  const message = `The certificate of ${host} can't be checked by an address: give the name in it as the host, or set useSSL to false.`;
  throw new StepError("TLS_FAILED", message, { retryable: false });
}

/** The driver puts codes of its own in the place of what TLS said. */
function tlsFault(error: unknown, place: string): StepError | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "HANDSHAKE_NO_SSL_SUPPORT") {
    const text = `${place} has no TLS, and the connection asks for it. Set its useSSL to false if that is meant.`;
    return new StepError("TLS_FAILED", text, { retryable: false });
  }
  if (code !== "HANDSHAKE_SSL_ERROR") return undefined;
  return new StepError("TLS_FAILED", `${place} was not trusted: ${message}.`, { cause: error });
}

const DECIMALS: ReadonlySet<number | undefined> = new Set([0, 246]);

function read(connection: Connection, socket: Socket, statement: SqlStatement): Promise<SqlResult> {
  return new Promise((resolve, reject) => {
    let collector: ReturnType<typeof rowCollector> | undefined;
    let decimals: boolean[] = [];
    let changed: mysql.ResultSetHeader | undefined;
    socket.once("error", reject);
    socket.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    // Prepared, so that values are bound by the server: `query` would write them into the text.
    const command = connection.execute({
      sql: statement.sql,
      values: statement.values.map((value) => bindable(value, { lists: false })) as string[],
      rowsAsArray: true,
    });
    command.on("fields", (fields: mysql.FieldPacket[] | undefined) => {
      if (!fields) return;
      decimals = fields.map(({ columnType }) => DECIMALS.has(columnType));
      collector = rowCollector(
        fields.map(({ name }) => name),
        statement,
      );
    });
    command.on("result", (row: unknown) => {
      if (!Array.isArray(row)) {
        changed = row as mysql.ResultSetHeader;
        return;
      }
      try {
        collector!.add(row.map((cell, i) => asJson(cell, decimals[i]!)));
      } catch (error) {
        reject(error);
        // The rest of the rows would still come.
        socket.destroy();
      }
    });
    command.on("error", reject);
    command.on("end", () => {
      const insertId = changed?.insertId ? { insertId: changed.insertId } : {};
      resolve({
        columns: collector?.names ?? [],
        rows: collector?.rows ?? [],
        rowCount: collector?.rows.length ?? changed?.affectedRows ?? 0,
        ...insertId,
      });
    });
  });
}

function asJson(cell: unknown, decimal: boolean): unknown {
  if (Buffer.isBuffer(cell)) return cell.toString("base64");
  if (decimal && typeof cell === "string") return exactNumber(cell);
  if (typeof cell === "number" && !Number.isFinite(cell)) return String(cell);
  return cell;
}

const KILL_MS = 3_000;

/** Ends the statement on the server, which would not notice that nobody waits before it has a row to send. */
async function kill(dialer: Dialer, target: SqlTarget, threadId: number): Promise<void> {
  const signal = AbortSignal.timeout(KILL_MS);
  try {
    const socket = await reach(dialer, target, signal);
    const other = await mysqlProtocol.signIn(dialer, target, socket, signal);
    try {
      await other.run({ sql: `kill query ${Number(threadId)}`, values: [], maxRows: 0, maxBytes: 0 }, signal);
    } finally {
      other.close();
    }
  } catch {
    // The connection is cut either way.
  }
}

/** Of the moment: too many connections, a lock that was not had in time, a deadlock, a server that goes down. */
const PASSING: ReadonlySet<number> = new Set([1040, 1053, 1203, 1205, 1213, 3024]);

function refusalOf(error: unknown): Refusal | undefined {
  const { errno, sqlState, sqlMessage } = (error ?? {}) as Partial<mysql.QueryError> & {
    sqlMessage?: string;
  };
  if (!(error instanceof Error) || errno === undefined || sqlMessage === undefined) return undefined;
  return { message: sqlMessage, sqlState: sqlState || "HY000", passing: PASSING.has(errno) };
}
