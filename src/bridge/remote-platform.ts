import { createHash } from "node:crypto";
import { createClient } from "../client/client.ts";
import { ClientError } from "../client/error.ts";
import type { McpSession } from "../contract/bridge.ts";
import { type Check, CheckFault } from "./health.ts";
import type { Platform } from "./platform.ts";

const answerWithinMs = 10_000;
// As long as the platform itself believes what it read: a token that is revoked there is refused here as soon.
const activeMs = 5_000;
const inactiveMs = 1_000;
/** A session must outlive the longest wait of a tool. */
const leastLeftMs = 60_000;
const mostKnown = 10_000;

/** A platform in another process: tokens are looked at there, with the bridge's own credential. */
export function remotePlatform({ url, credential }: { url: string; credential: string }): Platform & {
  checks: Record<string, Check>;
} {
  const client = createClient({ url, token: credential });
  // By hash, so that a dump of the memory holds no tokens.
  const known = new Map<string, { at: number; answer: McpSession }>();

  async function exchange(token: string, resource: string): Promise<McpSession> {
    const signal = AbortSignal.timeout(answerWithinMs);
    return (await client.createMcpSession({ body: { token, resource }, signal })).data;
  }

  return {
    url,
    async openSession(token, resource) {
      const key = createHash("sha256").update(token).digest("base64");
      const kept = known.get(key);
      if (kept && Date.now() - kept.at < (kept.answer.active ? activeMs : inactiveMs)) {
        const left = kept.answer.active ? Date.parse(kept.answer.expiresAt) - Date.now() : leastLeftMs;
        if (left >= leastLeftMs) return kept.answer;
      }
      const answer = await exchange(token, resource);
      known.delete(key);
      known.set(key, { at: Date.now(), answer });
      if (known.size > mostKnown) known.delete(known.keys().next().value!);
      return answer;
    },
    checks: {
      platform: () => reached(client.ready({ signal: AbortSignal.timeout(answerWithinMs) })),
      credential: () => reached(exchange("none", "urn:pawl:health")),
    },
  };
}

/** @throws CheckFault with what is wrong, without addresses */
async function reached(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw faultOf(error);
  }
}

function faultOf(error: unknown): CheckFault {
  const cause = { cause: error };
  if (!(error instanceof ClientError)) {
    return new CheckFault("TIMEOUT", "The bridge gets no answer from the platform.", cause);
  }
  switch (error.code) {
    case "UNREACHABLE":
      return new CheckFault(
        "UNREACHABLE",
        "The bridge can't reach the platform. Check PAWL_PLATFORM_URL.",
        cause,
      );
    // Only who sends a wrong credential again and again is told so here.
    case "RATE_LIMITED":
    case "UNAUTHENTICATED":
      return new CheckFault(
        "CREDENTIAL_REFUSED",
        "The platform refuses the bridge's own credential. Set PAWL_BRIDGE_TOKEN to an API token that is valid.",
        cause,
      );
    case "FORBIDDEN":
      return new CheckFault(
        "CREDENTIAL_TOO_WEAK",
        "The bridge's own credential lacks the authority IdentityService:McpSession:create.",
        cause,
      );
    case "UNEXPECTED_ANSWER":
      return new CheckFault("NOT_PAWL", "What answers at PAWL_PLATFORM_URL is not Pawl.", cause);
    default:
      return new CheckFault(error.code, "The platform answers, and can't serve the bridge just now.", cause);
  }
}
