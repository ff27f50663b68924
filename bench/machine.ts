import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import type pg from "pg";

/** What absolute figures depend on. */
export interface Machine {
  date: string;
  node: string;
  cores: number;
  cpu: string;
  memoryGiB: number;
  /** Of the last minute, before the run: anything much above 0 was somebody else's work. */
  loadBefore: number;
  /** Median of small durable writes before the run: what one commit waits for at least, and who else uses the disk. */
  syncMs: number;
}

export function describeMachine(): Machine {
  return {
    date: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() || "unknown",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadBefore: Math.round(loadavg()[0]! * 100) / 100,
    syncMs: probeSync(),
  };
}

function probeSync(): number {
  const folder = mkdtempSync(join(tmpdir(), "pawl-bench-sync-"));
  const file = openSync(join(folder, "probe"), "w");
  try {
    const page = Buffer.alloc(8192, 1);
    const times = Array.from({ length: 200 }, () => {
      const begun = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      return performance.now() - begun;
    });
    return Number(times.sort((a, b) => a - b)[100]!.toFixed(3));
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

const durability = ["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "shared_buffers"];

/** The server's version and the settings that a durable figure rests on. Throws when commits would not be durable. */
export async function describePostgres(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; value: string }>(
    "select name, current_setting(name) as value from pg_settings where name = any($1) or name = 'server_version' order by name",
    [durability],
  );
  const settings = Object.fromEntries(rows.map((row) => [row.name, row.value]));
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
    if (settings[name] !== "on")
      throw new Error(`${name} is ${settings[name]}: the figures would not be of durable commits.`);
  }
  return settings;
}

/** The version of an installed package, from its own package.json. */
export function packageVersion(folder: URL): string {
  return (JSON.parse(readFileSync(new URL("package.json", folder), "utf8")) as { version: string }).version;
}
