import type pg from "pg";
import { uuidv7 } from "uuidv7";
import type { McpScope } from "../contract/bridge.ts";
import { ApiError } from "../contract/errors.ts";
import type { TokenInput } from "../contract/identity.ts";
import { isForeignKeyViolation } from "../db/faults.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Principal } from "../http/principal.ts";
import { targetOf } from "./principals.ts";
import { requireNotAbove } from "./rights.ts";
import * as store from "./store.ts";
import { hashOf, newToken, prefixOf } from "./tokens.ts";

const DAY_MS = 86_400_000;

/** Makes a token for a principal whose rights lie within the caller's. The token itself is in this answer only. */
export async function issueToken(
  pool: pg.Pool,
  caller: Principal,
  input: TokenInput,
  now: number,
): Promise<{ token: string; row: store.TokenRow }> {
  const scopes = scopesOf(input);
  const target =
    (await store.findPrincipal(pool, input.principalId, caller.jobs)) ?? unknownPrincipal(input.principalId);
  requireNotAbove(caller, targetOf(target), "make a token for");
  const expiresAt = input.expiresInDays === undefined ? null : new Date(now + input.expiresInDays * DAY_MS);
  try {
    return await storeToken(pool, { principalId: target.id, name: input.name, expiresAt, scopes });
  } catch (error) {
    // Deleted since it was read.
    if (isForeignKeyViolation(error)) unknownPrincipal(input.principalId);
    throw error;
  }
}

interface NewToken {
  principalId: string;
  name: string;
  expiresAt: Date | null;
  /** Set: the token is for MCP. */
  scopes?: McpScope[] | null;
}

/** Null: the token is for the API. */
function scopesOf(input: TokenInput): McpScope[] | null {
  const forMcp = input.for === "mcp";
  if (forMcp === (input.scopes !== undefined)) return input.scopes ?? null;
  const message = forMcp
    ? "are required of a token for mcp: some of jobs:read, jobs:run, jobs:control."
    : "belong to a token for mcp only: what an API token may do is what its principal may.";
  throw new ApiError("VALIDATION_FAILED", `The request is not valid: /scopes ${message}`, {
    details: [{ path: "/scopes", message }],
  });
}

/** Makes and stores a token, without a question about rights. */
export async function storeToken(
  db: store.Db,
  { principalId, name, expiresAt, scopes = null }: NewToken,
): Promise<{ token: string; row: store.TokenRow }> {
  const audience = scopes === null ? "api" : "mcp";
  const token = newToken(audience);
  const row = await store.insertToken(db, {
    id: uuidv7(),
    principalId,
    name,
    prefix: prefixOf(token),
    hash: hashOf(token),
    audience,
    scopes,
    expiresAt,
  });
  return { token, row };
}

/**
 * Revokes a token for good; one that is revoked already stays as it is. The last one that holds everything and doesn't
 * expire is kept: nobody could let anyone in any more.
 */
export async function revokeToken(
  pool: pg.Pool,
  caller: Principal,
  id: string,
  now: number,
): Promise<store.TokenRow> {
  return inTransaction(pool, async (client) => {
    const found = (await store.findToken(client, id, caller.jobs)) ?? unknownToken(id);
    const administrators = await store.lockAdministrators(client);
    const owner = (await store.findPrincipal(client, found.principal_id, caller.jobs)) ?? unknownToken(id);
    // One's own token may be given up, whatever one's rights.
    if (owner.id !== caller.id) requireNotAbove(caller, targetOf(owner), "revoke a token of");
    if (administrators.includes(owner.id) && found.expires_at === null && found.audience === "api") {
      const lasting = await store.lastingTokens(client, administrators);
      if (lasting.length === 1 && lasting[0] === id) keepToken(found);
    }
    await store.revokeToken(client, id, new Date(now));
    return (await store.findToken(client, id, caller.jobs)) ?? unknownToken(id);
  });
}

function keepToken({ prefix }: store.TokenRow): never {
  throw new ApiError(
    "CONFLICT",
    `The token ${prefix}… must stay: it is the last one that holds everything (*:*:*, every job) and doesn't expire. ` +
      "Make another one first and keep it; then this one can be revoked.",
  );
}

function unknownPrincipal(id: string): never {
  throw new ApiError("NOT_FOUND", `There is no principal ${id}.`);
}

function unknownToken(id: string): never {
  throw new ApiError("NOT_FOUND", `There is no token ${id}.`);
}
