import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { route } from "../http/route.ts";
import type { Authenticator } from "./authenticate.ts";
import { issueToken, revokeToken } from "./issue.ts";
import type { Recorder } from "./last-used.ts";
import type { OpenMcpSession } from "./mcp-session.ts";
import { presentCaller, presentPrincipal, presentToken } from "./present.ts";
import { createPrincipal, deletePrincipal, readPrincipal, replacePrincipal } from "./principals.ts";
import { listPrincipals, listTokens } from "./store.ts";

export interface IdentityDependencies {
  pool: pg.Pool;
  authenticator: Authenticator;
  uses: Recorder;
  openMcpSession: OpenMcpSession;
  now?: () => number;
}

/** Principals, tokens, and who is calling. */
export function identityRoutes(app: FastifyInstance, dependencies: IdentityDependencies): void {
  const { pool, authenticator, uses, openMcpSession, now = Date.now } = dependencies;

  /** What changes rights holds for the next request, even when the answer to this one is lost. */
  async function changing<Result>(work: Promise<Result>): Promise<Result> {
    return work.finally(authenticator.forget);
  }

  route(app, "whoAmI", ({ principal }) => ({
    data: presentCaller(principal),
    message: `This is ${principal.name}.`,
  }));

  route(app, "createPrincipal", async (call) => {
    // Who was turned away by the identity provider for having none is let in at once.
    const row = await changing(createPrincipal(pool, call.principal, call.body));
    call.audit({ target: { id: row.id, name: row.name }, changed: Object.keys(call.body) });
    return { data: presentPrincipal(row), message: `Principal ${row.name} was created.` };
  });

  route(app, "listPrincipals", async ({ principal, query }) => {
    const page = pageOf(query, 100);
    const { rows, total } = await listPrincipals(pool, principal.jobs, page);
    return {
      data: rows.map(presentPrincipal),
      message: `${total} ${total === 1 ? "principal" : "principals"}.`,
      meta: { totalElements: total, ...page },
    };
  });

  route(app, "getPrincipal", async ({ principal, params }) => {
    const row = await readPrincipal(pool, principal, params.id);
    return { data: presentPrincipal(row), message: `Principal ${row.name}.` };
  });

  route(app, "replacePrincipal", async (call) => {
    const { params, body } = call;
    const { row, changed } = await changing(replacePrincipal(pool, call.principal, params.id, body));
    call.audit({ target: { name: row.name }, changed });
    return { data: presentPrincipal(row), message: `Principal ${row.name} was changed.` };
  });

  route(app, "deletePrincipal", async (call) => {
    const name = await changing(deletePrincipal(pool, call.principal, call.params.id));
    call.audit({ target: { name } });
    return { data: null, message: "The principal was deleted and its tokens no longer work." };
  });

  route(app, "createToken", async (call) => {
    const { token, row } = await changing(issueToken(pool, call.principal, call.body, now()));
    call.audit({ target: { id: row.id, name: `${row.prefix}… of ${row.principal_name}` } });
    return { data: { ...presentToken(row), token }, message: "Keep the token: it is not shown again." };
  });

  route(app, "createMcpSession", async ({ body }) => {
    const session = await openMcpSession(body.token, body.resource);
    return { data: session, message: session.active ? `For ${session.principalName}.` : session.reason };
  });

  route(app, "listTokens", async ({ principal, query }) => {
    const page = pageOf(query, 100);
    await uses.flush();
    const { rows, total } = await listTokens(pool, principal.jobs, page);
    return {
      data: rows.map(presentToken),
      message: `${total} ${total === 1 ? "token" : "tokens"}.`,
      meta: { totalElements: total, ...page },
    };
  });

  route(app, "revokeToken", async (call) => {
    const row = await changing(revokeToken(pool, call.principal, call.params.id, now()));
    call.audit({ target: { name: `${row.prefix}… of ${row.principal_name}` } });
    return { data: presentToken(row), message: `The token ${row.prefix}… no longer works.` };
  });
}

/** The schema has filled in the defaults; its types can't tell. */
function pageOf({ page = 0, size }: { page?: number; size?: number }, usual: number) {
  return { page, size: size ?? usual };
}
