import { chmodSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { startEmbedded } from "../../src/db/embedded.ts";
import { removeEmbedded } from "../../src/db/remove-embedded.ts";
import { scratchRoot } from "./scratch.ts";

export type TestServer = { url: string; stop(): Promise<void> };

const PREFIX = "pawl-test-server-";

/** Starts a PostgreSQL server without durability, in a folder of its own that `stop` removes. */
export async function startTestServer(): Promise<TestServer> {
  await sweep();
  const dataDir = await mkdtemp(join(scratchRoot(), PREFIX));
  // The account that runs the server may pass, so that nothing is put outside the folder.
  chmodSync(dataDir, 0o711);
  const server = await startEmbedded({ dataDir, disposable: true });
  return {
    url: server.url,
    async stop() {
      // Nothing in it is kept: no checkpoint is worth waiting for.
      await server.stop({ limitMs: 0 });
      await remove(dataDir);
    },
  };
}

/** Removes the servers of runs that were killed. One that still runs holds its lock, and removal is refused. */
async function sweep(): Promise<void> {
  for (const name of await readdir(scratchRoot())) {
    if (name.startsWith(PREFIX)) await remove(join(scratchRoot(), name)).catch(() => {});
  }
}

async function remove(dataDir: string): Promise<void> {
  await removeEmbedded(dataDir);
  await rm(dataDir, { recursive: true, force: true });
}
