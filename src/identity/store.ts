import type pg from "pg";
import type { McpScope } from "../contract/bridge.ts";
import type { JobLimits } from "../contract/identity.ts";
import { quick } from "../db/quick.ts";

/** A pool, or the connection of a transaction. */
export type Db = Pick<pg.Pool, "query">;

export interface PrincipalRow {
  id: string;
  name: string;
  kind: "user" | "service";
  authorities: string[];
  job_limits: JobLimits | null;
  external_id: string | null;
  created_at: Date;
}

export type NewPrincipal = Omit<PrincipalRow, "created_at">;

export interface TokenRow {
  id: string;
  principal_id: string;
  principal_name: string;
  name: string;
  prefix: string;
  audience: "api" | "mcp";
  scopes: McpScope[] | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** What a credential leads to. */
export interface CredentialRow {
  /** Null: no token of ours, but somebody whom the identity provider vouches for. */
  token_id: string | null;
  scopes: McpScope[] | null;
  expires_at: Date | null;
  principal_id: string;
  name: string;
  authorities: string[];
  job_limits: JobLimits | null;
}

export interface Page {
  page: number;
  size: number;
}

const TOKEN_FIELDS = `t.id, t.principal_id, p.name as principal_name, t.name, t.prefix, t.audience, t.scopes, t.created_at, t.expires_at,
  t.last_used_at, t.revoked_at`;

// Limits within the caller's: every list a part of the caller's. $1 null: the caller is not limited and sees all.
const VISIBLE = `($1::jsonb is null or (p.job_limits is not null
  and coalesce(p.job_limits -> 'ids', '[]') <@ coalesce($1::jsonb -> 'ids', '[]')
  and coalesce(p.job_limits -> 'collections', '[]') <@ coalesce($1::jsonb -> 'collections', '[]')
  and coalesce(p.job_limits -> 'tags', '[]') <@ coalesce($1::jsonb -> 'tags', '[]')))`;

/** By hash: an index lookup of a hash tells a guesser nothing through its timing. */
export async function findCredential(db: Db, hash: Buffer): Promise<CredentialRow | undefined> {
  const { rows } = await db.query<CredentialRow>(
    quick({
      name: "identity.find-credential",
      text: `select t.id as token_id, t.scopes, t.expires_at, p.id as principal_id, p.name, p.authorities, p.job_limits
             from api_token t join principal p on p.id = t.principal_id
             where t.hash = $1 and t.revoked_at is null`,
      values: [hash],
    }),
  );
  return rows[0];
}

/** The same for a session: by the ids in it. */
export async function findCredentialOf(
  db: Db,
  principalId: string,
  tokenId: string | null,
): Promise<CredentialRow | undefined> {
  const { rows } = await db.query<CredentialRow>(
    quick({
      name: "identity.find-credential-of",
      text: `select t.id as token_id, t.scopes, t.expires_at, p.id as principal_id, p.name, p.authorities, p.job_limits
             from principal p left join api_token t on t.id = $2 and t.principal_id = p.id and t.revoked_at is null
             where p.id = $1 and (t.id is not null or $2::uuid is null)`,
      values: [principalId, tokenId],
    }),
  );
  return rows[0];
}

/** Whom the identity provider means by this name: by their external id or, of one who has none, by name. */
export async function findNamed(db: Db, name: string): Promise<CredentialRow | undefined> {
  const { rows } = await db.query<CredentialRow>(
    `select null as token_id, null as scopes, null as expires_at, id as principal_id, name, authorities, job_limits
     from principal where external_id = $1 or (name = $1 and external_id is null) order by external_id nulls last limit 1`,
    [name],
  );
  return rows[0];
}

/** Keeps the latest use of each token. */
export async function recordUses(db: Db, uses: Map<string, Date>): Promise<void> {
  await db.query(
    `update api_token t set last_used_at = u.at
     from unnest($1::uuid[], $2::timestamptz[]) as u (id, at)
     where t.id = u.id and (t.last_used_at is null or t.last_used_at < u.at)`,
    [[...uses.keys()], [...uses.values()]],
  );
}

export async function insertPrincipal(db: Db, row: NewPrincipal): Promise<PrincipalRow> {
  const { rows } = await db.query<PrincipalRow>(
    "insert into principal (id, name, kind, authorities, job_limits, external_id) values ($1, $2, $3, $4, $5, $6) returning *",
    [row.id, row.name, row.kind, row.authorities, json(row.job_limits), row.external_id],
  );
  return rows[0]!;
}

export async function updatePrincipal(db: Db, row: NewPrincipal): Promise<PrincipalRow> {
  const { rows } = await db.query<PrincipalRow>(
    `update principal set name = $2, kind = $3, authorities = $4, job_limits = $5, external_id = $6
     where id = $1 returning *`,
    [row.id, row.name, row.kind, row.authorities, json(row.job_limits), row.external_id],
  );
  return rows[0]!;
}

/** Its tokens go with it. */
export async function deletePrincipal(db: Db, id: string): Promise<void> {
  await db.query("delete from principal where id = $1", [id]);
}

export async function findPrincipal(
  db: Db,
  id: string,
  viewer: JobLimits | null,
): Promise<PrincipalRow | undefined> {
  const { rows } = await db.query<PrincipalRow>(
    `select p.* from principal p where ${VISIBLE} and p.id = $2`,
    [json(viewer), id],
  );
  return rows[0];
}

/** Holds the row until the transaction ends. */
export async function lockPrincipal(
  db: Db,
  id: string,
  viewer: JobLimits | null,
): Promise<PrincipalRow | undefined> {
  const { rows } = await db.query<PrincipalRow>(
    `select p.* from principal p where ${VISIBLE} and p.id = $2 for update`,
    [json(viewer), id],
  );
  return rows[0];
}

/**
 * The principals that hold everything, held until the transaction ends. In the order of their ids, so that two callers
 * who take them at the same time wait for each other and neither sees what the other is about to remove.
 */
export async function lockAdministrators(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    "select id from principal where '*:*:*' = any (authorities) and job_limits is null order by id for update",
  );
  return rows.map((row) => row.id);
}

/** The oldest principal that holds everything. */
export async function findAdministrator(db: Db): Promise<PrincipalRow | undefined> {
  const { rows } = await db.query<PrincipalRow>(
    "select * from principal where '*:*:*' = any (authorities) and job_limits is null order by id limit 1",
  );
  return rows[0];
}

export async function listPrincipals(
  db: Db,
  viewer: JobLimits | null,
  { page, size }: Page,
): Promise<{ rows: PrincipalRow[]; total: number }> {
  const list = await db.query<PrincipalRow>(
    `select p.* from principal p where ${VISIBLE} order by p.name, p.id limit $2 offset $3`,
    [json(viewer), size, page * size],
  );
  const count = await db.query<{ total: number }>(
    `select count(*)::int as total from principal p where ${VISIBLE}`,
    [json(viewer)],
  );
  return { rows: list.rows, total: count.rows[0]!.total };
}

export async function insertToken(
  db: Db,
  token: {
    id: string;
    principalId: string;
    name: string;
    prefix: string;
    hash: Buffer;
    audience: TokenRow["audience"];
    scopes: McpScope[] | null;
    expiresAt: Date | null;
  },
): Promise<TokenRow> {
  const { rows } = await db.query<TokenRow>(
    `with t as (
       insert into api_token (id, principal_id, name, prefix, hash, audience, scopes, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       returning *
     )
     select ${TOKEN_FIELDS} from t join principal p on p.id = t.principal_id`,
    [
      token.id,
      token.principalId,
      token.name,
      token.prefix,
      token.hash,
      token.audience,
      token.scopes,
      token.expiresAt,
    ],
  );
  return rows[0]!;
}

export async function findToken(db: Db, id: string, viewer: JobLimits | null): Promise<TokenRow | undefined> {
  const { rows } = await db.query<TokenRow>(
    `select ${TOKEN_FIELDS} from api_token t join principal p on p.id = t.principal_id
     where ${VISIBLE} and t.id = $2`,
    [json(viewer), id],
  );
  return rows[0];
}

/** The API tokens of these principals that are valid for good: one for MCP lets nobody mend anything. */
export async function lastingTokens(db: Db, principalIds: string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from api_token
     where principal_id = any ($1) and revoked_at is null and expires_at is null and audience = 'api'`,
    [principalIds],
  );
  return rows.map((row) => row.id);
}

/** The time of the first revocation stays. */
export async function revokeToken(db: Db, id: string, at: Date): Promise<void> {
  await db.query("update api_token set revoked_at = $2 where id = $1 and revoked_at is null", [id, at]);
}

export async function listTokens(
  db: Db,
  viewer: JobLimits | null,
  { page, size }: Page,
): Promise<{ rows: TokenRow[]; total: number }> {
  const from = `from api_token t join principal p on p.id = t.principal_id where ${VISIBLE}`;
  const list = await db.query<TokenRow>(
    `select ${TOKEN_FIELDS} ${from} order by t.created_at desc, t.id desc limit $2 offset $3`,
    [json(viewer), size, page * size],
  );
  const count = await db.query<{ total: number }>(`select count(*)::int as total ${from}`, [json(viewer)]);
  return { rows: list.rows, total: count.rows[0]!.total };
}

/** Keeps every other first start out until the transaction ends, and answers whether there is any principal. */
export async function lockForFirstStart(db: Db): Promise<{ empty: boolean }> {
  await db.query("lock table principal in share row exclusive mode");
  const { rowCount } = await db.query("select from principal limit 1");
  return { empty: rowCount === 0 };
}

function json(limits: JobLimits | null): string | null {
  return limits === null ? null : JSON.stringify(limits);
}
