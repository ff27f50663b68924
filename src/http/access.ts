import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Access } from "../contract/authorities.ts";
import { ApiError } from "../contract/errors.ts";
import type { Route } from "../contract/routes.ts";
import { holds, type Principal } from "./principal.ts";
import type { SessionCookies } from "./session-cookie.ts";

/** Routes outside the table that ask their callers themselves. */
export const selfGuarded: readonly string[] = ["/mcp"];

/**
 * Who the Authorization header, or without one the session of a browser, belongs to; throws ApiError UNAUTHENTICATED. At
 * once when it can: a promise costs.
 */
export type Authenticate = (
  authorization: string | undefined,
  session?: string,
) => Principal | Promise<Principal>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The entry of the route table behind a route: what decides who may call it. */
    pawl?: { name: string; route: Route };
  }
  interface FastifyRequest {
    principal: Principal | null;
    /** Who was refused for want of an authority. */
    refused: Principal | null;
  }
  interface FastifyInstance {
    registered: RegisteredRoute[];
    /** Who sends the request, read anew; throws ApiError UNAUTHENTICATED, or FORBIDDEN without that right. */
    admit(request: FastifyRequest, access: Access): Promise<Principal>;
    cookies: SessionCookies;
  }
}

/** Every route that can answer, for tests that walk them all. */
export interface RegisteredRoute {
  method: string;
  url: string;
  /** Name in the route table; null for the extras. */
  name: string | null;
}

/**
 * Routes outside the table that anyone may read: the description of the API, the web interface, and what the MCP bridge
 * says of itself. They show nothing of what is stored.
 */
export const publicExtras: readonly string[] = [
  "/",
  "/ui",
  "/ui/",
  "/ui/*",
  "/openapi.json",
  "/docs",
  "/docs/",
  "/docs/json",
  "/docs/yaml",
  "/docs/static/*",
  "/docs/static/index.html",
  "/docs/static/swagger-initializer.js",
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/mcp/health",
];
const outside = new Set([...publicExtras, ...selfGuarded]);

/**
 * Authentication and authority, on the matched route and before the body is read: a caller without rights learns
 * nothing from a 400. A route that is neither in the table nor a public extra can't be registered.
 */
export function guard(app: FastifyInstance, authenticate: Authenticate, cookies: SessionCookies): void {
  app.decorateRequest("principal", null);
  app.decorateRequest("refused", null);
  app.decorate("registered", []);
  app.decorate("cookies", cookies);

  function identify(request: FastifyRequest): Principal | Promise<Principal> {
    const { authorization } = request.headers;
    const session = authorization === undefined ? cookies.read(request, "session") : undefined;
    if (session !== undefined && !safe.has(request.method)) {
      cookies.requireOwnPage(request, { mayBeSilent: false });
    }
    return authenticate(authorization, session);
  }

  app.decorate("admit", async (request: FastifyRequest, access: Access) => {
    const principal = await identify(request);
    if (!mayCall(principal, access)) throw lacks(principal, access);
    return principal;
  });

  app.addHook("onRoute", (options) => {
    const entry = options.config?.pawl;
    if (!entry && !outside.has(options.url)) {
      throw new Error(
        `The route ${options.method} ${options.url} names no authority: register it from the route table.`,
      );
    }
    for (const method of [options.method].flat()) {
      app.registered.push({ method, url: options.url, name: entry?.name ?? null });
    }
  });

  app.addHook("onRequest", (request, _reply, done) => {
    const entry = request.routeOptions.config?.pawl;
    if (entry === undefined) {
      if (request.is404 || outside.has(request.routeOptions.url ?? "")) return void done();
      return done(new ApiError("FORBIDDEN", "This path names no authority."));
    }
    const { access } = entry.route;
    if (access === "public") return void done();
    const admit = (principal: Principal) => {
      if (principal.assistant && !entry.route.assistants) {
        request.refused = principal;
        return void done(notForAssistants());
      }
      if (!mayCall(principal, access)) {
        request.refused = principal;
        return void done(lacks(principal, access));
      }
      request.principal = principal;
      done();
    };
    try {
      const principal = identify(request);
      if (principal instanceof Promise) principal.then(admit, done);
      else admit(principal);
    } catch (error) {
      done(error as Error);
    }
  });
}

const safe: ReadonlySet<string> = new Set(["GET", "HEAD"]);

function mayCall(principal: Principal, access: Access): boolean {
  return access === "authenticated" || access === "public" || holds(principal, access);
}

/** A session of the bridge opens what its tools are made of, so that no way leads around them. */
function notForAssistants(): ApiError {
  return new ApiError("FORBIDDEN", "No tool of the MCP bridge uses this: it is not open to assistants.");
}

function lacks(principal: Principal, access: string): ApiError {
  return new ApiError(
    "FORBIDDEN",
    `This needs the authority ${access}, which ${principal.name} does not have.`,
  );
}
