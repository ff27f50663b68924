import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { logPath } from "./embedded/log-file.ts";
import { endLeftServer } from "./embedded/orphan.ts";
import { pgdataOf } from "./embedded/place.ts";
import { readState, stateFile } from "./embedded/state.ts";
import { lockDataDirectory } from "./lock.ts";

/**
 * Removes the embedded server of a data directory and all its data, those kept outside included; a server left
 * running is ended. What else is in the data directory stays. Refuses while a Pawl runs on it.
 */
export async function removeEmbedded(dataDir: string): Promise<void> {
  const directory = await realpath(dataDir).catch(() => null);
  if (directory === null) return;
  const lock = lockDataDirectory(directory);
  try {
    const state = await readState(directory);
    const pgdata = pgdataOf(directory, state);
    await endLeftServer(pgdata, 5_000);
    // The state goes last: it tells where the rest is, should this be cut short.
    for (const path of [
      pgdata,
      `${pgdata}.new`,
      state.place,
      logPath(directory),
      `${logPath(directory)}.1`,
    ]) {
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    }
    await rm(stateFile(directory), { force: true });
  } finally {
    lock.release();
    await rm(join(directory, "pawl.lock"), { force: true });
  }
}
