import { timingSafeEqual } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { createClient } from "./client/client.ts";
import { ClientError } from "./client/error.ts";
import type { Configuration } from "./compose-configuration.ts";
import { recordFinder, stepResources } from "./compose-resources.ts";
import { certificateRoutes } from "./configuration/certificate/routes.ts";
import { connectionRoutes } from "./configuration/connection/routes.ts";
import type { StepConnection } from "./contract/connection.ts";
import { ApiError } from "./contract/errors.ts";
import { isStoreUnavailable } from "./db/faults.ts";
import { createApp } from "./http/app.ts";
import type { Audit } from "./http/audit.ts";
import { inProcessFetch } from "./http/in-process.ts";
import type { Principal } from "./http/principal.ts";
import { newToken } from "./identity/tokens.ts";
import type { StepSources } from "./jobs/confidential.ts";
import type { KnownReferences } from "./jobs/references.ts";
import { patiently } from "./lib/patiently.ts";
import { StepError } from "./lib/step-error.ts";
import type { Vault } from "./vault/vault.ts";

export interface RuntimeDeps {
  configuration: Configuration;
  vault: Vault;
  log: FastifyBaseLogger;
  audit: Audit;
  /** Whether the registry has this MCP server. */
  hasServer(idOrName: string): Promise<boolean>;
}

/** Who steps fetch connections as. Its token is made at each start, kept nowhere, and works on no listener. */
const runtime: Principal = {
  id: "runtime",
  name: "pawl runtime",
  authorities: ["ConfigService:Connection:decrypt", "ConfigService:Certificate:decrypt"],
  jobs: null,
  tokenId: "runtime",
};

/**
 * What jobs and their steps take from the configuration service. Connections come through its internal endpoint, by the client
 * that any other service would use, on an app that listens nowhere: it is open until the last step has ended, when the
 * one that callers reach has long closed.
 */
export async function composeRuntime({ configuration, vault, log, audit, hasServer }: RuntimeDeps) {
  const { connections, variables, loadVariables } = configuration;
  const token = newToken();
  const expected = Buffer.from(`Bearer ${token}`);
  const app = await createApp({
    logger: log,
    authenticate(given = "") {
      const bytes = Buffer.from(given);
      if (bytes.length === expected.length && timingSafeEqual(bytes, expected)) return runtime;
      throw new ApiError("UNAUTHENTICATED", "Only steps that run may ask here.");
    },
    isStoreUnavailable,
    audit,
  });
  connectionRoutes(app, connections);
  certificateRoutes(app, configuration.certificates);
  const inProcess = inProcessFetch(app);

  const clientFor = (executionId: string) =>
    createClient({
      url: "http://configuration.invalid",
      token,
      // The audit record shows it: which execution had the secrets.
      fetch: (address, init) =>
        inProcess(address, {
          ...init,
          headers: { ...init?.headers, "user-agent": `execution ${executionId}` },
        }),
    });

  async function fetchConnection(
    id: string,
    executionId: string,
    signal: AbortSignal,
  ): Promise<StepConnection> {
    return (await clientFor(executionId).getDecryptedConnection({ params: { connectionId: id }, signal }))
      .data;
  }

  const sources: StepSources = {
    vault,
    async loadConnection(id, executionId, signal) {
      return patiently(signal, isAway, () =>
        fetchConnection(id, executionId, signal).catch((error: unknown) => {
          throw connectionFault(error, id);
        }),
      );
    },
    async loadVariables(names, signal) {
      return patiently(signal, isAway, () =>
        loadVariables(names).catch((error: unknown) => {
          throw variableFault(error);
        }),
      );
    },
  };
  const references: KnownReferences = {
    async findConnection(which) {
      if ("id" in which) return connections.store.find(which.id);
      return (await connections.store.findNamed(which.name, which.connectionType))[0];
    },
    findVariables: async (names) => new Set((await variables.store.load([...names])).map(({ name }) => name)),
    hasRecord: recordFinder(configuration, hasServer),
  };
  return {
    sources,
    references,
    resources: stepResources(configuration, clientFor),
    close: () => app.close(),
  };
}

/** The store is away just now: what began before it went waits for it, as everything else does. */
class Away extends Error {}

const isAway = (error: unknown) => error instanceof Away;

function connectionFault(error: unknown, id: string): unknown {
  if (!(error instanceof ClientError)) return error;
  if (error.code === "STORE_UNAVAILABLE" || error.code === "OVERLOADED") return new Away();
  if (error.code === "NOT_FOUND") {
    const message = `The connection ${id} that the step uses is not there any more. Give the step another, and save the job.`;
    return new StepError("CONNECTION_NOT_FOUND", message, { retryable: false });
  }
  if (error.code === "DECRYPT_FAILED") {
    const message = `The secrets of the connection ${id} can't be opened. Enter them again in the connection.`;
    return new StepError("DECRYPT_FAILED", message, { retryable: false });
  }
  return error;
}

function variableFault(error: unknown): unknown {
  if (isStoreUnavailable(error)) return new Away();
  if (!(error instanceof ApiError)) return error;
  const message = "A secret global variable that the step uses can't be opened. Enter its value again.";
  return new StepError("DECRYPT_FAILED", message, { retryable: false });
}
