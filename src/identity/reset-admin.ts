import type pg from "pg";
import { inTransaction } from "../db/transaction.ts";
import { insertAdmin } from "./first-start.ts";
import { storeToken } from "./issue.ts";
import { findAdministrator, lockForFirstStart } from "./store.ts";

/**
 * The way back in when every token was lost: one more token for a principal that holds everything. No route leads here;
 * who calls it holds the database anyway. Tokens that exist stay. `keep` runs before the commit, as at the first start.
 */
export async function resetAdmin(
  pool: pg.Pool,
  { keep }: { keep: (token: string) => Promise<void> },
): Promise<{ principal: string; prefix: string }> {
  return inTransaction(pool, async (client) => {
    await lockForFirstStart(client);
    const admin = (await findAdministrator(client)) ?? (await insertAdmin(client));
    const { token, row } = await storeToken(client, {
      principalId: admin.id,
      name: "reset-admin",
      expiresAt: null,
    });
    await keep(token);
    return { principal: admin.name, prefix: row.prefix };
  });
}
