import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import type { McpScope } from "../contract/bridge.ts";

/** What a session stands for: an assistant that acts as a user, within scopes, for a moment. */
export interface Grant {
  /** rest: the bridge's calls of the platform. mcp: the health check's look at the bridge. */
  audience: "rest" | "mcp";
  principalId: string;
  /** The MCP token behind it: revoked, it takes the session along. Null: an identity provider's. */
  tokenId: string | null;
  clientId: string;
  scopes: readonly McpScope[];
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface Sessions {
  sign(grant: Grant): string;
  /** Undefined for whatever is not ours, not for this audience, or over. */
  read(text: string, audience: Grant["audience"], now: number): Grant | undefined;
}

const PREFIX = "pawl_session_";
const MAX_LENGTH = 4096;

export function looksLikeSession(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Signed by identity and read by identity: the bridge can hand one on, and can make none. So a bridge that is taken over
 * acts for those whose tokens come by, and for nobody else.
 */
export function createSessions(key: Buffer): Sessions {
  // Made once: of bytes, each MAC would make it anew, at half the cost of the whole.
  const secret = createSecretKey(key);
  const macOf = (payload: string) =>
    createHmac("sha256", secret).update(`pawl/mcp-session/${payload}`).digest();
  return {
    sign(grant) {
      const payload = Buffer.from(JSON.stringify(grant)).toString("base64url");
      return `${PREFIX}${payload}.${macOf(payload).toString("base64url")}`;
    },
    read(text, audience, now) {
      if (!looksLikeSession(text) || text.length > MAX_LENGTH) return undefined;
      const [payload = "", mac = ""] = text.slice(PREFIX.length).split(".");
      const [given, wanted] = [Buffer.from(mac, "base64url"), macOf(payload)];
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
      const grant: Grant = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
      return grant.audience === audience && grant.expiresAt > now ? grant : undefined;
    },
  };
}
