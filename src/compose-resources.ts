import { ClientError } from "./client/error.ts";
import type { ConfigurationService } from "./compose-service.ts";
import { fillApiTemplate } from "./configuration/api-template/fill.ts";
import { ApiError } from "./contract/errors.ts";
import { isStoreUnavailable } from "./db/faults.ts";
import type { ResourceKind } from "./jobs/step-type.ts";
import { StepError } from "./lib/step-error.ts";
import type { StepResources } from "./plugins/resources.ts";

/**
 * What step types take from the configuration service besides connections and variables. A certificate has a key, and comes
 * through the internal endpoint as connections do.
 */
export function stepResources(service: ConfigurationService): StepResources {
  const { records } = service;
  return {
    loadCertificate: (idOrName, { executionId, signal }) =>
      asStepError("certificate", idOrName, async () => {
        const id = await service.findCertificate(idOrName);
        if (id === undefined) throw new ApiError("NOT_FOUND", "There is no such certificate.");
        const answer = await service.clientFor(executionId).getDecryptedCertificate({
          params: { certificateId: id },
          signal,
        });
        return answer.data;
      }),
    fillApiTemplate: (idOrName, params, asker) =>
      asStepError("API template", idOrName, async () => {
        const template = await records.readApiTemplate(idOrName, asker);
        return { ...fillApiTemplate(template, params), needsConnection: template.connectionType !== null };
      }),
    readRows: (idOrName, request, asker) =>
      asStepError("dataset", idOrName, () => records.readRows(idOrName, request, asker)),
    addRows: (idOrName, rows, asker) =>
      asStepError("dataset", idOrName, () => records.addRows(idOrName, rows, asker)),
    openFile: (idOrName, asker) =>
      asStepError("file", idOrName, async () => {
        const { file, bytes } = await records.openFile(idOrName, asker);
        return { file, bytes: readable(bytes, idOrName) };
      }),
    writeFile: (file, bytes, asker) =>
      asStepError("file", file.name, () => records.writeFile(file, bytes, asker)),
  };
}

/** Whether there is such a record, for the check of a job that names it. */
export function recordFinder(
  { findCertificate, records }: ConfigurationService,
  hasServer: (idOrName: string) => Promise<boolean>,
) {
  return async (kind: ResourceKind, idOrName: string) => {
    if (kind === "mcpServer") return hasServer(idOrName);
    if (kind === "certificate") return (await findCertificate(idOrName)) !== undefined;
    return records.has(kind, idOrName);
  };
}

/** The bytes, whose reading fails as the rest does: they may come from afar. */
function readable(bytes: AsyncIterable<Uint8Array>, name: string): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* bytes;
      } catch (error) {
        throw resourceFault(error, "file", name);
      }
    },
  };
}

/** It will be there again by itself. */
export const away: ReadonlySet<string> = new Set([
  "STORE_UNAVAILABLE",
  "OVERLOADED",
  "RATE_LIMITED",
  "UNREACHABLE",
]);

/** Not what is asked for, but who asks. */
export const refused: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "UNEXPECTED_ANSWER"]);

export function serviceRefuses({ message }: Error): StepError {
  return new StepError(
    "CONFIGURATION_UNAVAILABLE",
    `The configuration service does not answer this Pawl: ${message} See PAWL_CONFIGURATION_URL and PAWL_CONFIGURATION_TOKEN.`,
  );
}

/** What the configuration service refuses, as the failure of a step. */
async function asStepError<T>(noun: string, name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw resourceFault(error, noun, name);
  }
}

function resourceFault(error: unknown, noun: string, name: string): unknown {
  const fault = (code: string, message: string, retryable = false) =>
    new StepError(code, message, { retryable });
  const code = error instanceof ApiError || error instanceof ClientError ? error.code : undefined;
  if (refused.has(code ?? "")) return serviceRefuses(error as Error);
  if (isStoreUnavailable(error) || away.has(code ?? "")) {
    return fault("CONFIGURATION_UNAVAILABLE", "The configuration service can't be reached just now.", true);
  }
  if (code === undefined) return error;
  if (code === "NOT_FOUND") {
    return fault(
      "RECORD_NOT_FOUND",
      `There is no ${noun} "${name}" any more. Give the step another, and save the job.`,
    );
  }
  if (code === "DECRYPT_FAILED") {
    return fault(
      "DECRYPT_FAILED",
      `The private key of the ${noun} "${name}" can't be opened. Enter it again.`,
    );
  }
  const { message, details = [] } = error as ApiError;
  const more = details
    .slice(0, 5)
    .filter((detail) => !message.includes(detail.message))
    .map((detail) => ` ${detail.path.replace(/^\//, "")} ${detail.message}`);
  return fault("RECORD_REFUSED", `The ${noun} "${name}": ${message}${more.join("")}`);
}
