import { Writable } from "node:stream";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import pino from "pino";
import { ApiError } from "../../src/contract/errors.ts";
import { type Route, type RouteName, routes } from "../../src/contract/routes.ts";
import { createApp } from "../../src/http/app.ts";
import { redact } from "../../src/http/log.ts";
import type { Principal } from "../../src/http/principal.ts";
import { addRoute, type Call } from "../../src/http/route.ts";

export interface DummyApp {
  app: FastifyInstance;
  /** What handlers were called with, the latest last. */
  calls: { name: string; call: Call<Route> }[];
  logged: Record<string, unknown>[];
}

const admin: Principal = { id: "1", name: "admin", authorities: ["*:*:*"], jobs: null, tokenId: "t1" };
const nobody: Principal = { id: "2", name: "nobody", authorities: [], jobs: null, tokenId: "t2" };

export const asAdmin = { authorization: "Bearer admin" };

/** An app whose handlers do nothing (or what `answer` says), behind the real registration, checks and refusals. */
export async function dummyApp(
  answer: (name: string, call: Call<Route>) => unknown = () => ({}),
): Promise<DummyApp> {
  const calls: DummyApp["calls"] = [];
  const logged: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      logged.push(JSON.parse(String(line)));
      done();
    },
  });
  const app = await createApp({
    logger: pino({ level: "trace", redact }, sink) as FastifyBaseLogger,
    authenticate(authorization) {
      if (authorization === "Bearer admin") return admin;
      if (authorization === "Bearer nobody") return Promise.resolve(nobody);
      throw new ApiError("UNAUTHENTICATED", "No.");
    },
    isStoreUnavailable: (error) => (error as { code?: string } | null | undefined)?.code === "ECONNREFUSED",
  });
  for (const name of Object.keys(routes) as RouteName[]) {
    addRoute(app, name, routes[name] as Route, async (call) => {
      calls.push({ name, call });
      return (await answer(name, call)) as never;
    });
  }
  return { app, calls, logged };
}
