import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DatabaseError } from "./errors.ts";

export type DataDirectoryLock = { release(): void };

const SQLITE_BUSY = 5;

/**
 * Takes the data directory for this process, until `release` or the process's end however it comes.
 *
 * The lock is that of an empty SQLite file: Node has no flock, and SQLite's is a lock of the kernel, which kill -9
 * frees at once and which no reused pid can feign. The pid file beside it only serves the message.
 */
export function lockDataDirectory(dataDir: string): DataDirectoryLock {
  const pidFile = join(dataDir, "pawl.pid");
  const file = join(dataDir, "pawl.lock");
  const database = openLock(file, dataDir);
  try {
    database.exec("pragma busy_timeout = 0; begin exclusive");
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw unusable(dataDir, error);
    throw new DatabaseError("DATA_DIRECTORY_LOCKED", heldMessage(dataDir, readPid(pidFile)), {
      cause: error,
    });
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return {
    release() {
      if (!database.isOpen) return;
      rmSync(pidFile, { force: true });
      database.close();
    },
  };
}

function openLock(file: string, dataDir: string): DatabaseSync {
  try {
    return new DatabaseSync(file);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

function heldMessage(dataDir: string, pid: string | null): string {
  const holder = pid === null ? "Another Pawl" : `Another Pawl (process ${pid})`;
  return (
    `${holder} is running on the data directory ${dataDir}. ` +
    "Stop that one first, or give this one a data directory of its own with PAWL_DATA_DIR."
  );
}

function unusable(dataDir: string, error: unknown): DatabaseError {
  return new DatabaseError(
    "DATA_DIRECTORY_UNUSABLE",
    `The data directory ${dataDir} cannot be written: ${(error as Error).message}. ` +
      "Give this account the right to write there, or choose another with PAWL_DATA_DIR.",
    { cause: error },
  );
}

function readPid(file: string): string | null {
  try {
    return /^\d+/.exec(readFileSync(file, "utf8"))?.[0] ?? null;
  } catch {
    return null;
  }
}
