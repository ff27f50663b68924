import { randomUUID } from "node:crypto";
import { VaultError } from "./fault.ts";
import type { KeptKey, KeptKeyring, KeyringStore } from "./kept-keys.ts";
import { createKeyring, type Keyring } from "./keyring.ts";
import type { MasterKey } from "./master-key.ts";

/** NIST SP 800-38D allows 2^32 random IVs a key. A new one is made at a sixteenth of that; at half of it sealing stops. */
export const sealLimits = { rotateAt: 2 ** 28, refuseAt: 2 ** 31 };

export interface VaultLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The keyring as this process has it: it learns of changes that other processes make, and says that it has. */
export interface LiveKeyring {
  readonly processId: string;
  readonly keyring: Keyring;
  readonly kept: KeptKeyring;
  /** Counts a seal. @throws VaultError BUSY when the key has sealed as much as it may */
  sealed(keyId: string): void;
  /** Reads it again if it has changed, and reports it. */
  refresh(): Promise<void>;
  /** Resolves when every process that runs has this version or a newer one. */
  everywhere(version: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface LiveKeyringOptions {
  store: KeyringStore;
  masters: readonly MasterKey[];
  log: VaultLog;
  /** How often it looks for changes. */
  pollMs?: number;
  /** The key has sealed so much that another should take its place. */
  onWorn?(): void;
  limits?: typeof sealLimits;
}

const reportMs = 10_000;

/** @throws VaultError KEY_WRONG, KEY_MISSING */
export async function openLiveKeyring(options: LiveKeyringOptions): Promise<LiveKeyring> {
  const { store, masters, log, pollMs = 2_000, limits = sealLimits } = options;
  const processId = randomUUID();
  let kept = await store.read();
  let keyring = unwrapped(kept, masters);
  let counted = new Map<string, number>();
  let active = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  settle();

  function settle(): void {
    active = (kept.keys.find(({ id }) => id === keyring.activeId)?.seals ?? 0) + unsent(keyring.activeId);
  }
  function unsent(keyId: string): number {
    return counted.get(keyId) ?? 0;
  }

  async function read(): Promise<void> {
    const next = await store.read();
    keyring = unwrapped(next, masters);
    kept = next;
    settle();
  }

  async function report(): Promise<void> {
    const sending = counted;
    counted = new Map();
    try {
      const process = { id: processId, version: kept.version, masters: masters.map(({ id }) => id) };
      await store.report(process, sending);
      reportedAt = performance.now();
    } catch (error) {
      for (const [id, count] of sending) counted.set(id, unsent(id) + count);
      throw error;
    }
  }

  async function refresh(): Promise<void> {
    const due = performance.now() - reportedAt >= reportMs;
    const changed = (await store.version()) !== kept.version;
    if (!changed && !due) return;
    // When it is due too, for the seals of other processes count.
    await report();
    await read();
    if (changed) await report();
    if (active >= limits.rotateAt) options.onWorn?.();
  }

  async function look(): Promise<void> {
    try {
      await refresh();
      failing = false;
    } catch (error) {
      // Once for each time that it fails, not each two seconds.
      if (!failing) log.warn({ err: error }, "The keyring could not be read again; it is tried further.");
      failing = true;
    }
  }

  await report();
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, pollMs).unref();

  return {
    processId,
    get keyring() {
      return keyring;
    },
    get kept() {
      return kept;
    },
    sealed(keyId) {
      if (active >= limits.refuseAt) {
        throw new VaultError("BUSY", "The active key has sealed too much: a new one is to be made first.");
      }
      active++;
      counted.set(keyId, unsent(keyId) + 1);
    },
    refresh,
    async everywhere(version, signal) {
      for (;;) {
        await refresh();
        const behind = (await store.processes()).filter((process) => process.version < version);
        if (behind.length === 0) return;
        await pause(Math.min(pollMs, 250), signal);
      }
    },
    async close() {
      clearInterval(timer);
      await looking;
      await report().catch(() => {});
      await store.forgetProcess(processId).catch(() => {});
    },
  };
}

/** @throws VaultError KEY_WRONG, KEY_MISSING */
export function unwrapped({ keys }: KeptKeyring, masters: readonly MasterKey[]): Keyring {
  const dataKeys = new Map<string, Buffer>();
  let signingRoot: Buffer | undefined;
  let activeId: string | undefined;
  for (const key of keys) {
    const master = masters.find(({ id }) => id === key.master);
    // Its master key was given up: what it sealed does not open, and the rest does.
    if (!master && key.state === "retired") continue;
    if (!master) throw noMaster(key, masters);
    const opened = master.unwrap(key.id, key.wrapped);
    if (key.kind === "data") dataKeys.set(key.id, opened);
    else if (key.state === "active") signingRoot = opened;
    if (key.kind === "data" && key.state === "active") activeId = key.id;
  }
  if (activeId === undefined || signingRoot === undefined) {
    throw new VaultError("KEY_WRONG", "The table vault_key lacks a key. Restore it from a backup.");
  }
  return createKeyring({ activeId, dataKeys, signingRoot });
}

const LOST = "If it is lost for good: pawl vault abandon --help.";

function noMaster(key: KeptKey, masters: readonly MasterKey[]): VaultError {
  const [current] = masters;
  if (current === undefined) {
    return new VaultError(
      "KEY_MISSING",
      `The secrets in this database are sealed, and Pawl has no master key to open them. Set PAWL_MASTER_KEY or PAWL_MASTER_KEY_FILE ` +
        `to the one they were sealed with (its id is ${key.master}), or put the file master-key of the data directory back in its place. ` +
        LOST,
    );
  }
  return new VaultError(
    "KEY_WRONG",
    `The master key from ${current.from} has the id ${current.id}, but the secrets in this database are sealed under the one with the id ` +
      `${key.master}. Set that one. To change from it to another, set PAWL_MASTER_KEY to the new one and PAWL_MASTER_KEY_PREVIOUS to the old one. ` +
      LOST,
  );
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
