import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export type OidcProvider = Awaited<ReturnType<typeof startOidcProvider>>;

/** An identity provider that signs `subject` in without asking, for a client of this id and secret. */
export async function startOidcProvider(client: { id: string; secret: string }) {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  const asked = new Map<string, URLSearchParams>();
  const state = {
    subject: "alice",
    nonce: undefined as string | undefined,
    refuse: false,
    more: {} as object,
  };
  let issuer = "";

  async function token(form: URLSearchParams): Promise<{ status: number; body: object }> {
    const request = asked.get(form.get("code") ?? "");
    asked.delete(form.get("code") ?? "");
    const verifier = Buffer.from(form.get("code_verifier") ?? "");
    const challenge = Buffer.from(await crypto.subtle.digest("SHA-256", verifier)).toString("base64url");
    const right =
      request?.get("code_challenge") === challenge &&
      form.get("client_id") === client.id &&
      form.get("client_secret") === client.secret &&
      form.get("redirect_uri") === request.get("redirect_uri");
    if (!right) return { status: 400, body: { error: "invalid_grant" } };
    const idToken = await new SignJWT({ ...state.more, nonce: state.nonce ?? request.get("nonce")! })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setIssuer(issuer)
      .setSubject(state.subject)
      .setAudience(client.id)
      .setIssuedAt()
      .setExpirationTime("1m")
      .sign(privateKey);
    return {
      status: 200,
      body: { access_token: "unused", token_type: "Bearer", expires_in: 60, id_token: idToken },
    };
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, issuer);
    const json = (body: object, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (url.pathname === "/.well-known/openid-configuration") {
      json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    } else if (url.pathname === "/jwks") {
      json({ keys: [jwk] });
    } else if (url.pathname === "/authorize") {
      const back = new URL(url.searchParams.get("redirect_uri")!);
      back.searchParams.set("state", url.searchParams.get("state")!);
      if (state.refuse) {
        back.searchParams.set("error", "access_denied");
        back.searchParams.set("error_description", "<b>not today</b>");
      } else {
        const code = crypto.randomUUID();
        asked.set(code, url.searchParams);
        back.searchParams.set("code", code);
        back.searchParams.set("session_state", "whatever");
      }
      response.writeHead(302, { location: back.href }).end();
    } else if (url.pathname === "/token") {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { status, body } = await token(new URLSearchParams(text));
      json(body, status);
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    state,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
