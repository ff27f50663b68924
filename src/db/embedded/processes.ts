import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "./command.ts";

/** Whether the process runs. One that has ended and waits for its parent does not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return stat === null || !/^\d+ \(.*\) [ZX] /s.test(stat);
}

/**
 * The processes of the server on these data: its postmaster and its backends, with or without a parent.
 * A number in a pid file may be anyone's by now; the folder a process works in is that of its server.
 */
export async function serverProcesses(pgdata: string): Promise<number[]> {
  if (process.platform !== "linux") return listedProcesses(pgdata);
  const found: number[] = [];
  for (const entry of await readdir("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (folder !== pgdata && folder !== `${pgdata} (deleted)`) continue;
    const program = await readlink(`/proc/${pid}/exe`).catch(() => "");
    if (/\/postgres( \(deleted\))?$/.test(program)) found.push(pid);
  }
  return found;
}

/** Waits until none of the processes runs; false when the limit passes first. */
export async function waitForEnd(pids: number[], limitMs: number): Promise<boolean> {
  const end = Date.now() + limitMs;
  for (;;) {
    const alive = await Promise.all(pids.map(isAlive));
    if (!alive.includes(true)) return true;
    if (Date.now() >= end) return false;
    await delay(10);
  }
}

/** Sends the signal to those that are still there. */
export function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended already.
    }
  }
}

/** Without /proc only the postmaster can be told; PostgreSQL's own check of shared memory guards against backends. */
async function listedProcesses(pgdata: string): Promise<number[]> {
  const { output } = await run("/bin/ps", ["-axo", "pid=,command="], null);
  return output
    .split("\n")
    .filter((line) => line.includes(`-D ${pgdata} `) && line.includes("postgres"))
    .map((line) => Number.parseInt(line, 10));
}
