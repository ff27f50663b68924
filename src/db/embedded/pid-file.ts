import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export type PidFile = { pid: number; port: number; ready: boolean };

/** What the server says of itself in `postmaster.pid`, or null when there is no such file. */
export async function readPidFile(pgdata: string): Promise<PidFile | null> {
  const text = await readFile(pidFilePath(pgdata), "utf8").catch(() => null);
  if (text === null) return null;
  const lines = text.split("\n");
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/**
 * Makes a stale pid file harmless. PostgreSQL refuses to start while the process named there exists, even when it is
 * an unrelated one that got the number; a file that names its own parent (us) it takes over. Removing the file would
 * do too, but with it goes the shared memory key by which PostgreSQL finds backends that still run.
 */
export async function disarmPidFile(pgdata: string): Promise<void> {
  const text = await readFile(pidFilePath(pgdata), "utf8").catch(() => null);
  if (text === null) return;
  await writeFile(pidFilePath(pgdata), text.replace(/^.*/, String(process.pid)));
}

function pidFilePath(pgdata: string): string {
  return join(pgdata, "postmaster.pid");
}
