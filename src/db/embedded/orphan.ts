import pg from "pg";
import type { Log } from "../log.ts";
import { SUPERUSER } from "./initialise.ts";
import { disarmPidFile, readPidFile } from "./pid-file.ts";
import { serverProcesses, signal, waitForEnd } from "./processes.ts";

export type Adopted = { pid: number; port: number };

const FAST_LIMIT_MS = 20_000;
const SELF_END_LIMIT_MS = 1_000;
const KILL_LIMIT_MS = 5_000;

/**
 * Deals with what an earlier Pawl left running on these data. A whole server that was started as we would start it is
 * adopted; anything else is ended. The caller holds the lock of the data directory: no living Pawl uses the server.
 */
export async function adoptOrEnd(
  pgdata: string,
  { password, fingerprint, log }: { password: string; fingerprint: string; log: Log },
): Promise<Adopted | null> {
  const pidFile = await readPidFile(pgdata);
  const processes = await serverProcesses(pgdata);
  const postmaster = pidFile !== null && processes.includes(pidFile.pid) ? pidFile : null;
  if (postmaster?.ready && (await takeOver(postmaster.port, password, fingerprint))) {
    log.info({ pid: postmaster.pid }, "Adopted the database server that an earlier Pawl left running.");
    return { pid: postmaster.pid, port: postmaster.port };
  }
  if (processes.length > 0) {
    log.warn({ processes }, "Ending the database server that an earlier Pawl left running.");
    await endServer(pgdata, postmaster?.pid ?? null, FAST_LIMIT_MS);
  }
  await disarmPidFile(pgdata);
  return null;
}

/** Ends whatever server runs on the data. What the pid file names is signalled only if it is that server. */
export async function endLeftServer(pgdata: string, limitMs: number): Promise<void> {
  const named = (await readPidFile(pgdata))?.pid;
  const processes = await serverProcesses(pgdata);
  await endServer(pgdata, processes.find((pid) => pid === named) ?? null, limitMs);
}

/** Ends a server and all its processes: politely first, within the limit, then by force. */
export async function endServer(pgdata: string, postmaster: number | null, limitMs: number): Promise<void> {
  if (postmaster !== null) {
    signal([postmaster], "SIGINT");
    if (!(await waitForEnd([postmaster], limitMs))) {
      signal([postmaster], "SIGQUIT");
      await waitForEnd([postmaster], KILL_LIMIT_MS);
    }
  }
  // Backends that lost their postmaster notice by themselves, unless they are busy.
  if (await waitForEnd(await serverProcesses(pgdata), SELF_END_LIMIT_MS)) return;
  signal(await serverProcesses(pgdata), "SIGKILL");
  await waitForEnd(await serverProcesses(pgdata), KILL_LIMIT_MS);
}

/** Whether the server is the one that we would start; its other clients are then gone. */
async function takeOver(port: number, password: string, fingerprint: string): Promise<boolean> {
  const client = new pg.Client({
    host: "127.0.0.1",
    port,
    user: SUPERUSER,
    password,
    database: "postgres",
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query("select current_setting('pawl.fingerprint', true) as fingerprint");
    if (rows[0]?.fingerprint !== fingerprint) return false;
    // A commit that the dead Pawl had under way must not arrive after we have read what there is to recover.
    const { rows: left } = await client.query(
      `select pg_terminate_backend(pid, 5000) as ended from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return left.every((row) => row.ended);
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
