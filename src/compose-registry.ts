import type { FastifyInstance } from "fastify";
import type pg from "pg";
import manifest from "../package.json" with { type: "json" };
import { runtime } from "./compose-service.ts";
import { ApiError } from "./contract/errors.ts";
import { isStoreUnavailable } from "./db/faults.ts";
import type { CheckpointSeal } from "./engines/embedded/checkpoints.ts";
import type { Audit } from "./http/audit.ts";
import { mcpServerUsage } from "./jobs/usage.ts";
import type { Dialer } from "./lib/dialer.ts";
import { patiently } from "./lib/patiently.ts";
import type { FindServer } from "./plugins/mcp-tool/servers.ts";
import { serverFinder, serverLookup } from "./registry/lookup.ts";
import { registryRoutes } from "./registry/routes.ts";
import { serverStore } from "./registry/store.ts";
import type { Vault } from "./vault/vault.ts";

export interface RegistryDeps {
  pool: pg.Pool;
  vault: Vault;
  dialer: Dialer;
  audit: Audit;
}

/** Builds the registry of MCP servers: what steps are handed of it, and its routes. */
export function composeRegistry({ pool, vault, dialer, audit }: RegistryDeps) {
  const { version } = manifest;
  const store = serverStore(pool);
  const deps = { store, vault, dialer, version, usageOf: mcpServerUsage(pool) };
  const lookUp = serverLookup({ store, vault, audit, runtime });
  // What began before the store went away waits for it, and for the audit record.
  const findServer: FindServer = (which, asker) =>
    patiently(asker.signal, isAway, () => lookUp(which, asker));
  const routes = (app: FastifyInstance) => registryRoutes(app, deps);
  return { findServer, hasServer: serverFinder(store), version, routes };
}

function isAway(error: unknown): boolean {
  return isStoreUnavailable(error) || (error instanceof ApiError && error.code === "STORE_UNAVAILABLE");
}

/** How what a step under way records for itself is kept. */
export function checkpointSeal(vault: Vault): CheckpointSeal {
  const context = (executionId: string) => ({ record: executionId, field: "checkpoint" });
  return {
    seal: (executionId, json) => vault.seal("variable", context(executionId), json),
    open: (executionId, sealed) => vault.open("variable", context(executionId), sealed),
  };
}
