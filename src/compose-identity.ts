import type pg from "pg";
import type { Config } from "./config.ts";
import { createAuthenticator } from "./identity/authenticate.ts";
import type { Recorder } from "./identity/last-used.ts";
import { mcpSessionOpener, probeToken } from "./identity/mcp-session.ts";
import { type Oidc, oidcIssuer } from "./identity/oidc.ts";
import { type OidcClientOptions, oidcSignIn } from "./identity/oidc-sign-in.ts";
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
  const signIn =
    config.oidcIssuer === undefined || config.oidcClientId === undefined
      ? undefined
      : oidcSignIn({
          issuer: config.oidcIssuer,
          clientId: config.oidcClientId,
          clientSecret: config.oidcClientSecret,
          claim: config.oidcPrincipalClaim,
          fetch: guardedFetch(dialer),
          publicUrl,
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
    oidcSignIn: signIn && { name: config.oidcName, signIn },
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

/** The same for the client of the identity provider, which sends forms too and reads refusals. */
function guardedFetch(dialer: Dialer): OidcClientOptions["fetch"] {
  return async (url, { method, headers, body, signal }) => {
    const answer = await guardedRequest(dialer, {
      method,
      url: new URL(url),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      ...(signal ? { signal } : {}),
      maxRedirects: 0,
      maxResponseBytes: mostMetadata,
    });
    const isEmpty = answer.body.length === 0 || answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
    });
  };
}
