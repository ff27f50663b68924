import { copyFile, open, stat, truncate } from "node:fs/promises";
import { join } from "node:path";

const LIMIT = 8 * 1024 * 1024;
const CHECK_EVERY_MS = 30_000;

/**
 * The server's log, in the data directory. We open it and the server inherits it, so it may lie where the server's
 * account cannot reach, and a server that outlives us goes on writing. PostgreSQL's own rotation cannot bound a
 * file's size; here the log never takes more than two files of 8 MiB, give or take half a minute.
 */
export async function openLog(dataDir: string): Promise<{ fd: number; close(): Promise<void> }> {
  const file = logPath(dataDir);
  await bound(file);
  const handle = await open(file, "a", 0o600);
  return { fd: handle.fd, close: () => handle.close() };
}

/** Keeps the log bounded until the returned function is called. */
export function keepLogBounded(dataDir: string): () => void {
  const timer = setInterval(() => bound(logPath(dataDir)).catch(() => {}), CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Where the log ends now: what comes after is of a later start. */
export async function logEnd(dataDir: string): Promise<number> {
  return (await stat(logPath(dataDir)).catch(() => null))?.size ?? 0;
}

export async function readLogFrom(dataDir: string, start: number): Promise<string> {
  const handle = await open(logPath(dataDir), "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, start);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

export function logPath(dataDir: string): string {
  return join(dataDir, "postgres.log");
}

/** Copied and emptied, not renamed: the server keeps its handle, which appends. */
export async function bound(file: string, limit = LIMIT): Promise<void> {
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  if (size <= limit) return;
  await copyFile(file, `${file}.1`);
  await truncate(file, 0);
}
