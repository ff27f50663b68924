// A process that opens the vault of a database, begins a rotation when it is told to, and tells how far it is.

import { keyringStore } from "../../src/db/keyring-store.ts";
import { createPool } from "../../src/db/pool.ts";
import { openVault } from "../../src/vault/open.ts";
import { sealedTable } from "./sealed-table.ts";

const [url, dataDir, begin] = process.argv.slice(2) as [string, string, string];
const pool = createPool({ url });
const { source } = await sealedTable(pool);
let replaced = 0;
const told = {
  ...source,
  async replaceAll(changes: Parameters<NonNullable<typeof source.replaceAll>>[0]) {
    const count = await source.replaceAll!(changes);
    replaced += count;
    process.send!({ replaced });
    // Here it is killed: in the middle, and not at its end.
    if (replaced >= 300) await new Promise(() => {});
    return count;
  },
};
const log = { info() {}, warn() {}, error() {} };
const opened = await openVault({
  store: keyringStore(pool),
  dataDir,
  given: {},
  sources: [told],
  log,
  pollMs: 20,
});
if (begin === "rotate") await opened.rotate("test");
process.send!({ ready: true });
process.on("disconnect", () => process.exit());
