import { newId } from "../lib/ids.ts";
import { VaultError } from "./fault.ts";
import { newKey } from "./first-keys.ts";
import type { KeptKey, KeptRotation, KeyringStore } from "./kept-keys.ts";
import { type LiveKeyring, pause, type VaultLog } from "./live-keyring.ts";
import type { MasterKey } from "./master-key.ts";
import { type Pace, resealAll } from "./reseal.ts";
import { countOthers, type SealedSource } from "./sealed-source.ts";
import type { Vault } from "./vault.ts";

export interface Rotator {
  /** Begins one; it goes on by itself, over crashes and other processes. @throws VaultError BUSY: one is under way */
  start(by: string): Promise<void>;
  close(): Promise<void>;
}

export interface RotatorOptions {
  store: KeyringStore;
  live: LiveKeyring;
  vault: Vault;
  masters: readonly MasterKey[];
  sources: readonly SealedSource[];
  log: VaultLog;
  pace?: Pace;
  /** How often it looks for a rotation that another process left. */
  lookMs?: number;
}

const retryMs = 1_000;

/**
 * Rotation in four stages, each found again after a crash: a key is made; once every process has it, it seals; once
 * every process seals with it, what the others sealed is sealed anew; the end is noted. Keys that sealed once are kept,
 * so that a value that no source lists, or one from a backup of a part, opens still.
 */
export function openRotator(options: RotatorOptions): Rotator {
  const { store, live, masters, log, lookMs = 15_000 } = options;
  const closed = new AbortController();
  let wake = Promise.withResolvers<void>();
  const working = work();

  async function work(): Promise<void> {
    while (!closed.signal.aborted) {
      const woken = wake.promise;
      try {
        const rotation = await store.claimRotation(live.processId);
        if (rotation) {
          await drive(options, rotation, closed.signal);
          continue;
        }
        await Promise.race([woken, pause(lookMs, closed.signal)]);
      } catch (error) {
        if (closed.signal.aborted) break;
        log.warn({ err: error }, "The rotation of keys was interrupted; it goes on in a moment.");
        await pause(retryMs, closed.signal).catch(() => {});
      }
    }
  }

  return {
    async start(by) {
      await store.change(async ({ keys }, change) => {
        if (await change.rotation()) {
          throw new VaultError("BUSY", "Keys are rotating already: see how far with GET /admin/vault.");
        }
        // The one in force, which need not be the first: what every process can unwrap.
        const master = masters.find(({ id }) => id === inForce(keys))!;
        const key = newKey(master);
        await change.insert({ ...key, kind: "data", state: "pending" });
        await change.insertRotation({ id: newId(), keyId: key.id, startedBy: by });
      });
      wake.resolve();
      wake = Promise.withResolvers();
    },
    async close() {
      closed.abort(new Error("Pawl is closing."));
      await working;
      await store.releaseRotation(live.processId).catch(() => {});
    },
  };
}

function inForce(keys: readonly KeptKey[]): string | undefined {
  return keys.find(({ state }) => state === "active")?.master;
}

async function drive(options: RotatorOptions, rotation: KeptRotation, signal: AbortSignal): Promise<void> {
  const { store, live, vault, sources, log } = options;
  const { id, keyId } = rotation;
  await live.refresh();
  if (live.kept.keys.find((key) => key.id === keyId)?.state === "pending") {
    await live.everywhere(live.kept.version, signal);
    await store.change(async ({ keys }, change) => {
      if (keys.find((key) => key.id === keyId)?.state === "pending") await change.activate(keyId);
    });
    await live.refresh();
  }
  await live.everywhere(live.kept.version, signal);
  const total = Math.max(rotation.total, await countOthers(sources, keyId));
  await keep({ total });
  log.info({ key: keyId, total }, "A new key seals; what others sealed is sealed anew.");
  const unreadable = await resealAll({ vault, sources, keyId, pace: options.pace, signal, keep });
  await keep({ unreadable, finished: true });
  if (unreadable > 0) {
    log.warn(
      { key: keyId, unreadable },
      "Keys have rotated; some values opened with none and stay as they were.",
    );
  } else {
    log.info({ key: keyId, total }, "Keys have rotated.");
  }

  async function keep(progress: Parameters<KeyringStore["keepRotation"]>[2]): Promise<void> {
    signal.throwIfAborted();
    if (!(await store.keepRotation(id, live.processId, progress))) {
      throw new VaultError("BUSY", "Another process has taken the rotation over.");
    }
  }
}
