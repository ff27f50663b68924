import { fileURLToPath } from "node:url";
import type pg from "pg";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { startEmbedded } from "./db/embedded.ts";
import { migrate } from "./db/migrate.ts";
import { ensurePartitions } from "./db/partitions.ts";
import { createPool, requireSupportedServer } from "./db/pool.ts";

const migrations = fileURLToPath(new URL("../migrations", import.meta.url));
const halfDayMs = 12 * 3_600_000;

export interface Database {
  url: string;
  pool: pg.Pool;
  /** Of the embedded server, which steps may not reach. */
  port: number | undefined;
}

/** The database that the configuration names, its schema up to date: the embedded one unless DATABASE_URL says otherwise. */
export async function openDatabase(
  config: Config,
  log: Logger,
  opened: AsyncDisposableStack,
  onLost: (error: Error) => void,
): Promise<Database> {
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbedded({ dataDir: config.dataDir, log, onLost })
      : undefined;
  if (embedded) opened.defer(() => embedded.stop());
  const url = embedded?.url ?? String(config.databaseUrl);
  const pool = createPool({ url, log });
  opened.defer(() => pool.end());
  await requireSupportedServer(pool);
  await migrate(pool, { folder: migrations, log });
  await ensurePartitions(pool, new Date());
  const daily = setInterval(() => {
    ensurePartitions(pool, new Date()).catch((error: unknown) =>
      log.error({ err: error }, "Partitions for the coming months could not be made; it is tried again."),
    );
  }, halfDayMs);
  opened.defer(() => clearInterval(daily));
  return { url, pool, port: embedded?.port };
}
