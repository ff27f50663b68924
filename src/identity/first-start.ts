import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { inTransaction } from "../db/transaction.ts";
import { storeToken } from "./issue.ts";
import { type Db, insertPrincipal, lockForFirstStart, type PrincipalRow } from "./store.ts";

/**
 * On a database without principals: makes `admin`, who may do everything, and a token for it, which is answered this once;
 * null on any other. `keep` puts the token where its owner finds it, before the commit: a token that nobody has would
 * lock everyone out, while a token without a principal is replaced at the next start.
 */
export async function ensureAdmin(
  pool: pg.Pool,
  { keep }: { keep: (token: string) => Promise<void> },
): Promise<string | null> {
  return inTransaction(pool, async (client) => {
    const { empty } = await lockForFirstStart(client);
    if (!empty) return null;
    const admin = await insertAdmin(client);
    const { token } = await storeToken(client, {
      principalId: admin.id,
      name: "first start",
      expiresAt: null,
    });
    await keep(token);
    return token;
  });
}

/** Makes the principal that may do everything. */
export function insertAdmin(db: Db): Promise<PrincipalRow> {
  return insertPrincipal(db, {
    id: uuidv7(),
    name: "admin",
    kind: "user",
    authorities: ["*:*:*"],
    job_limits: null,
    external_id: null,
  });
}
