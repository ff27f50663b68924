import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Account } from "./account.ts";
import { type Binaries, program } from "./binaries.ts";
import { ENVIRONMENT, identity } from "./command.ts";
import { logEnd, logPath, openLog, readLogFrom } from "./log-file.ts";
import { readPidFile } from "./pid-file.ts";
import { isAlive } from "./processes.ts";
import { type Settings, serverArguments, writeSettings } from "./settings.ts";

export type LaunchOptions = {
  dataDir: string;
  pgdata: string;
  binaries: Binaries;
  account: Account | null;
  settings: Settings;
  /** The port to take when it is free. */
  preferredPort: number | undefined;
  log: Log;
};

export type Launched = { pid: number; port: number };

const ATTEMPTS = 60;
const STILL_STARTING_MS = 15_000;

/** Starts the server and answers when it takes connections. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const { dataDir, pgdata, settings, preferredPort } = options;
  await writeSettings(pgdata, settings);
  let port = await freePort(preferredPort);
  for (let attempt = 1; ; attempt++) {
    const start = await logEnd(dataDir);
    const pid = await spawnServer(options, port);
    if (await untilReady(options, pid)) return { pid, port };
    const output = await readLogFrom(dataDir, start);
    if (attempt === ATTEMPTS) throw failed(dataDir, output);
    if (/could not bind|could not create any TCP/.test(output)) {
      port = await freePort(undefined);
    } else if (output === "") {
      // It says something once it runs: a Ctrl-C between the fork and the session of its own reached it before.
    } else if (/shared memory block .* still in use/.test(output)) {
      // Backends of a postmaster that was killed: they end as soon as they notice.
      await delay(100);
    } else {
      throw failed(dataDir, output);
    }
  }
}

async function spawnServer({ dataDir, pgdata, binaries, account, settings }: LaunchOptions, port: number) {
  const logFile = await openLog(dataDir);
  try {
    const child = spawn(program(binaries, "postgres"), serverArguments(pgdata, port, settings), {
      ...identity(account),
      cwd: "/",
      env: ENVIRONMENT,
      // A session of its own: Ctrl-C reaches the whole process group, and the server must outlive our own shutdown.
      detached: true,
      stdio: ["ignore", logFile.fd, logFile.fd],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.unref();
    return child.pid!;
  } finally {
    await logFile.close();
  }
}

/** True when it takes connections, false when it ended before. Recovery of a large journal may take its time. */
async function untilReady({ pgdata, log }: LaunchOptions, pid: number): Promise<boolean> {
  let nextNote = Date.now() + STILL_STARTING_MS;
  for (;;) {
    const pidFile = await readPidFile(pgdata);
    if (pidFile?.pid === pid && pidFile.ready) return true;
    if (!(await isAlive(pid))) return false;
    if (Date.now() > nextNote) {
      log.info({ pid }, "The database server is still starting; it may be recovering from a crash.");
      nextNote += STILL_STARTING_MS;
    }
    await delay(10);
  }
}

async function freePort(preferred: number | undefined): Promise<number> {
  if (preferred !== undefined && (await canListen(preferred)) !== null) return preferred;
  const port = await canListen(0);
  if (port === null) {
    throw new DatabaseError(
      "POSTGRES_START_FAILED",
      "No port on 127.0.0.1 is free for the database server. End what holds them, or set DATABASE_URL.",
    );
  }
  return port;
}

function canListen(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(null));
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : null));
    });
  });
}

function failed(dataDir: string, output: string): DatabaseError {
  const lines = output.split("\n");
  const reason = lines.findLast((line) => /FATAL|PANIC|ERROR/.test(line)) ?? lines.at(-1) ?? "";
  return new DatabaseError(
    "POSTGRES_START_FAILED",
    `The database server did not start: ${reason.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, "")} ` +
      `Its log is ${logPath(dataDir)}.`,
  );
}
