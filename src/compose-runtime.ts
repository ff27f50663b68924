import { ClientError } from "./client/error.ts";
import { away, recordFinder, refused, serviceRefuses, stepResources } from "./compose-resources.ts";
import { remoteService, type ServiceDeps, serviceInProcess } from "./compose-service.ts";
import type { StepConnection } from "./contract/connection.ts";
import { ApiError } from "./contract/errors.ts";
import { isStoreUnavailable } from "./db/faults.ts";
import type { StepSources } from "./jobs/confidential.ts";
import type { KnownReferences } from "./jobs/references.ts";
import { patiently } from "./lib/patiently.ts";
import { StepError } from "./lib/step-error.ts";
import type { Vault } from "./vault/vault.ts";

export interface RuntimeDeps extends ServiceDeps {
  vault: Vault;
  /** Whether the registry has this MCP server. */
  hasServer(idOrName: string): Promise<boolean>;
  /** Another Pawl that keeps what jobs refer to. */
  remote?: { url: string; token: string } | undefined;
}

/** What jobs and their steps take from the configuration service. */
export async function composeRuntime({ vault, remote, hasServer, ...deps }: RuntimeDeps) {
  const service = remote ? remoteService(remote) : await serviceInProcess(deps);

  async function fetchConnection(
    id: string,
    executionId: string,
    signal: AbortSignal,
  ): Promise<StepConnection> {
    const client = service.clientFor(executionId);
    return (await client.getDecryptedConnection({ params: { connectionId: id }, signal })).data;
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
    async loadVariables(names, executionId, signal) {
      return patiently(signal, isAway, () =>
        service.loadVariables(names, executionId, signal).catch((error: unknown) => {
          throw variableFault(error);
        }),
      );
    },
  };
  const references: KnownReferences = {
    findConnection: service.findConnection,
    findVariables: service.findVariables,
    hasRecord: recordFinder(service, hasServer),
  };
  return {
    sources,
    references,
    resources: stepResources(service),
    close: () => service.close(),
  };
}

/** The store is away just now: what began before it went waits for it, as everything else does. */
class Away extends Error {}

const isAway = (error: unknown) => error instanceof Away;

function connectionFault(error: unknown, id: string): unknown {
  if (!(error instanceof ClientError)) return error;
  if (away.has(error.code)) return new Away();
  if (refused.has(error.code)) return serviceRefuses(error);
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
  if (!(error instanceof ApiError || error instanceof ClientError)) return error;
  if (away.has(error.code)) return new Away();
  if (refused.has(error.code)) return serviceRefuses(error);
  if (error.code !== "DECRYPT_FAILED") return error;
  const message = "A secret global variable that the step uses can't be opened. Enter its value again.";
  return new StepError("DECRYPT_FAILED", message, { retryable: false });
}
