import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";

export type Settings = { text: string; fingerprint: string };

const MIB = 1024 * 1024;

/**
 * What the server runs with. `disposable` is for the data of tests, which may be lost.
 * The fingerprint tells whether a server that runs already was started as this one would be.
 */
export function makeSettings(version: string, disposable: boolean): Settings {
  const memory = process.constrainedMemory() || totalmem();
  const limit = Math.min(memory, totalmem());
  const sharedBuffers = disposable ? 32 : Math.round(clamp(limit / MIB / 16, 64, 512));
  const values: Record<string, string | number> = {
    max_connections: disposable ? 300 : 100,
    shared_buffers: `${sharedBuffers}MB`,
    // Journal traffic is a steady stream: few, spread checkpoints keep full-page images out of the log. No
    // wal_compression: this build has only pglz, which costs more processor than the disk it saves.
    checkpoint_timeout: "15min",
    max_wal_size: disposable ? "256MB" : "2GB",
    min_wal_size: disposable ? "32MB" : "128MB",
    fsync: disposable ? "off" : "on",
    full_page_writes: disposable ? "off" : "on",
    synchronous_commit: disposable ? "off" : "on",
    autovacuum: disposable ? "off" : "on",
    // Queries are short: compiling them costs more than it saves, and disks are not the spinning kind.
    jit: "off",
    random_page_cost: 1.1,
    // The work of a Pawl that was killed ends soon, and so does what it holds.
    client_connection_check_interval: "2s",
    idle_in_transaction_session_timeout: "60s",
    timezone: "'UTC'",
    log_timezone: "'UTC'",
    log_destination: "'stderr'",
    logging_collector: "off",
    log_line_prefix: "'%m [%p] '",
    log_checkpoints: "off",
    // Terse leaves out DETAIL, which quotes rows.
    log_error_verbosity: "terse",
  };
  const lines = Object.entries(values).map(([name, value]) => `${name} = ${value}`);
  const header =
    "# Written by Pawl at every start. Change a setting with ALTER SYSTEM, which outranks this file.";
  const text = `${header}\n${lines.join("\n")}\n`;
  const fingerprint = createHash("sha256").update(`${version}\n${text}`).digest("hex").slice(0, 16);
  return { text, fingerprint };
}

export async function writeSettings(pgdata: string, settings: Settings): Promise<void> {
  await writeFile(join(pgdata, "postgresql.conf"), settings.text, { mode: 0o644 });
}

/** Given on the command line, which nothing outranks: the server is reached from loopback with a password only. */
export function serverArguments(pgdata: string, port: number, settings: Settings): string[] {
  const pinned = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    password_encryption: "scram-sha-256",
    "pawl.fingerprint": settings.fingerprint,
  };
  return ["-D", pgdata, ...Object.entries(pinned).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
