import { randomBytes } from "node:crypto";
import { VaultError } from "./fault.ts";
import type { KeyringChange, KeyringStore } from "./kept-keys.ts";
import {
  type MasterKey,
  makeOwnMasterKey,
  masterKey,
  readMasterKeyFile,
  readOwnMasterKey,
} from "./master-key.ts";
import type { SealedSource } from "./sealed-source.ts";

/** What the configuration says of the master key; nothing of it: the data directory's file. */
export interface GivenKeys {
  key?: Buffer | undefined;
  file?: string | undefined;
  previous?: Buffer | undefined;
  previousFile?: string | undefined;
}

/**
 * The master keys of this process, the one to use first. On a database without a keyring its first keys are made, and a
 * master key too when none is given: only then, for with sealed values about, a new key would open none of them.
 * @throws VaultError KEY_MISSING, KEY_UNREADABLE
 */
export async function ensureKeys(options: {
  store: KeyringStore;
  dataDir: string;
  given: GivenKeys;
  sources: readonly SealedSource[];
}): Promise<{ masters: MasterKey[]; made: MasterKey | undefined }> {
  const { store, dataDir, given, sources } = options;
  const masters = await mastersOf(given, dataDir);
  if ((await store.read()).keys.length > 0) return { masters, made: undefined };
  return store.change(async ({ keys }, change) => {
    if (keys.length > 0) return { masters, made: undefined };
    await requireNothingSealed(sources);
    // Before the commit: a key in a file without a keyring is used at the next start, a keyring without its key is lost.
    const made =
      masters.length > 0
        ? undefined
        : ((await readOwnMasterKey(dataDir)) ?? (await makeOwnMasterKey(dataDir)));
    const master = masters[0] ?? made!;
    await insertFirst(change, master);
    return { masters: [master, ...masters.slice(1)], made };
  });
}

/**
 * For those whose master key is lost for good: new keys take over, under the master key that is configured or made now. What
 * the old keys sealed stays where it is and does not open; they stay too, in case the old master key is found.
 * @throws VaultError BUSY: nothing is lost · KEY_UNREADABLE
 */
export async function abandonKeys(options: {
  store: KeyringStore;
  dataDir: string;
  given: GivenKeys;
}): Promise<MasterKey> {
  const { store, dataDir, given } = options;
  const masters = await mastersOf(given, dataDir);
  return store.change(async ({ keys }, change) => {
    const active = keys.filter(({ state }) => state === "active");
    if (active.length === 0) throw new VaultError("BUSY", "There are no keys yet: nothing is lost.");
    const fits = masters.find(({ id }) => active.every((key) => key.master === id));
    if (fits) {
      throw new VaultError(
        "BUSY",
        `The master key from ${fits.from} is the right one: nothing is lost. Start Pawl.`,
      );
    }
    await change.retireAll();
    const master = masters[0] ?? (await makeOwnMasterKey(dataDir));
    await insertFirst(change, master);
    return master;
  });
}

async function insertFirst(change: KeyringChange, master: MasterKey): Promise<void> {
  for (const kind of ["data", "signing"] as const) {
    await change.insert({ ...newKey(master), kind, state: "active" });
  }
}

/** A new key, wrapped. Its id says nothing of it. */
export function newKey(master: MasterKey): { id: string; wrapped: Buffer; master: string } {
  const id = randomBytes(6).toString("hex");
  return { id, wrapped: master.wrap(id, randomBytes(32)), master: master.id };
}

async function mastersOf(given: GivenKeys, dataDir: string): Promise<MasterKey[]> {
  const current = given.key
    ? masterKey(given.key, "PAWL_MASTER_KEY")
    : given.file !== undefined
      ? await readMasterKeyFile(given.file, "PAWL_MASTER_KEY_FILE")
      : await readOwnMasterKey(dataDir);
  const previous = given.previous
    ? masterKey(given.previous, "PAWL_MASTER_KEY_PREVIOUS")
    : given.previousFile !== undefined
      ? await readMasterKeyFile(given.previousFile, "PAWL_MASTER_KEY_PREVIOUS_FILE")
      : undefined;
  return [current, previous].filter((key) => key !== undefined);
}

async function requireNothingSealed(sources: readonly SealedSource[]): Promise<void> {
  for (const source of sources) {
    const sealed = await source.count("");
    if (sealed === 0) continue;
    throw new VaultError(
      "KEY_MISSING",
      `There are sealed values (${source.name}: ${sealed}), but the table vault_key, whose keys open them, is empty. ` +
        "Restore that table from a backup.",
    );
  }
}
