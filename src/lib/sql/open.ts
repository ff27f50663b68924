import type { Dialer } from "../dialer.ts";
import { StepError } from "../step-error.ts";
import { postgres } from "./postgres.ts";
import { reach, type SqlProtocol, type SqlSession, type SqlTarget, type TlsMode } from "./session.ts";

/** A database as a connection describes it. */
export interface SqlDatabase {
  target: SqlTarget;
  protocol: SqlProtocol;
}

/** The types of connections that it reads. */
export const sqlConnectionTypes = ["database-relational1", "database-relational2"] as const;
export type SqlConnectionType = (typeof sqlConnectionTypes)[number];

const TLS_MODES: readonly string[] = ["disable", "prefer", "require", "verify-full"] satisfies TlsMode[];

// Loaded when it is needed: a hundred files, which few servers use and each would read as it starts.
const mysql: SqlProtocol = {
  async signIn(...args) {
    const { mysqlProtocol } = await import("./mysql.ts");
    return mysqlProtocol.signIn(...args);
  },
};

/** Reads the variables of a connection. @throws StepError when they make no sense */
export function sqlDatabase(
  type: SqlConnectionType,
  variables: Readonly<Record<string, string>>,
): SqlDatabase {
  const { host = "", port = "", database = "", username = "", password = "" } = variables;
  const number = Number(port);
  if (host === "" || database === "" || username === "" || !Number.isInteger(number) || number < 1) {
    throw invalid("The connection lacks its host, port, database or username.");
  }
  const common = { host: host.replace(/^\[(.*)\]$/, "$1"), port: number, database, username, password };
  if (type === "database-relational1") {
    // Left out it is on: a password is not to go over the network in the clear because a box was not ticked.
    const tls = variables.useSSL === "false" ? "disable" : "verify-full";
    return { target: { ...common, tls }, protocol: mysql };
  }
  const tls = variables["x-sslmode"] ?? "prefer";
  if (!TLS_MODES.includes(tls)) {
    throw invalid(`The connection's x-sslmode must be one of ${TLS_MODES.join(", ")}.`);
  }
  return { target: { ...common, tls: tls as TlsMode }, protocol: postgres };
}

/** A session to work with, or the reason why there is none. @throws StepError */
export async function openSession(
  dialer: Dialer,
  { target, protocol }: SqlDatabase,
  signal: AbortSignal,
): Promise<SqlSession> {
  const socket = await reach(dialer, target, signal);
  return protocol.signIn(dialer, target, socket, signal);
}

function invalid(message: string): StepError {
  return new StepError("INVALID_INPUT", message, { retryable: false });
}
