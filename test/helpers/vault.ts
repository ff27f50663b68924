import { randomBytes } from "node:crypto";
import { createKeyring } from "../../src/vault/keyring.ts";
import { createVault, type Vault } from "../../src/vault/vault.ts";

/** A vault with keys of its own, kept nowhere: for tests of parts that seal. */
export function memoryVault(): Vault {
  const keyring = createKeyring({
    activeId: "testkey1",
    dataKeys: new Map([["testkey1", randomBytes(32)]]),
    signingRoot: randomBytes(32),
  });
  return createVault({ keyring: () => keyring });
}
