import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { certificateRoutes } from "./configuration/certificate/routes.ts";
import { certificateSecrets, certificateStore } from "./configuration/certificate/store.ts";
import { connectionRoutes } from "./configuration/connection/routes.ts";
import { connectionSecrets, connectionStore } from "./configuration/connection/store.ts";
import { contentStore } from "./configuration/content-store.ts";
import { fileRoutes } from "./configuration/file/routes.ts";
import { fileStore } from "./configuration/file/store.ts";
import { sealedSource } from "./configuration/sealed-store.ts";
import { variableLoader } from "./configuration/variable/load.ts";
import { variableRoutes } from "./configuration/variable/routes.ts";
import { variableSecrets, variableStore } from "./configuration/variable/store.ts";
import { connectionUsage } from "./jobs/usage.ts";
import type { SealedSource } from "./vault/sealed-source.ts";
import type { Vault } from "./vault/vault.ts";

/** Where the configuration service keeps sealed values: the vault asks for them before it opens. */
export function configurationSecrets(pool: pg.Pool): SealedSource[] {
  return [
    sealedSource(pool, "connections", "connection", connectionSecrets),
    sealedSource(pool, "global variables", "variable", variableSecrets),
    sealedSource(pool, "certificates", "certificate", certificateSecrets),
  ];
}

export interface ConfigurationDeps {
  pool: pg.Pool;
  vault: Vault;
  /** Bytes that a file may have. */
  fileLimit: number;
}

/** Builds the configuration service and registers its routes. */
export function composeConfiguration(app: FastifyInstance, { pool, vault, fileLimit }: ConfigurationDeps) {
  const connections = { store: connectionStore(pool), vault, usageOf: connectionUsage(pool) };
  connectionRoutes(app, connections);
  const variables = { store: variableStore(pool), vault };
  variableRoutes(app, variables);
  certificateRoutes(app, { store: certificateStore(pool), vault });
  const contents = contentStore(pool);
  fileRoutes(app, { files: fileStore(pool), contents, limit: fileLimit });
  return { contents, connections, loadVariables: variableLoader(variables.store, vault) };
}
