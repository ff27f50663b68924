import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from "@modelcontextprotocol/server";
import { ClientError } from "../client/error.ts";
import type { OpenSession } from "./platform.ts";

/** Who comes in; or the answer for those who don't. */
export type Gate = (authorization: string | undefined) => Promise<AuthInfo | Response>;

export interface GateOptions {
  openSession: OpenSession;
  /** URL of the MCP endpoint: what tokens must be meant for. */
  resource(): URL;
  metadataUrl(): string;
  /** Told of what kept the platform from answering. */
  onUnavailable(error: unknown): void;
}

/** Bearer tokens by RFC 6750 and 9728: a refusal says where a client learns how to get one. */
export function bearerGate({ openSession, resource, metadataUrl, onUnavailable }: GateOptions): Gate {
  async function verifyAccessToken(token: string): Promise<AuthInfo> {
    const session = await openSession(token, resource().href);
    if (!session.active) throw new OAuthError(OAuthErrorCode.InvalidToken, session.reason);
    return {
      token,
      clientId: session.clientId,
      scopes: session.scopes,
      expiresAt: Math.ceil(Date.parse(session.expiresAt) / 1000),
      resource: resource(),
      extra: { session, userId: session.principalId },
    };
  }

  return async (authorization) => {
    const resourceMetadataUrl = metadataUrl();
    try {
      return await verifyBearerToken(authorization, { verifier: { verifyAccessToken }, resourceMetadataUrl });
    } catch (error) {
      if (error instanceof OAuthError) {
        return bearerAuthChallengeResponse(error, { resourceMetadataUrl });
      }
      onUnavailable(error);
      return unavailable(error);
    }
  };
}

/** The token may be right: a client that is told 401 would throw it away. */
function unavailable(error: unknown): Response {
  const after = error instanceof ClientError ? (error.retryAfter ?? 5) : 5;
  const message = "Pawl can't look at the token just now. Try again in a moment.";
  return Response.json(
    { jsonrpc: "2.0", error: { code: -32000, message: `PLATFORM_UNAVAILABLE: ${message}` }, id: null },
    { status: 503, headers: { "retry-after": String(after) } },
  );
}
