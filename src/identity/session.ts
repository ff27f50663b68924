import { randomBytes } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import type { SignInRequest } from "../contract/identity.ts";
import * as sessions from "./session-store.ts";
import { type CredentialRow, type Db, findAdministrator, findCredential } from "./store.ts";
import { hashOf, kindOfToken } from "./tokens.ts";

const SESSION_MS = 12 * 3_600_000;
/** Long enough to walk to another window, short enough that a log that was kept lets nobody in. */
const CODE_MS = 3_600_000;

export interface OpenedSession {
  /** The cookie's value; nowhere else but in this answer. */
  secret: string;
  expiresAt: Date;
  /** The name of whom it stands for. */
  name: string;
}

/**
 * Opens a session for whoever an API token or a sign-in link belongs to. It ends after 12 hours, or with the token.
 * @throws ApiError UNAUTHENTICATED, VALIDATION_FAILED
 */
export async function openSession(db: Db, request: SignInRequest, now: number): Promise<OpenedSession> {
  const { principalId, name, tokenId, until } = await ownerOf(db, request, now);
  const secret = newSecret();
  const expiresAt = new Date(Math.min(now + SESSION_MS, until));
  await sessions.insertSession(db, { hash: hashOf(secret), principalId, tokenId, expiresAt });
  return { secret, expiresAt, name };
}

/** Opens a session for somebody whom an identity provider vouched for. */
export async function openSessionFor(db: Db, row: CredentialRow, now: number): Promise<OpenedSession> {
  const secret = newSecret();
  const expiresAt = new Date(now + SESSION_MS);
  const owner = { principalId: row.principal_id, tokenId: null };
  await sessions.insertSession(db, { hash: hashOf(secret), ...owner, expiresAt });
  return { secret, expiresAt, name: row.name };
}

export async function endSession(db: Db, secret: string): Promise<void> {
  await sessions.deleteSession(db, hashOf(secret));
}

/** A code that signs the oldest administrator in once; undefined when there is none. */
export async function makeSignInCode(db: Db, now: number): Promise<string | undefined> {
  const administrator = await findAdministrator(db);
  if (administrator === undefined) return undefined;
  const code = newSecret();
  await sessions.insertCode(db, {
    hash: hashOf(code),
    principalId: administrator.id,
    expiresAt: new Date(now + CODE_MS),
  });
  return code;
}

interface Owner {
  principalId: string;
  name: string;
  tokenId: string | null;
  until: number;
}

function ownerOf(db: Db, { token, code }: SignInRequest, now: number): Promise<Owner> {
  if (token !== undefined && code === undefined) return ownerOfToken(db, token, now);
  if (code !== undefined && token === undefined) return ownerOfCode(db, code, now);
  throw new ApiError("VALIDATION_FAILED", "Give either an API token or the code of a sign-in link.", {
    details: [{ path: "", message: "must have either token or code." }],
  });
}

async function ownerOfToken(db: Db, given: string, now: number): Promise<Owner> {
  const token = given.trim();
  const kind = kindOfToken(token);
  if (kind === "mcp") {
    throw refused("This token is for MCP: it opens /mcp and nothing else. Sign in with an API token.");
  }
  if (kind === undefined) {
    throw refused("This is not an API token of Pawl. One begins with pawl_; copy the whole of it.");
  }
  const row = await findCredential(db, hashOf(token));
  if (row === undefined) throw refused("The token is not known, or was revoked.");
  const until = row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
  if (until <= now) throw refused("The token has expired. Make a new one.");
  return { principalId: row.principal_id, name: row.name, tokenId: row.token_id, until };
}

async function ownerOfCode(db: Db, code: string, now: number): Promise<Owner> {
  const found = await sessions.takeCode(db, hashOf(code));
  if (found === undefined || found.expiresAt.getTime() <= now) {
    throw refused("This link was used before, or has expired: sign in with an API token instead.");
  }
  return { principalId: found.principalId, name: found.name, tokenId: null, until: Number.POSITIVE_INFINITY };
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function refused(message: string): ApiError {
  return new ApiError("UNAUTHENTICATED", message);
}
