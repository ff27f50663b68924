import { quick } from "../db/quick.ts";
import type { CredentialRow, Db } from "./store.ts";

export interface NewSession {
  hash: Buffer;
  principalId: string;
  /** The API token that opened it; null: a link did. */
  tokenId: string | null;
  expiresAt: Date;
}

/** What a session leads to: nothing once the token that opened it is revoked. */
export async function findSession(db: Db, hash: Buffer): Promise<CredentialRow | undefined> {
  const { rows } = await db.query<CredentialRow>(
    quick({
      name: "identity.find-session",
      text: `select s.token_id, null as scopes, s.expires_at, p.id as principal_id, p.name, p.authorities, p.job_limits
             from session s join principal p on p.id = s.principal_id left join api_token t on t.id = s.token_id
             where s.hash = $1 and t.revoked_at is null`,
      values: [hash],
    }),
  );
  return rows[0];
}

export async function insertSession(
  db: Db,
  { hash, principalId, tokenId, expiresAt }: NewSession,
): Promise<void> {
  await db.query("insert into session (hash, principal_id, token_id, expires_at) values ($1, $2, $3, $4)", [
    hash,
    principalId,
    tokenId,
    expiresAt,
  ]);
}

export async function deleteSession(db: Db, hash: Buffer): Promise<void> {
  await db.query("delete from session where hash = $1", [hash]);
}

export async function insertCode(
  db: Db,
  code: { hash: Buffer; principalId: string; expiresAt: Date },
): Promise<void> {
  await db.query("insert into sign_in_code (hash, principal_id, expires_at) values ($1, $2, $3)", [
    code.hash,
    code.principalId,
    code.expiresAt,
  ]);
}

/** Uses the code up: of two who come with it at the same time, one gets the principal. */
export async function takeCode(
  db: Db,
  hash: Buffer,
): Promise<{ principalId: string; name: string; expiresAt: Date } | undefined> {
  const { rows } = await db.query<{ principal_id: string; name: string; expires_at: Date }>(
    `delete from sign_in_code c using principal p where c.hash = $1 and p.id = c.principal_id
     returning c.principal_id, p.name, c.expires_at`,
    [hash],
  );
  const [row] = rows;
  return row && { principalId: row.principal_id, name: row.name, expiresAt: row.expires_at };
}

/** Removes what has run out. */
export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await db.query("delete from session where expires_at < $1", [now]);
  await db.query("delete from sign_in_code where expires_at < $1", [now]);
}
