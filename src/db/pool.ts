import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { DatabaseError } from "./errors.ts";
import { type Log, silent } from "./log.ts";

export type PoolOptions = {
  url: string;
  /** Connections at most. */
  max?: number;
  /** A statement that takes longer is cancelled; 0 for work without a limit. */
  statementTimeoutMs?: number;
  /** How long a caller waits for a free or a new connection. */
  connectionTimeoutMs?: number;
  applicationName?: string;
  log?: Log;
};

const OLDEST_SERVER = 150_000;

/** Opens a pool on the server. Connections are made when first needed. */
export function createPool({
  url,
  max = 10,
  statementTimeoutMs = 30_000,
  connectionTimeoutMs = 5_000,
  applicationName = "pawl",
  log = silent,
}: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
    application_name: applicationName,
    keepAlive: true,
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
  });
  // Without a listener the loss of an idle connection would end the process.
  pool.on("error", (error: Error & { client?: unknown }) => {
    // What is lost while the pool ends is missed by nobody.
    if (pool.ending) return;
    // pg hangs the whole connection on it, the key that cancels its queries included: not for a log.
    delete error.client;
    log.warn({ err: error }, "An idle database connection was lost.");
  });
  // One that is lost while a caller has it fails that caller's next query; its own error event must find a listener too.
  pool.on("connect", (client) => {
    client.on("error", () => {});
  });
  return pool;
}

/** The query builder over a pool. Its `destroy()` ends the pool too. */
export function createKysely<Tables>(pool: pg.Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Refuses a server that Pawl cannot run on. Answers the server's version as a number, 180004 for 18.4. */
export async function requireSupportedServer(pool: pg.Pool): Promise<number> {
  const { rows } = await pool
    .query<{ version: string; encoding: string }>(
      "select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding",
    )
    .catch((error: Error) => {
      throw new DatabaseError(
        "SERVER_UNREACHABLE",
        `The database can't be reached: ${reasonOf(error)}. See that its server runs and that DATABASE_URL names the ` +
          "right host, port, user, password and database; or unset it to use the one that comes with Pawl.",
        { cause: error },
      );
    });
  return checkServer(Number(rows[0]!.version), rows[0]!.encoding);
}

/** Of a host with several addresses each has an error of its own. */
function reasonOf(error: Error): string {
  const reasons =
    error instanceof AggregateError ? error.errors.map(({ message }) => message) : [error.message];
  return reasons.join(", ");
}

/** The rule of `requireSupportedServer`, apart from asking the server. */
export function checkServer(version: number, encoding: string): number {
  if (version < OLDEST_SERVER) {
    throw new DatabaseError(
      "SERVER_TOO_OLD",
      `The database server is PostgreSQL ${Math.floor(version / 10_000)}; Pawl needs 15 or newer. ` +
        "Point DATABASE_URL at a newer server, or unset it to use the one that comes with Pawl.",
    );
  }
  if (encoding !== "UTF8") {
    throw new DatabaseError(
      "SERVER_ENCODING",
      `The database is encoded in ${encoding}; Pawl needs UTF8. ` +
        "Make one with: create database pawl encoding 'UTF8' template template0, and point DATABASE_URL at it.",
    );
  }
  return version;
}

function typeParser(oid: number, format?: "text" | "binary"): unknown {
  if (oid === pg.types.builtins.INT8 && format !== "binary") return parseInt8;
  return pg.types.getTypeParser(oid, format);
}

/** A number when it is exact as one, else the digits. */
function parseInt8(digits: string): number | string {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : digits;
}
