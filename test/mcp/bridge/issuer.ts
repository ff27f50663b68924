import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { httpServer } from "../../helpers/http-server.ts";

/** An identity provider on loopback: its metadata, its keys, and tokens as it signs them, or as somebody else would. */
export async function startIssuer() {
  const keys = await generateKeyPair("ES256", { extractable: true });
  const strange = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "one", alg: "ES256" };
  /** What it answers with instead, by path. */
  const instead = new Map<string, { status: number; body?: unknown; location?: string }>();
  const server = await httpServer((request, response) => {
    const changed = instead.get(request.url!);
    const usual: Record<string, unknown> = {
      "/.well-known/openid-configuration": { issuer: server.url, jwks_uri: `${server.url}/keys` },
      "/keys": { keys: [jwk] },
    };
    const body = changed ? changed.body : usual[request.url!];
    response.writeHead(changed?.status ?? (body === undefined ? 404 : 200), {
      "content-type": "application/json",
      ...(changed?.location ? { location: changed.location } : {}),
    });
    response.end(JSON.stringify(body ?? {}));
  });
  const signer = (claims: JWTPayload, header: object = {}) => {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: server.url, iat: now, exp: now + 300, azp: "desk-app" };
    const all: JWTPayload = { ...usual, ...claims };
    // What is undefined is left out.
    return new SignJWT(JSON.parse(JSON.stringify(all))).setProtectedHeader({
      alg: "ES256",
      kid: "one",
      ...header,
    });
  };
  return {
    url: server.url,
    requests: server.requests,
    instead,
    publicKey: jwk,
    token: (claims: JWTPayload, header?: object) => signer(claims, header).sign(keys.privateKey),
    /** Signed with a key that is not the issuer's. */
    forged: (claims: JWTPayload) => signer(claims).sign(strange.privateKey),
    /** Signed with a secret; the issuer's public key is one that everybody knows. */
    symmetric: (claims: JWTPayload) =>
      signer(claims, { alg: "HS256" }).sign(new TextEncoder().encode(JSON.stringify(jwk))),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}
