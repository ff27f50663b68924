import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { type McpScope, mcpScopes } from "../contract/bridge.ts";
import { ApiError } from "../contract/errors.ts";
import type { Vouched } from "./mcp-session.ts";
import type { CredentialRow } from "./store.ts";
import { isUnverified, unverified } from "./unverified.ts";

export interface OidcOptions {
  issuer: string;
  /** What tokens must be meant for; the address of the bridge when left out. */
  audience: string | undefined;
  /** The claim that names the principal. */
  claim: string;
  /** Through the guarded dialer; follows no redirect. */
  fetch(url: URL, signal: AbortSignal): Promise<Response>;
  findNamed(name: string): CredentialRow | undefined | Promise<CredentialRow | undefined>;
}

/** Tokens of an identity provider. */
export interface Oidc {
  /** @throws ApiError UNAUTHENTICATED with the reason, ISSUER_UNAVAILABLE */
  vouch(token: string, resource: string): Promise<Vouched>;
  /** @throws ApiError ISSUER_UNAVAILABLE when its keys can't be had */
  check(): Promise<void>;
}

// Of the asymmetric kind, all of them: with a symmetric one, whoever can check a token could make one.
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const toleranceSeconds = 30;
const answerWithinMs = 5_000;

/** Its metadata and keys are fetched when they are first needed, and kept. */
export function oidcIssuer(options: OidcOptions): Oidc {
  const { issuer, claim } = options;
  let keys: Promise<JWTVerifyGetKey> | undefined;

  function keySet(): Promise<JWTVerifyGetKey> {
    keys ??= findKeys(options).catch((error: unknown) => {
      // Asked for again with the next token.
      keys = undefined;
      throw unavailable(error);
    });
    return keys;
  }

  async function verified(token: string, audience: string): Promise<JWTPayload> {
    const keys = await keySet();
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms,
        clockTolerance: toleranceSeconds,
        requiredClaims: ["exp", claim],
      });
      return payload;
    } catch (error) {
      throw refusalOf(error, audience);
    }
  }

  return {
    async vouch(token, resource) {
      const payload = await verified(token, options.audience ?? resource);
      const name = payload[claim];
      if (typeof name !== "string" || name === "") {
        throw refused(
          `Its claim ${claim} is not a text. An administrator can name another with PAWL_OIDC_PRINCIPAL_CLAIM.`,
        );
      }
      if (isUnverified(claim, payload)) throw refused(unverified);
      const row = await options.findNamed(name);
      if (row === undefined) {
        throw refused(
          `Pawl has no principal for the ${claim} of this token. An administrator can make one, with that as its externalId or its name.`,
        );
      }
      return { row, clientId: clientOf(payload), scopes: scopesOf(payload), expiresAt: payload.exp! * 1000 };
    },
    async check() {
      await keySet();
    },
  };
}

/** OpenID Connect's metadata or, where there is none, OAuth's. It must be of this issuer, or anyone's keys would do. */
async function findKeys({ issuer, fetch }: OidcOptions): Promise<JWTVerifyGetKey> {
  const base = issuer.replace(/\/+$/, "");
  const { origin, pathname } = new URL(base);
  const places = [
    `${base}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`,
  ];
  for (const place of places) {
    const response = await fetch(new URL(place), AbortSignal.timeout(answerWithinMs));
    if (!response.ok) continue;
    const metadata = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
    if (metadata.issuer !== issuer) {
      throw new Error(`The metadata at ${place} is of the issuer ${String(metadata.issuer).slice(0, 200)}.`);
    }
    const jwks = new URL(String(metadata.jwks_uri));
    if (jwks.protocol !== "https:" && jwks.protocol !== new URL(issuer).protocol) {
      throw new Error("The keys of the issuer are not behind https.");
    }
    return createRemoteJWKSet(jwks, {
      timeoutDuration: answerWithinMs,
      cooldownDuration: 30_000,
      cacheMaxAge: 600_000,
      [customFetch]: (url, { signal }) => fetch(new URL(url), signal),
    });
  }
  throw new Error(`The issuer has no metadata at ${places.join(" or ")}.`);
}

function refusalOf(error: unknown, audience: string): ApiError {
  if (error instanceof errors.JWTExpired) return refused("The token has expired. Sign in again.");
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "aud") return refused(`The token is meant for another audience than ${audience}.`);
    return refused(`Its claim ${error.claim} is missing or wrong.`);
  }
  const isNetwork = error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError);
  // An answer that is no set of keys has this class and no other.
  if (isNetwork || error.code === "ERR_JOSE_GENERIC") return unavailable(error);
  return refused("The token is not signed by the identity provider that Pawl trusts.");
}

function refused(message: string): ApiError {
  return new ApiError("UNAUTHENTICATED", message);
}

function unavailable(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const message = "The identity provider can't be reached just now. Try again in a moment.";
  return new ApiError("ISSUER_UNAVAILABLE", message, { retryAfter: 5, cause });
}

function clientOf({ azp, client_id, sub }: JWTPayload & { azp?: unknown; client_id?: unknown }): string {
  const id = [azp, client_id, sub].find((it) => typeof it === "string" && it !== "");
  return String(id ?? "unknown")
    .toWellFormed()
    .slice(0, 200);
}

/** As RFC 8693 writes them, and as some providers do. */
function scopesOf({ scope, scp }: JWTPayload & { scope?: unknown; scp?: unknown }): McpScope[] {
  const words = [scope, scp].flatMap((it) =>
    typeof it === "string" ? it.split(" ") : Array.isArray(it) ? it : [],
  );
  return mcpScopes.filter((known) => words.includes(known));
}
