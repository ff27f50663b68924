import type { McpScope, McpSession } from "../contract/bridge.ts";
import { ApiError } from "../contract/errors.ts";
import type { Authenticator } from "./authenticate.ts";
import { authoritiesWithin } from "./rights.ts";
import { looksLikeSession, type Sessions } from "./sessions.ts";
import type { CredentialRow } from "./store.ts";

// Longer than the longest wait of a tool, and short for who steals one.
const SESSION_MS = 120_000;
const PROBE_MS = 30_000;

/** What somebody whom the identity provider vouches for may do. */
export interface Vouched {
  row: CredentialRow;
  clientId: string;
  scopes: McpScope[];
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface McpSessionDeps {
  authenticator: Authenticator;
  sessions: Sessions;
  /** Reads a token of the identity provider; throws ApiError UNAUTHENTICATED with the reason. Undefined: there is none. */
  vouch?: ((token: string, resource: string) => Promise<Vouched>) | undefined;
  /** Where people reach Pawl. */
  publicUrl(): string;
  now: () => number;
}

export type OpenMcpSession = (token: string, resource: string) => Promise<McpSession>;

/** Looks at what an assistant sent as its token and answers what the bridge may do with it. */
export function mcpSessionOpener({
  authenticator,
  sessions,
  vouch,
  publicUrl,
  now,
}: McpSessionDeps): OpenMcpSession {
  async function credentialOf(token: string, resource: string): Promise<Vouched> {
    if (looksLikeSession(token)) return ofProbe(token);
    if (vouch && isJwt(token)) return vouch(token, resource);
    const row = await authenticator.findMcpToken(token);
    return {
      row,
      clientId: `token:${row.token_id}`,
      scopes: row.scopes ?? [],
      expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    };
  }

  /** The health check comes in with no scopes: it sees whether the door opens, and nothing behind it. */
  async function ofProbe(token: string): Promise<Vouched> {
    const grant = sessions.read(token, "mcp", now());
    const row = grant && (await authenticator.findGranted(grant));
    if (!row) throw new ApiError("UNAUTHENTICATED", "This is a session of the bridge, not a token for MCP.");
    return { row, clientId: grant.clientId, scopes: [], expiresAt: grant.expiresAt };
  }

  return async (token, resource) => {
    try {
      const { row, clientId, scopes, ...credential } = await credentialOf(token, resource);
      const expiresAt = Math.min(credential.expiresAt, now() + SESSION_MS);
      return {
        active: true,
        principalId: row.principal_id,
        principalName: row.name,
        clientId,
        scopes,
        authorities: authoritiesWithin(row.authorities, scopes),
        pawlUrl: publicUrl(),
        expiresAt: new Date(expiresAt).toISOString(),
        session: sessions.sign({
          audience: "rest",
          principalId: row.principal_id,
          tokenId: row.token_id,
          clientId,
          scopes,
          expiresAt,
        }),
      };
    } catch (error) {
      if (error instanceof ApiError && error.code === "UNAUTHENTICATED") {
        return { active: false, reason: error.message };
      }
      throw error;
    }
  };
}

/** A token for one look at the bridge, in the name of who asks how it is. */
export function probeToken(sessions: Sessions, principalId: string, now: number): string {
  return sessions.sign({
    audience: "mcp",
    principalId,
    tokenId: null,
    clientId: "health-check",
    scopes: [],
    expiresAt: now + PROBE_MS,
  });
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}
