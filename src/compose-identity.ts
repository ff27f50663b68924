import type pg from "pg";
import type { Config } from "./config.ts";
import { createAuthenticator } from "./identity/authenticate.ts";
import type { Recorder } from "./identity/last-used.ts";
import { mcpSessionOpener, probeToken } from "./identity/mcp-session.ts";
import { type Oidc, oidcIssuer } from "./identity/oidc.ts";
import { createSessions } from "./identity/sessions.ts";
import type { Dialer } from "./lib/dialer.ts";
import { guardedRequest } from "./lib/dialer-request.ts";

export interface IdentityDeps {
  pool: pg.Pool;
  uses: Recorder;
  dialer: Dialer;
  /** Signs the sessions of the MCP bridge: the same in every process on the database. */
  sessionKey: Buffer;
  /** Where people reach Pawl. */
  publicUrl(): string;
}

export type Identity = ReturnType<typeof composeIdentity>;

const mostMetadata = 256 * 1024;

/** Who is calling: by tokens of ours, by sessions of the MCP bridge, and at the bridge by tokens of an identity provider. */
export function composeIdentity(config: Config, { pool, uses, dialer, sessionKey, publicUrl }: IdentityDeps) {
  const sessions = createSessions(sessionKey);
  const authenticator = createAuthenticator(pool, { uses, sessions });
  const oidc: Oidc | undefined =
    config.oidcIssuer === undefined
      ? undefined
      : oidcIssuer({
          issuer: config.oidcIssuer,
          audience: config.oidcAudience,
          claim: config.oidcPrincipalClaim,
          fetch: (url, signal) => fetchGuarded(dialer, url, signal),
          findNamed: authenticator.findNamed,
        });
  const openMcpSession = mcpSessionOpener({
    authenticator,
    sessions,
    vouch: oidc?.vouch,
    publicUrl,
    now: Date.now,
  });
  return {
    authenticator,
    openMcpSession,
    oidc,
    probeToken: (principalId: string) => probeToken(sessions, principalId, Date.now()),
  };
}

async function fetchGuarded(dialer: Dialer, url: URL, signal: AbortSignal): Promise<Response> {
  const headers = { accept: "application/json" };
  const answer = await guardedRequest(dialer, {
    method: "GET",
    url,
    headers,
    signal,
    maxRedirects: 0,
    maxResponseBytes: mostMetadata,
  });
  // A redirect has no body that could be taken for keys.
  return new Response(answer.status === 200 ? new Uint8Array(answer.body) : null, {
    status: answer.status === 200 ? 200 : 502,
  });
}
