import type { FastifyInstance } from "fastify";
import type pg from "pg";
import manifest from "../package.json" with { type: "json" };
import { isStoreUnavailable } from "./db/faults.ts";
import type { CheckpointSeal } from "./engines/embedded/checkpoints.ts";
import { mcpServerUsage } from "./jobs/usage.ts";
import type { Dialer } from "./lib/dialer.ts";
import { patiently } from "./lib/patiently.ts";
import type { FindServer } from "./plugins/mcp-tool/servers.ts";
import { serverFinder, serverLookup } from "./registry/lookup.ts";
import { registryRoutes } from "./registry/routes.ts";
import { serverStore } from "./registry/store.ts";
import type { Vault } from "./vault/vault.ts";

/** Builds the registry of MCP servers: what steps are handed of it, and its routes. */
export function composeRegistry({ pool, vault, dialer }: { pool: pg.Pool; vault: Vault; dialer: Dialer }) {
  const { version } = manifest;
  const store = serverStore(pool);
  const deps = { store, vault, dialer, version, usageOf: mcpServerUsage(pool) };
  const lookUp = serverLookup(deps);
  // What began before the store went away waits for it.
  const findServer: FindServer = (which, signal) =>
    patiently(signal, isStoreUnavailable, () => lookUp(which));
  const routes = (app: FastifyInstance) => registryRoutes(app, deps);
  return { findServer, hasServer: serverFinder(store), version, routes };
}

/** How what a step under way records for itself is kept. */
export function checkpointSeal(vault: Vault): CheckpointSeal {
  const context = (executionId: string) => ({ record: executionId, field: "checkpoint" });
  return {
    seal: (executionId, json) => vault.seal("variable", context(executionId), json),
    open: (executionId, sealed) => vault.open("variable", context(executionId), sealed),
  };
}
