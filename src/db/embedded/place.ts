import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseError } from "../errors.ts";
import type { Log } from "../log.ts";
import { type Account, canEnter } from "./account.ts";
import { endLeftServer } from "./orphan.ts";
import { readState, type State, writeState } from "./state.ts";

/** Where root keeps what another account must reach, when the data directory is out of that account's reach. */
export const OUTSIDE = "/var/lib/pawl";

const OWNER_FILE = "data-directory";

/**
 * Settles the folder that holds the server's data: `postgres` in the data directory, or in a place outside that the
 * account can reach. The state then points there.
 */
export async function settlePlace(
  dataDir: string,
  state: State,
  account: Account | null,
  log: Log,
): Promise<string> {
  const inside = join(dataDir, "postgres");
  if (state.place !== undefined) {
    await claimPlace(state.place, dataDir);
  } else {
    if (account === null) return inside;
    await letThrough(dataDir, account);
    if (await canEnter(account, dataDir)) return inside;
    await warnOfLeftovers(dataDir, log);
    state.place = await makePlace(dataDir);
    await writeState(dataDir, state);
    log.info(
      { folder: state.place },
      "The database is kept outside the data directory, which its account cannot reach.",
    );
  }
  const outside = join(state.place, "postgres");
  if (!(await exists(outside)) && (await exists(inside))) await moveData(inside, outside, dataDir, state);
  return outside;
}

/** The folder of the data as the state tells it, whether or not it exists. */
export function pgdataOf(dataDir: string, state: State): string {
  return join(state.place ?? dataDir, "postgres");
}

/** A private data directory of root's opens for the account alone, to pass through and not to list or read. */
async function letThrough(dataDir: string, account: Account): Promise<void> {
  const { uid, mode } = await stat(dataDir);
  if (uid !== 0 || (mode & 0o077) !== 0) return;
  await chown(dataDir, 0, account.gid);
  await chmod(dataDir, 0o710);
}

/** A copied data directory points at the place of the original: two servers must not share it. */
async function claimPlace(place: string, dataDir: string): Promise<void> {
  const file = join(place, OWNER_FILE);
  const owner = (await readFile(file, "utf8").catch(() => "")).trim();
  if (owner === dataDir) return;
  if (owner !== "" && (await exists(owner)) && (await readState(owner).catch(() => null))?.place === place) {
    throw new DatabaseError(
      "DATA_DIRECTORY_UNUSABLE",
      `The data directory ${dataDir} is a copy of ${owner}, and both point at the database in ${place}. ` +
        `Remove postgres.json from ${dataDir} to start it with an empty database.`,
    );
  }
  await writeFile(file, `${dataDir}\n`, { mode: 0o600 }).catch((error) => {
    throw new DatabaseError(
      "DATA_DIRECTORY_UNUSABLE",
      `The database of ${dataDir} is in ${place}, which cannot be used: ${error.message}. ` +
        "Put it back, or remove postgres.json from the data directory to start with an empty database.",
      { cause: error },
    );
  });
}

async function warnOfLeftovers(dataDir: string, log: Log): Promise<void> {
  for (const name of await readdir(OUTSIDE).catch(() => [])) {
    const place = join(OUTSIDE, name);
    const owner = await readFile(join(place, OWNER_FILE), "utf8").catch(() => "");
    if (owner.trim() !== dataDir || !(await exists(join(place, "postgres")))) continue;
    log.warn(
      { folder: place },
      "The database of an earlier data directory is still there. Remove it if it is not needed.",
    );
  }
}

async function makePlace(dataDir: string): Promise<string> {
  // A folder that an operator can see, also when the data directory is `.pawl`.
  const name = basename(dataDir).replace(/^\.+/, "");
  const place = join(OUTSIDE, `${name}-${randomBytes(6).toString("hex")}`);
  await mkdir(place, { recursive: true });
  await chmod(OUTSIDE, 0o755);
  await chmod(place, 0o755);
  await writeFile(join(place, OWNER_FILE), `${dataDir}\n`, { mode: 0o600 });
  return place;
}

/** Takes out the data that were made when the account could still reach them. */
async function moveData(from: string, to: string, dataDir: string, state: State): Promise<void> {
  await endLeftServer(from, 20_000);
  try {
    await rename(from, to);
  } catch (error) {
    await rm(dirname(to), { recursive: true });
    delete state.place;
    await writeState(dataDir, state);
    throw new DatabaseError(
      "DATA_DIRECTORY_UNUSABLE",
      `The account that runs PostgreSQL can no longer reach ${from}, and it cannot be moved to ${OUTSIDE}: ` +
        `${(error as Error).message}. Open the folders above it to other accounts with chmod o+x, ` +
        "or move the data directory to where it was.",
      { cause: error },
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
