import type { VaultState } from "../../contract/vault.ts";
import type { VaultStatus } from "../../vault/open.ts";

export function presentVault({ masterKey, keys, values, processes, rotation }: VaultStatus): VaultState {
  return {
    masterKey: { id: masterKey.id, inForce: masterKey.inForce },
    keys: keys.map((key) => ({
      id: key.id,
      state: key.state,
      createdAt: key.createdAt.toISOString(),
      activatedAt: key.activatedAt?.toISOString() ?? null,
      seals: key.seals,
      values: key.values,
    })),
    values,
    processes,
    rotation: rotation && {
      id: rotation.id,
      keyId: rotation.keyId,
      startedBy: rotation.startedBy,
      startedAt: rotation.startedAt.toISOString(),
      finishedAt: rotation.finishedAt?.toISOString() ?? null,
      total: rotation.total,
      done: rotation.done,
      unreadable: rotation.unreadable,
    },
  };
}
