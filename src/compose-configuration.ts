import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { apiTemplateRoutes } from "./configuration/api-template/routes.ts";
import { apiTemplateStore } from "./configuration/api-template/store.ts";
import { certificateRoutes } from "./configuration/certificate/routes.ts";
import { certificateSecrets, certificateStore } from "./configuration/certificate/store.ts";
import { connectionRoutes } from "./configuration/connection/routes.ts";
import { connectionSecrets, connectionStore } from "./configuration/connection/store.ts";
import { connectionTester } from "./configuration/connection/test-connection.ts";
import { contentStore } from "./configuration/content-store.ts";
import { datasetRoutes } from "./configuration/dataset/routes.ts";
import { rowStore } from "./configuration/dataset/row-store.ts";
import { datasetStore } from "./configuration/dataset/store.ts";
import { fileRoutes } from "./configuration/file/routes.ts";
import { fileStore } from "./configuration/file/store.ts";
import { sealedSource } from "./configuration/sealed-store.ts";
import type { RecordUsage } from "./configuration/usage.ts";
import { variableLoader } from "./configuration/variable/load.ts";
import { variableRoutes } from "./configuration/variable/routes.ts";
import { variableSecrets, variableStore } from "./configuration/variable/store.ts";
import { connectionUsage, type RecordKind, recordUsage } from "./jobs/usage.ts";
import type { Dialer } from "./lib/dialer.ts";
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
  dialer: Dialer;
}

export type Configuration = ReturnType<typeof createConfiguration>;

/** The configuration service, without HTTP: what its routes work with, and what the others are handed. */
export function createConfiguration({ pool, vault, fileLimit, dialer }: ConfigurationDeps) {
  const variables = { store: variableStore(pool), vault };
  const contents = contentStore(pool);
  const usageOf = recordUsage(pool);
  const usageAs =
    (kind: RecordKind): RecordUsage =>
    (principal, records) =>
      usageOf(kind, principal, records);
  return {
    connections: {
      store: connectionStore(pool),
      vault,
      usageOf: connectionUsage(pool),
      test: connectionTester(dialer),
    },
    variables,
    loadVariables: variableLoader(variables.store, vault),
    certificates: { store: certificateStore(pool), vault, usageOf: usageAs("certificate") },
    contents,
    datasets: { store: datasetStore(pool), rows: rowStore(pool), contents, usageOf: usageAs("dataset") },
    apiTemplates: { store: apiTemplateStore(pool), usageOf: usageAs("apiTemplate") },
    files: { store: fileStore(pool), contents, limit: fileLimit, usageOf: usageAs("file") },
  };
}

/** Registers the routes of the configuration service. Which jobs use a variable only the step types can tell. */
export function configurationRoutes(
  app: FastifyInstance,
  configuration: Configuration,
  { variableUsage }: { variableUsage: RecordUsage },
): void {
  connectionRoutes(app, configuration.connections);
  variableRoutes(app, { ...configuration.variables, usageOf: variableUsage });
  certificateRoutes(app, configuration.certificates);
  datasetRoutes(app, configuration.datasets);
  fileRoutes(app, configuration.files);
  apiTemplateRoutes(app, configuration.apiTemplates);
}
