import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { givenKeys } from "./compose-vault.ts";
import type { Config } from "./config.ts";
import { startEmbedded } from "./db/embedded.ts";
import { isUndefinedTable } from "./db/faults.ts";
import { keyringStore } from "./db/keyring-store.ts";
import { createPool } from "./db/pool.ts";
import { keepAdminToken } from "./identity/admin-token.ts";
import { resetAdmin } from "./identity/reset-admin.ts";
import { VaultError } from "./vault/fault.ts";
import { abandonKeys } from "./vault/first-keys.ts";

/** What keeps a way back in from being taken; the message says what to do. */
export class RecoveryError extends Error {
  override readonly name = "RecoveryError";
}

/**
 * Makes a new admin token and puts it in the data directory, for whoever holds that directory or the database's address.
 * An embedded database is started for it, which is refused while a Pawl runs there. The schema is left as it is.
 */
export async function resetAdminToken(
  config: Config,
): Promise<{ principal: string; prefix: string; file: string }> {
  await using opened = new AsyncDisposableStack();
  const url = config.databaseUrl ?? (await openEmbedded(config.dataDir, opened));
  const pool = createPool({ url, max: 1 });
  opened.defer(() => pool.end());
  let file = "";
  const keep = async (token: string) => {
    file = await keepAdminToken(config.dataDir, token);
  };
  try {
    return { ...(await resetAdmin(pool, { keep })), file };
  } catch (error) {
    if (!isUndefinedTable(error)) throw error;
    throw new RecoveryError("No Pawl has used the database yet. See that DATABASE_URL is the right one.");
  }
}

/**
 * Gives up the keys whose master key is lost, and makes new ones, for whoever holds the data directory or the database's
 * address. Answers where the new master key is.
 */
export async function abandonLostKeys(config: Config): Promise<{ masterKey: string; from: string }> {
  await using opened = new AsyncDisposableStack();
  const url = config.databaseUrl ?? (await openEmbedded(config.dataDir, opened));
  const pool = createPool({ url, max: 1 });
  opened.defer(() => pool.end());
  try {
    const { id, from } = await abandonKeys({
      store: keyringStore(pool),
      dataDir: config.dataDir,
      given: givenKeys(config),
    });
    return { masterKey: id, from };
  } catch (error) {
    if (error instanceof VaultError) throw new RecoveryError(error.message);
    if (!isUndefinedTable(error)) throw error;
    throw new RecoveryError("No Pawl has used the database yet. See that DATABASE_URL is the right one.");
  }
}

async function openEmbedded(dataDir: string, opened: AsyncDisposableStack): Promise<string> {
  if (!existsSync(join(dataDir, "postgres.json"))) {
    throw new RecoveryError(
      `There is no database in ${dataDir}. Set PAWL_DATA_DIR to the data directory of the Pawl that you mean.`,
    );
  }
  await requireOwnAccount(dataDir);
  const server = await startEmbedded({ dataDir });
  opened.defer(() => server.stop());
  return server.url;
}

/** Files that another account makes here are in the way of the account that runs Pawl. */
async function requireOwnAccount(dataDir: string): Promise<void> {
  const lock = await stat(join(dataDir, "pawl.lock")).catch(() => undefined);
  if (lock === undefined || lock.uid === process.getuid?.()) return;
  throw new RecoveryError(
    `The Pawl of ${dataDir} runs as the account with the number ${lock.uid}: run this command as that account, too.`,
  );
}
