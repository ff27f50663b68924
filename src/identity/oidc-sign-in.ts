import * as client from "openid-client";
import { ApiError } from "../contract/errors.ts";
import type { CredentialRow } from "./store.ts";
import { isUnverified, unverified } from "./unverified.ts";

export interface OidcClientOptions {
  issuer: string;
  clientId: string;
  /** None: a public client, which PKCE alone protects. */
  clientSecret: string | undefined;
  /** The claim that names the principal. */
  claim: string;
  /** Through the guarded dialer. */
  fetch: client.CustomFetch;
  publicUrl(): string;
  findNamed(name: string): CredentialRow | undefined | Promise<CredentialRow | undefined>;
}

/** What the browser keeps between leaving and coming back. */
interface Flow {
  state: string;
  nonce: string;
  verifier: string;
  to: string;
}

/** Signs people in at an identity provider: the authorization code flow of OpenID Connect, with PKCE. */
export interface OidcSignIn {
  /** @throws ApiError ISSUER_UNAVAILABLE */
  begin(to: string | undefined): Promise<{ location: string; flow: string }>;
  /** @throws ApiError UNAUTHENTICATED, ISSUER_UNAVAILABLE */
  finish(query: Record<string, string | undefined>, flow: string | undefined): Promise<Finished>;
}

export interface Finished {
  row: CredentialRow;
  /** The page to go to; always one of ours. */
  to: string;
}

export const callbackPath = "/session/oidc/callback";
const answerWithinSeconds = 10;

export function oidcSignIn(options: OidcClientOptions): OidcSignIn {
  let discovered: Promise<client.Configuration> | undefined;

  function configuration(): Promise<client.Configuration> {
    // Asked for again with the next sign-in when it failed.
    discovered ??= discover(options).catch((error: unknown) => {
      discovered = undefined;
      throw unavailable(error);
    });
    return discovered;
  }

  const redirectUri = () => `${options.publicUrl()}${callbackPath}`;

  return {
    async begin(to) {
      const provider = await configuration();
      const flow: Flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        to: ownPage(to),
      };
      const location = client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri(),
        scope: "openid profile email",
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
        state: flow.state,
        nonce: flow.nonce,
      });
      return { location: location.href, flow: Buffer.from(JSON.stringify(flow)).toString("base64url") };
    },

    async finish(query, kept) {
      const flow = readFlow(kept);
      if (flow === undefined) {
        throw refused(
          "The sign-in took longer than ten minutes, or was begun in another browser. Begin anew.",
        );
      }
      const provider = await configuration();
      const claims = await claimsOf(provider, redirectUri(), query, flow);
      const name = claims?.[options.claim];
      if (typeof name !== "string" || name === "") {
        throw refused(
          `The identity provider gave no ${options.claim}. An administrator can name another claim with PAWL_OIDC_PRINCIPAL_CLAIM.`,
        );
      }
      if (isUnverified(options.claim, claims!)) throw refused(unverified);
      const row = await options.findNamed(name);
      if (row === undefined) {
        throw refused(
          `Pawl has no principal for ${saidOf(name, claims!)}. An administrator can make one, with that as its externalId or its name.`,
        );
      }
      return { row, to: flow.to };
    },
  };
}

async function discover({ issuer, clientId, clientSecret, fetch }: OidcClientOptions) {
  const url = new URL(issuer);
  const found = await client.discovery(
    url,
    clientId,
    {},
    clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret),
    {
      [client.customFetch]: fetch,
      timeout: answerWithinSeconds,
      // The configuration takes http for this machine only.
      execute: [
        client.enableNonRepudiationChecks,
        ...(url.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    },
  );
  found[client.customFetch] = fetch;
  return found;
}

async function claimsOf(
  provider: client.Configuration,
  redirectUri: string,
  query: Record<string, string | undefined>,
  { state, nonce, verifier }: Flow,
): Promise<Record<string, unknown> | undefined> {
  const back = new URL(redirectUri);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) back.searchParams.set(name, value);
  }
  try {
    const tokens = await client.authorizationCodeGrant(provider, back, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    return tokens.claims() as Record<string, unknown> | undefined;
  } catch (error) {
    if (error instanceof client.AuthorizationResponseError) {
      throw refused(`The identity provider did not sign you in: ${error.error_description ?? error.error}.`);
    }
    if (error instanceof client.ResponseBodyError || error instanceof client.ClientError) {
      throw refused("The identity provider's answer does not fit what was asked. Begin anew.", error);
    }
    throw unavailable(error);
  }
}

/** What the claim says and, where that is an id that nobody knows by heart, who it is. Only to be shown: nobody is found by it. */
function saidOf(name: string, claims: Record<string, unknown>): string {
  const { name: called, preferred_username, email, sub } = claims;
  const person = [called, preferred_username, email, sub].find((it) => typeof it === "string" && it !== "");
  const shown = (text: string) => text.slice(0, 100).toWellFormed();
  const more = person === undefined || person === name ? "" : ` (${shown(person as string)})`;
  return `"${shown(name)}"${more}`;
}

function readFlow(kept: string | undefined): Flow | undefined {
  if (kept === undefined || kept.length > 8192) return undefined;
  try {
    const flow = JSON.parse(Buffer.from(kept, "base64url").toString("utf8")) as Partial<Flow>;
    const { state, nonce, verifier, to } = flow;
    if ([state, nonce, verifier].some((it) => typeof it !== "string" || it === "")) return undefined;
    return { state: state!, nonce: nonce!, verifier: verifier!, to: ownPage(to) };
  } catch {
    return undefined;
  }
}

/** A path below the interface: whoever signs in must not be led elsewhere by the link that they followed. */
function ownPage(to: unknown): string {
  return typeof to === "string" && /^\/(?![/\\])[\x20-\x7e]*$/.test(to) ? to : "/";
}

function refused(message: string, cause?: unknown): ApiError {
  return new ApiError("UNAUTHENTICATED", message, { cause });
}

function unavailable(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const message = "The identity provider can't be reached just now. Try again in a moment.";
  return new ApiError("ISSUER_UNAVAILABLE", message, { retryAfter: 5, cause });
}
