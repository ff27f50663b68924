import { readdirSync, readFileSync } from "node:fs";

// USER_HZ: 100 on every Linux that Node runs on.
const ticksPerSecond = 100;

interface Stat {
  pid: number;
  parent: number;
  ticks: number;
}

/** Seconds of processor that a process, its children and theirs have used, those that ended included. Linux only, else NaN. */
export function treeCpuSeconds(root: number): number {
  if (process.platform !== "linux") return Number.NaN;
  const children = new Map<number, Stat[]>();
  let own: Stat | undefined;
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (!stat) continue;
    if (stat.pid === root) own = stat;
    const siblings = children.get(stat.parent);
    if (siblings) siblings.push(stat);
    else children.set(stat.parent, [stat]);
  }
  const sum = (stat: Stat): number =>
    stat.ticks + (children.get(stat.pid) ?? []).reduce((ticks, child) => ticks + sum(child), 0);
  return own ? sum(own) / ticksPerSecond : Number.NaN;
}

/** Seconds of processor that the whole machine has used: less our own, what others took from a run. Linux only, else NaN. */
export function machineCpuSeconds(): number {
  if (process.platform !== "linux") return Number.NaN;
  const fields = readFileSync("/proc/stat", "utf8").split("\n")[0]!.trim().split(/\s+/).slice(1).map(Number);
  const [user, nice, system, , , irq, softirq] = fields;
  return (user! + nice! + system! + irq! + softirq!) / ticksPerSecond;
}

/** Seconds of processor that this process has used, its children apart. */
export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function readStat(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined; // it ended meanwhile
  }
  // The name is in brackets and may hold anything; the numbers begin behind the last one.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [utime, stime, endedChildrenUser, endedChildrenSystem] = fields.slice(11, 15).map(Number);
  return {
    pid,
    parent: Number(fields[1]),
    ticks: utime! + stime! + endedChildrenUser! + endedChildrenSystem!,
  };
}

/** The pid of a PostgreSQL server, from the first line of the file that it keeps in its data. */
export function postmasterOf(pgdata: string): number {
  return Number(readFileSync(`${pgdata}/postmaster.pid`, "utf8").split("\n")[0]);
}
