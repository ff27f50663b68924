import type pg from "pg";
import type { Logger } from "pino";
import { type Config, ConfigError } from "./config.ts";
import { keyringStore } from "./db/keyring-store.ts";
import { VaultError } from "./vault/fault.ts";
import type { GivenKeys } from "./vault/first-keys.ts";
import { type OpenVault, openVault } from "./vault/open.ts";
import type { SealedSource } from "./vault/sealed-source.ts";

/** The vault on the database's keyring, with the master key that the configuration names. */
export async function composeVault(
  config: Config,
  parts: { pool: pg.Pool; sources: readonly SealedSource[]; log: Logger; opened: AsyncDisposableStack },
): Promise<OpenVault> {
  const { pool, sources, log, opened } = parts;
  const { dataDir } = config;
  try {
    const vault = await openVault({
      store: keyringStore(pool),
      dataDir,
      given: givenKeys(config),
      sources,
      log,
    });
    opened.defer(() => vault.close());
    return vault;
  } catch (error) {
    // As any other configuration that can't be right, so that nothing starts it again and again.
    if (error instanceof VaultError) throw new ConfigError([error.message], { cause: error });
    throw error;
  }
}

/** What the configuration says of the master key. */
export function givenKeys(config: Config): GivenKeys {
  return {
    key: config.masterKey,
    file: config.masterKeyFile,
    previous: config.masterKeyPrevious,
    previousFile: config.masterKeyPreviousFile,
  };
}
