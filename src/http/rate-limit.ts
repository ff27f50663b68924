import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import type { RouteLimit } from "../contract/routes.ts";

/** How often a minute; 0 and what is left out: as often as anyone likes. */
export type RateLimits = Partial<Record<RouteLimit | "signIns", number>>;

const windowMs = 60_000;

const exceeded: Record<RouteLimit | "signIns", string> = {
  signIns: "Too many credentials that are not valid came from your address.",
  decrypts: "Too many secrets were shown to you in a short time.",
  probes: "You have had too many connections tried in a short time.",
};

/**
 * Counts what should be rare, by principal, and credentials that were refused, by address (of IPv6: by network). Starts and
 * reads are not counted: the queue bounds the former. Answers what an error becomes: only those who send a wrong
 * credential are held up, never a caller with a right one behind the same proxy.
 */
export async function limitRates(
  app: FastifyInstance,
  limits: RateLimits,
): Promise<(error: unknown, request: FastifyRequest) => Promise<unknown>> {
  await app.register(rateLimit, { global: false });

  function counter(name: keyof RateLimits, keyGenerator?: (request: FastifyRequest) => string) {
    const max = limits[name] ?? 0;
    if (max === 0) return undefined;
    const count = app.createRateLimit({
      max,
      timeWindow: windowMs,
      ...(keyGenerator ? { keyGenerator } : {}),
    });
    return async (request: FastifyRequest): Promise<ApiError | undefined> => {
      const state = await count(request);
      if (state.isAllowed || !state.isExceeded) return undefined;
      const retryAfter = Math.max(1, state.ttlInSeconds);
      return new ApiError("RATE_LIMITED", `${exceeded[name]} Try again in ${retryAfter} s.`, { retryAfter });
    };
  }

  // Not by token: who holds one may be able to make more.
  const byPrincipal = (request: FastifyRequest) => request.principal!.id;
  const counters = { decrypts: counter("decrypts", byPrincipal), probes: counter("probes", byPrincipal) };
  app.addHook("onRoute", (options) => {
    const route = options.config?.pawl?.route;
    if (route?.limit && route.access === "public") {
      throw new Error(`The route ${options.url} is counted by principal, and anyone may call it.`);
    }
    const count = route?.limit && counters[route.limit];
    if (!count) return;
    // After the hook that says who calls, before the body.
    options.onRequest = [
      ...[options.onRequest ?? []].flat(),
      async (request: FastifyRequest) => {
        const refusal = await count(request);
        if (refusal) throw refusal;
      },
    ];
  });

  const countSignIn = counter("signIns");
  return async (error, request) => {
    if (!countSignIn || !isRefusedCredential(error, request)) return error;
    return (await countSignIn(request)) ?? error;
  };
}

/** Who sent none has tried nothing. On a route that is open to anyone the credential is in the body. */
function isRefusedCredential(error: unknown, { headers, routeOptions }: FastifyRequest): boolean {
  if (!(error instanceof ApiError) || error.code !== "UNAUTHENTICATED") return false;
  return headers.authorization !== undefined || routeOptions.config?.pawl?.route.access === "public";
}
