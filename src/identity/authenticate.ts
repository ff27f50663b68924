import { ApiError } from "../contract/errors.ts";
import type { Authenticate } from "../http/access.ts";
import type { Principal } from "../http/principal.ts";
import { type CredentialCache, createCredentialCache } from "./credential-cache.ts";
import type { Recorder } from "./last-used.ts";
import { authoritiesWithin } from "./rights.ts";
import { findSession } from "./session-store.ts";
import { type Grant, looksLikeSession, type Sessions } from "./sessions.ts";
import { type CredentialRow, type Db, findCredential, findCredentialOf, findNamed } from "./store.ts";
import { hashOf, kindOfToken } from "./tokens.ts";

export interface Authenticator {
  /** For the API: its tokens, and the sessions of the MCP bridge. */
  authenticate: Authenticate;
  /** What a token for MCP leads to; throws ApiError UNAUTHENTICATED with the reason. */
  findMcpToken(token: string): Promise<CredentialRow>;
  /** Who a session stands for by now; undefined when its token or its principal is gone. */
  findGranted(grant: Grant): CredentialRow | undefined | Promise<CredentialRow | undefined>;
  /** Whom an identity provider means by a name. */
  findNamed(name: string): CredentialRow | undefined | Promise<CredentialRow | undefined>;
  /** Forgets what was read: call it when rights or tokens have changed. They hold at once in this process. */
  forget(): void;
}

export interface AuthenticatorOptions {
  uses: Recorder;
  sessions: Sessions;
  now?: () => number;
}

/** Bearer tokens and sessions to principals. */
export function createAuthenticator(
  db: Db,
  { uses, sessions, now = Date.now }: AuthenticatorOptions,
): Authenticator {
  const cache: CredentialCache = createCredentialCache(now);
  // A row that is still believed is one object: what was made of it is kept with it.
  const principals = new WeakMap<CredentialRow, Principal>();

  function findToken(token: string) {
    const hash = hashOf(token);
    // By hash, so that a dump of the memory holds no tokens.
    return cache.find(hash.toString("base64"), () => findCredential(db, hash));
  }

  /** A session of a browser. Its token's row is another than the token's own: its end is the session's. */
  function ofBrowser(secret: string): Principal | Promise<Principal> {
    const hash = hashOf(secret);
    const found = cache.find(`session ${hash.toString("base64")}`, () => findSession(db, hash));
    const admit = (row: CredentialRow | undefined): Principal => {
      if (row?.expires_at == null || row.expires_at.getTime() <= now()) {
        throw refused("Your session is over: sign in again.");
      }
      return { ...principalOf(row), bySession: true };
    };
    return found instanceof Promise ? found.then(admit) : admit(found);
  }

  function accept(row: CredentialRow | undefined): CredentialRow {
    if (row === undefined) throw refused("The token is not known, or was revoked.");
    if (row.expires_at !== null && row.expires_at.getTime() <= now()) {
      throw refused("The token has expired. Make a new one.");
    }
    if (row.token_id !== null) uses.used(row.token_id, now());
    return row;
  }

  function principalOf(row: CredentialRow | undefined): Principal {
    const credential = accept(row);
    const known = principals.get(credential);
    if (known !== undefined) return known;
    const principal: Principal = {
      id: credential.principal_id,
      name: credential.name,
      authorities: credential.authorities,
      jobs: credential.job_limits,
      tokenId: credential.token_id,
    };
    principals.set(credential, principal);
    return principal;
  }

  function findGranted({ principalId, tokenId }: Grant) {
    return cache.find(`${principalId} ${tokenId}`, () => findCredentialOf(db, principalId, tokenId));
  }

  function ofSession(token: string): Principal | Promise<Principal> {
    const grant = sessions.read(token, "rest", now());
    if (grant === undefined) throw refused("The session of the MCP bridge is over, or not one of this Pawl.");
    const assistant = (row: CredentialRow | undefined): Principal => {
      const { authorities, ...user } = principalOf(row);
      return {
        ...user,
        authorities: authoritiesWithin(authorities, grant.scopes),
        assistant: { clientId: grant.clientId },
      };
    };
    const found = findGranted(grant);
    return found instanceof Promise ? found.then(assistant) : assistant(found);
  }

  return {
    authenticate(authorization, session) {
      if (authorization === undefined && session !== undefined) return ofBrowser(session);
      const token = bearer(authorization);
      if (looksLikeSession(token)) return ofSession(token);
      const kind = kindOfToken(token);
      if (kind === undefined) {
        throw refused("This is not an API token of Pawl. One begins with pawl_; copy the whole of it.");
      }
      if (kind === "mcp") {
        throw refused("This token is for MCP: it opens /mcp and nothing else. Make an API token for this.");
      }
      const found = findToken(token);
      return found instanceof Promise ? found.then(principalOf) : principalOf(found);
    },
    async findMcpToken(token) {
      const kind = kindOfToken(token);
      if (kind === undefined) {
        throw refused(
          "This is not a token for MCP. One of Pawl begins with pawl_mcp_; copy the whole of it.",
        );
      }
      if (kind === "api") {
        throw refused(
          "This is an API token, and /mcp takes tokens made for MCP only: pawl token create --for mcp --scope jobs:read.",
        );
      }
      return accept(await findToken(token));
    },
    findGranted,
    findNamed: (name) => cache.find(`named ${name}`, () => findNamed(db, name)),
    forget: cache.forget,
  };
}

function bearer(authorization: string | undefined): string {
  if (authorization === undefined) throw refused("Send an API token: Authorization: Bearer pawl_….");
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw refused("The Authorization header must be: Bearer, a space, and an API token.");
  return token;
}

function refused(message: string): ApiError {
  return new ApiError("UNAUTHENTICATED", message);
}
