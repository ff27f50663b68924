import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import pg from "pg";
import type { Dialer } from "../dialer.ts";
import { networkFault } from "../dialer-faults.ts";
import { StepError } from "../step-error.ts";
import { type Refusal, signInFault, statementFault } from "./faults.ts";
import { bindable } from "./json-value.ts";
import { postgresTypes } from "./postgres-types.ts";
import {
  capResult,
  capSignIn,
  rowCollector,
  SIGN_IN_MS,
  type SqlProtocol,
  type SqlResult,
  type SqlSession,
  type SqlStatement,
  type SqlTarget,
  within,
} from "./session.ts";

/** PostgreSQL, and what speaks its protocol. */
export const postgres: SqlProtocol = {
  async signIn(dialer, target, socket, signal) {
    const place = `${target.host}:${target.port}`;
    const stopWatching = capSignIn(socket);
    const lost = new AbortController();
    // Between the steps nobody else listens, and an error that nobody hears ends the process.
    socket.on("error", (error) => lost.abort(networkFault(error, place)));
    try {
      const ended = AbortSignal.any([signal, lost.signal]);
      const stream = await within<Socket>(ended, SIGN_IN_MS, (resolve, reject) => {
        encrypt(socket, target).then(resolve, reject);
      });
      if (stream !== socket) stream.on("error", (error) => lost.abort(networkFault(error, place)));
      const client = clientOn(stream, target);
      if (stream === socket && target.tls !== "disable") refuseClearPassword(client, socket, place);
      await within<void>(ended, SIGN_IN_MS, (resolve, reject) => {
        client.connect().then(() => resolve(), reject);
      });
      return session(dialer, target, client, socket);
    } catch (error) {
      socket.destroy();
      const refusal = refusalOf(error);
      throw refusal ? signInFault(refusal) : signal.aborted ? signal.reason : networkFault(error, place);
    } finally {
      stopWatching();
    }
  },
};

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** By hand: `pg` knows no "encrypted where the server can", and would take two connections for it. */
async function encrypt(socket: Socket, { host, tls }: SqlTarget): Promise<Socket> {
  if (tls === "disable") return socket;
  socket.write(SSL_REQUEST);
  const answer = await new Promise<Buffer>((resolve, reject) => {
    socket.once("data", resolve);
    socket.once("error", reject);
    socket.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
  });
  // More than the one letter was sent in the clear by who is between: it would be taken for the server's.
  const letter = answer.length === 1 ? answer.toString("latin1") : "";
  if (letter === "N" && tls === "prefer") return socket;
  if (letter === "N") {
    const message = `${host} has no TLS, and the connection asks for it (x-sslmode is ${tls}).`;
    throw new StepError("TLS_FAILED", message, { retryable: false });
  }
  if (letter !== "S") {
    throw new StepError("CONNECTION_FAILED", `${host} does not speak the protocol of PostgreSQL.`);
  }
  return await new Promise<Socket>((resolve, reject) => {
    const secure = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: tls === "verify-full",
    });
    secure.once("secureConnect", () => resolve(secure));
    secure.once("error", reject);
  });
}

function clientOn(stream: Socket, { host, port, database, username, password }: SqlTarget): pg.Client {
  const client = new pg.Client({
    host,
    port,
    database,
    user: username,
    // A function, since an empty text would make it look in the environment and in ~/.pgpass of the server's account.
    password: () => password,
    ssl: false,
    application_name: "pawl",
    types: postgresTypes,
    // It is connected already.
    stream: () =>
      Object.assign(stream, {
        connect() {
          process.nextTick(() => stream.emit("connect"));
          return stream;
        },
      }),
  });
  // Also when nothing is under way: the next statement fails by itself.
  client.on("error", () => {});
  return client;
}

/** Who is between, and let no TLS through, would only have to ask for it. */
function refuseClearPassword(client: pg.Client, socket: Socket, place: string): void {
  const { connection } = client as unknown as { connection: EventEmitter };
  connection.prependListener("authenticationCleartextPassword", () => {
    const message = `${place} asks for the password in the clear, without TLS. Set the connection's x-sslmode to disable if that is meant.`;
    socket.destroy(new StepError("TLS_FAILED", message, { retryable: false }));
  });
}

function session(dialer: Dialer, target: SqlTarget, client: pg.Client, socket: Socket): SqlSession {
  const place = `${target.host}:${target.port}`;
  return {
    async run(statement, signal) {
      const stopWatching = capResult(socket, statement.maxBytes);
      const onAbort = () => {
        void cancel(dialer, target, client);
        socket.destroy();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        signal.throwIfAborted();
        return await read(client, socket, statement);
      } catch (error) {
        const refusal = refusalOf(error);
        throw signal.aborted ? signal.reason : refusal ? statementFault(refusal) : networkFault(error, place);
      } finally {
        stopWatching();
        signal.removeEventListener("abort", onAbort);
      }
    },
    close() {
      void client.end().catch(() => {});
      // What is left to send is a farewell.
      setTimeout(() => socket.destroy(), 1_000).unref();
    },
  };
}

function read(client: pg.Client, socket: Socket, statement: SqlStatement): Promise<SqlResult> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query({
      text: statement.sql,
      values: statement.values.map((value) => bindable(value, { lists: true })),
      rowMode: "array",
      // One statement alone, whatever the text holds: the simple protocol would take several.
      queryMode: "extended",
    } as pg.QueryArrayConfig);
    let collector: ReturnType<typeof rowCollector> | undefined;
    const fail = (error: unknown) => {
      reject(error);
      // The rest of the rows would still come.
      socket.destroy();
    };
    const lost = (error: Error) => reject(error);
    socket.once("error", lost);
    query.on("row", (cells: unknown, result) => {
      try {
        collector ??= rowCollector(
          result!.fields.map(({ name }) => name),
          statement,
        );
        collector.add(cells as unknown[]);
      } catch (error) {
        fail(error);
      }
    });
    query.on("error", (error) => {
      socket.off("error", lost);
      reject(error);
    });
    query.on("end", (result) => {
      socket.off("error", lost);
      const { names, rows } =
        collector ?? rowCollector(result.fields?.map(({ name }) => name) ?? [], statement);
      resolve({ columns: names, rows, rowCount: result.rowCount ?? rows.length });
    });
    client.query(query);
  });
}

const CANCEL_CODE = 80_877_102;
const CANCEL_MS = 3_000;

/** Ends the statement on the server, which would not notice that nobody waits before it has a row to send. */
async function cancel(dialer: Dialer, { host, port }: SqlTarget, client: pg.Client): Promise<void> {
  const { processID, secretKey } = client as unknown as {
    processID: number | null;
    secretKey: number | null;
  };
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(CANCEL_CODE, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  try {
    const socket = await dialer.connect(host, port, { timeoutMs: CANCEL_MS });
    socket.on("error", () => {});
    socket.setTimeout(CANCEL_MS, () => socket.destroy());
    // The server answers nothing, and closes when it has passed it on.
    socket.end(message);
    socket.resume();
  } catch {
    // The connection is cut either way.
  }
}

/** Of the moment: connection, rollback, resources, locks, and a server that goes down or comes up. */
const PASSING = /^(08|40|53|55P03$|57P0[123]$)/;

function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const { message, code = "XX000", detail, hint } = error;
  return { message, sqlState: code, detail, hint, passing: PASSING.test(code) };
}
