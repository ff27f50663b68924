import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEmbedded } from "../src/db/embedded.ts";
import { migrate } from "../src/db/migrate.ts";
import { ensurePartitions } from "../src/db/partitions.ts";
import { createPool } from "../src/db/pool.ts";
import { removeEmbedded } from "../src/db/remove-embedded.ts";
import type { CompiledJob } from "../src/engine/engine.ts";
import { newId } from "../src/lib/ids.ts";

/** A fresh, fully durable database, as a user has it. */
export async function benchDatabase() {
  const dataDir = await mkdtemp(join(tmpdir(), "pawl-bench-"));
  const server = await startEmbedded({ dataDir });
  const pool = createPool({ url: server.url });
  await migrate(pool, { folder: fileURLToPath(new URL("../migrations", import.meta.url)) });
  await ensurePartitions(pool, new Date());
  return {
    url: server.url,
    pgdata: server.pgdata,
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end();
      await server.stop();
      await removeEmbedded(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A job of steps that do nothing, so that what is measured is the engine. */
export function noopJob(steps: number): CompiledJob {
  return {
    jobId: newId(),
    version: 1,
    name: "bench",
    steps: Array.from({ length: steps }, (_, i) => ({
      id: newId(),
      key: `s${i + 1}`,
      name: `s${i + 1}`,
      type: "set",
      input: () => ({ values: { n: i } }),
      retry: { maxAttempts: 1, initialDelayMs: 0, factor: 1, maxDelayMs: 0 },
      onError: "fail" as const,
    })),
  };
}
