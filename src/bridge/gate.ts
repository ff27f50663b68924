import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from "@modelcontextprotocol/server";
import type { FastifyRequest } from "fastify";
import { ClientError } from "../client/error.ts";
import { createBuckets } from "./buckets.ts";
import type { OpenSession } from "./platform.ts";

/** Who comes in; or the answer for those who don't. */
export type Gate = (request: FastifyRequest) => Promise<AuthInfo | Response>;

export interface GateOptions {
  openSession: OpenSession;
  /** URL of the MCP endpoint: what tokens must be meant for. */
  resource(): URL;
  metadataUrl(): string;
  /** Requests of one token, in a minute; 0: any number. */
  requestsPerMinute: number;
  /** Counts a wrong token; answers 0, or in how many seconds its address may send another. */
  countWrong(request: FastifyRequest): Promise<number>;
  /** Told of what kept the platform from answering. */
  onUnavailable(error: unknown): void;
}

/** Bearer tokens by RFC 6750 and 9728: a refusal says where a client learns how to get one. */
export function bearerGate(options: GateOptions): Gate {
  const { openSession, resource, metadataUrl, requestsPerMinute, countWrong, onUnavailable } = options;
  const take = createBuckets();

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

  return async (request) => {
    const { authorization } = request.headers;
    const resourceMetadataUrl = metadataUrl();
    try {
      const admitted = await verifyBearerToken(authorization, {
        verifier: { verifyAccessToken },
        resourceMetadataUrl,
      });
      const key = `${admitted.extra?.userId} ${admitted.clientId}`;
      const after = requestsPerMinute === 0 ? 0 : take(key, requestsPerMinute);
      return after === 0
        ? admitted
        : tooMany(`This token may make ${requestsPerMinute} requests a minute.`, after);
    } catch (error) {
      if (error instanceof OAuthError) {
        const after = authorization === undefined ? 0 : await countWrong(request);
        if (after > 0) return tooMany("Too many tokens that are not valid came from your address.", after);
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
  const message = "PLATFORM_UNAVAILABLE: Pawl can't look at the token just now. Try again in a moment.";
  return comeAgain(503, message, after);
}

function tooMany(what: string, after: number): Response {
  return comeAgain(429, `RATE_LIMITED: ${what} Wait ${after} seconds.`, after);
}

function comeAgain(status: 429 | 503, message: string, after: number): Response {
  return Response.json(
    { jsonrpc: "2.0", error: { code: -32000, message }, id: null },
    { status, headers: { "retry-after": String(after) } },
  );
}
