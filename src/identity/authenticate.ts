import { ApiError } from "../contract/errors.ts";
import type { Authenticate } from "../http/access.ts";
import type { Principal } from "../http/principal.ts";
import type { Recorder } from "./last-used.ts";
import { findSession } from "./session-store.ts";
import { type CredentialRow, type Db, findCredential } from "./store.ts";
import { hashOf, looksLikeToken } from "./tokens.ts";

export interface Authenticator {
  authenticate: Authenticate;
  /** Forgets what was read: call it when rights or tokens have changed. They hold at once in this process. */
  forget(): void;
}

// Rights change in other processes too: this long at most is an old answer believed. Unknown tokens are remembered for
// less, so that one made elsewhere works soon.
const FRESH_MS = 5_000;
const UNKNOWN_MS = 1_000;
const MAX_ENTRIES = 10_000;

interface Entry {
  principal: Principal | null;
  expiresAt: number;
  readAt: number;
}

/** Bearer tokens and sessions to principals, with a short memory so that a busy caller costs a query every few seconds. */
export function createAuthenticator(
  db: Db,
  { uses, now = Date.now }: { uses: Recorder; now?: () => number },
): Authenticator {
  // By hash, so that a dump of the memory holds no tokens. In order of reading: the first is the oldest.
  const known = new Map<string, Entry>();
  const reading = new Map<string, Promise<Entry>>();
  let generation = 0;

  function bySession(secret: string): Principal | Promise<Principal> {
    const hash = hashOf(secret);
    const key = `session ${hash.toString("base64")}`;
    const admit = (entry: Entry): Principal => {
      if (entry.principal === null || entry.expiresAt <= now())
        throw refused("Your session is over: sign in again.");
      uses.used(entry.principal.tokenId, now());
      return { ...entry.principal, bySession: true };
    };
    const entry = recall(key);
    return entry ? admit(entry) : read(key, () => findSession(db, hash)).then(admit);
  }

  function accept(entry: Entry): Principal {
    if (entry.principal === null) throw refused("The token is not known, or was revoked.");
    if (entry.expiresAt <= now()) throw refused("The token has expired. Make a new one.");
    uses.used(entry.principal.tokenId, now());
    return entry.principal;
  }

  function recall(key: string): Entry | undefined {
    const entry = known.get(key);
    if (entry === undefined) return undefined;
    const age = now() - entry.readAt;
    if (age >= 0 && age < (entry.principal === null ? UNKNOWN_MS : FRESH_MS)) return entry;
    known.delete(key);
    return undefined;
  }

  function read(key: string, find: () => Promise<CredentialRow | undefined>): Promise<Entry> {
    const under = reading.get(key);
    if (under !== undefined) return under;
    const begun = generation;
    const promise = find()
      .then((row) => {
        const entry = entryOf(row, now());
        // What was read before a revocation must not be believed after it.
        if (begun === generation) remember(key, entry);
        return entry;
      })
      .finally(() => {
        if (reading.get(key) === promise) reading.delete(key);
      });
    reading.set(key, promise);
    return promise;
  }

  function remember(key: string, entry: Entry): void {
    known.delete(key);
    known.set(key, entry);
    if (known.size > MAX_ENTRIES) known.delete(known.keys().next().value!);
  }

  return {
    authenticate(authorization, session) {
      if (authorization === undefined && session !== undefined) return bySession(session);
      const token = bearer(authorization);
      const hash = hashOf(token);
      const key = hash.toString("base64");
      const entry = recall(key);
      if (entry !== undefined) return accept(entry);
      if (!looksLikeToken(token)) {
        throw refused("This is not an API token of Pawl. One begins with pawl_; copy the whole of it.");
      }
      return read(key, () => findCredential(db, hash)).then(accept);
    },
    forget() {
      generation++;
      known.clear();
      reading.clear();
    },
  };
}

function entryOf(row: CredentialRow | undefined, readAt: number): Entry {
  if (row === undefined) return { principal: null, expiresAt: 0, readAt };
  const principal: Principal = {
    id: row.principal_id,
    name: row.name,
    authorities: row.authorities,
    jobs: row.job_limits,
    tokenId: row.token_id,
  };
  return { principal, expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY, readAt };
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
