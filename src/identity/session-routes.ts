import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { ApiError } from "../contract/errors.ts";
import { route } from "../http/route.ts";
import type { OidcSignIn } from "./oidc-sign-in.ts";
import { endSession, openSession, openSessionFor } from "./session.ts";

export interface SessionDependencies {
  pool: pg.Pool;
  /** Undefined: nobody signs in at an identity provider here. */
  oidc: { name: string; signIn: OidcSignIn } | undefined;
  /** Forgets what was read of a session that is over. */
  forget(): void;
  now(): number;
}

const flowMs = 600_000;

/** The sessions of browsers. */
export function sessionRoutes(app: FastifyInstance, { pool, oidc, forget, now }: SessionDependencies): void {
  route(app, "listSignInMethods", () => ({
    data: { token: true, oidc: oidc ? { name: oidc.name } : null },
    message: oidc ? `With an API token, or at ${oidc.name}.` : "With an API token.",
  }));

  route(app, "signIn", async (call) => {
    call.requireOwnPage();
    const { secret, expiresAt, name } = await openSession(pool, call.body, now());
    call.audit({ by: name, target: { name } });
    return {
      data: { expiresAt: expiresAt.toISOString() },
      message: "You are signed in.",
      session: { secret, expiresAt },
    };
  });

  route(app, "signOut", async ({ session }) => {
    if (session !== undefined) await endSession(pool, session).finally(forget);
    return { data: null, message: "You are signed out.", session: null };
  });

  route(app, "beginOidcSignIn", async ({ query }) => {
    const { location, flow } = await configured(oidc).signIn.begin(query.to);
    return {
      body: null,
      headers: { location, "cache-control": "no-store" },
      flow: { secret: flow, expiresAt: new Date(now() + flowMs) },
    };
  });

  route(app, "finishOidcSignIn", async (call) => {
    const { signIn } = configured(oidc);
    try {
      const { row, to } = await signIn.finish(call.query, call.flow);
      const session = await openSessionFor(pool, row, now());
      call.audit({ by: row.name, target: { name: row.name } });
      return { body: null, headers: { location: `/ui${to}` }, session, flow: null };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      call.log.warn({ err: error }, "Nobody was signed in by the identity provider.");
      call.audit({ outcome: "failed" });
      // In the part of the address that no server sees and no log keeps.
      const location = `/ui/sign-in#fault=${encodeURIComponent(error.message)}`;
      return { body: null, headers: { location }, flow: null };
    }
  });
}

function configured<T>(oidc: T | undefined): T {
  if (oidc !== undefined) return oidc;
  throw new ApiError(
    "NOT_FOUND",
    "No identity provider is configured for signing in. Set PAWL_OIDC_ISSUER and PAWL_OIDC_CLIENT_ID.",
  );
}
