import { VaultError } from "./fault.ts";
import type { KeptKey, KeyringStore } from "./kept-keys.ts";
import type { MasterKey } from "./master-key.ts";

/**
 * Wraps the keys with the master key of this process instead of the previous one, in one transaction: the values stay as
 * they are. Answers how many it wrapped anew; none when the master key is in force already.
 * @throws VaultError BUSY: a process that runs does not have the new master key
 */
export async function rewrapKeys(store: KeyringStore, masters: readonly MasterKey[]): Promise<number> {
  const current = masters[0]!;
  return store.change(async ({ keys }, change) => {
    const known = (key: KeptKey) => masters.find(({ id }) => id === key.master);
    // Keys of a master key that was given up stay as they are, in case it is found again.
    const old = keys.filter((key) => key.master !== current.id && (known(key) || key.state !== "retired"));
    if (old.length === 0) return 0;
    const without = (await change.processes()).filter((process) => !process.masters.includes(current.id));
    if (without.length > 0) {
      const others = without.length === 1 ? "Another Pawl" : `${without.length} others`;
      throw new VaultError(
        "BUSY",
        `${others} on this database would not open anything any more: start each with the new master key in PAWL_MASTER_KEY and the ` +
          "old one in PAWL_MASTER_KEY_PREVIOUS, then try again. One that has ended counts for half a minute.",
      );
    }
    for (const key of old) {
      const master = known(key);
      if (!master)
        throw new VaultError("KEY_WRONG", "The keyring was changed by a Pawl with another master key.");
      await change.rewrap(key.id, current.wrap(key.id, master.unwrap(key.id, key.wrapped)), current.id);
    }
    return old.length;
  });
}
