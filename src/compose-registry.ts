import type { FastifyInstance } from "fastify";
import type pg from "pg";
import manifest from "../package.json" with { type: "json" };
import { mcpServerUsage } from "./jobs/usage.ts";
import type { Dialer } from "./lib/dialer.ts";
import { serverLookup } from "./registry/lookup.ts";
import { registryRoutes } from "./registry/routes.ts";
import { serverStore } from "./registry/store.ts";
import type { Vault } from "./vault/vault.ts";

/** Builds the registry of MCP servers: what steps are handed of it, and its routes. */
export function composeRegistry({ pool, vault, dialer }: { pool: pg.Pool; vault: Vault; dialer: Dialer }) {
  const { version } = manifest;
  const store = serverStore(pool);
  const deps = { store, vault, dialer, version, usageOf: mcpServerUsage(pool) };
  return {
    findServer: serverLookup(deps),
    version,
    routes: (app: FastifyInstance) => registryRoutes(app, deps),
  };
}
