import { showCanary } from "./canary.ts";
import { ensureKeys, type GivenKeys } from "./first-keys.ts";
import type { KeptRotation, KeyringStore } from "./kept-keys.ts";
import { openLiveKeyring, type sealLimits, type VaultLog } from "./live-keyring.ts";
import type { Pace } from "./reseal.ts";
import { rewrapKeys } from "./rewrap.ts";
import { openRotator } from "./rotate.ts";
import { countOthers, type SealedSource } from "./sealed-source.ts";
import { createVault, type Vault } from "./vault.ts";

/** The vault with what an operator does to its keys. */
export interface OpenVault {
  vault: Vault;
  status(): Promise<VaultStatus>;
  /** Makes a new key and seals everything anew with it, in the background. @throws VaultError BUSY */
  rotate(by: string): Promise<VaultStatus>;
  /** Wraps the keys with the new master key; answers how many. @throws VaultError BUSY */
  rewrap(): Promise<number>;
  close(): Promise<void>;
}

export interface VaultStatus {
  masterKey: {
    id: string;
    /** The keys are wrapped by it; false: by the previous one still. */
    inForce: boolean;
  };
  keys: {
    id: string;
    /** locked: its master key is not here, and what it sealed does not open. */
    state: "pending" | "active" | "retired" | "locked";
    createdAt: Date;
    activatedAt: Date | null;
    seals: number;
    values: number;
  }[];
  /** Sealed values there are. */
  values: number;
  /** Processes that use the keyring. */
  processes: number;
  rotation: (KeptRotation & { done: number }) | null;
}

/** @throws VaultError when Pawl must not start; its message says what to do */
export async function openVault(options: {
  store: KeyringStore;
  dataDir: string;
  given: GivenKeys;
  sources: readonly SealedSource[];
  log: VaultLog;
  pace?: Pace;
  pollMs?: number;
  lookMs?: number;
  limits?: typeof sealLimits;
}): Promise<OpenVault> {
  const { store, sources, log } = options;
  const { masters, made } = await ensureKeys(options);
  const onWorn = () => {
    rotator.start("pawl").catch((error: unknown) => log.info({ err: error }, "No rotation was begun."));
  };
  const live = await openLiveKeyring({ ...options, masters, onWorn });
  const vault = createVault({ keyring: () => live.keyring, sealed: live.sealed });
  await showCanary(vault, store).catch(async (error: unknown) => {
    await live.close();
    throw error;
  });
  const rotator = openRotator({ ...options, live, vault, masters });
  if (made) {
    log.warn(
      { file: made.from },
      "A master key was made. Keep a copy of it elsewhere: without it the secrets in the database are lost.",
    );
  }

  async function status(): Promise<VaultStatus> {
    await live.refresh();
    const [{ keys }, rotation, all, processes] = await Promise.all([
      store.read(),
      store.rotation(),
      countOthers(sources, ""),
      store.processes(),
    ]);
    const dataKeys = keys.filter(({ kind }) => kind === "data");
    const values = await Promise.all(dataKeys.map(async ({ id }) => all - (await countOthers(sources, id))));
    const left = rotation && !rotation.finishedAt ? await countOthers(sources, rotation.keyId) : 0;
    return {
      masterKey: {
        id: masters[0]!.id,
        inForce: keys.every(({ master, state }) => state === "retired" || master === masters[0]!.id),
      },
      keys: dataKeys.map(({ id, state, master, createdAt, activatedAt, seals }, index) => ({
        id,
        state: masters.some((one) => one.id === master) ? state : "locked",
        createdAt,
        activatedAt,
        seals,
        // Counted apart, while others write.
        values: Math.max(0, values[index]!),
      })),
      values: all,
      processes: processes.length,
      rotation: rotation ? { ...rotation, done: doneOf(rotation, left) } : null,
    };
  }

  return {
    vault,
    status,
    async rotate(by) {
      await rotator.start(by);
      return status();
    },
    rewrap: () => rewrapKeys(store, masters),
    async close() {
      await rotator.close();
      await live.close();
    },
  };
}

/** Before it is known how many there are, none is done. */
function doneOf({ total, unreadable, finishedAt }: KeptRotation, left: number): number {
  return finishedAt ? total - unreadable : Math.min(total, Math.max(0, total - left));
}
