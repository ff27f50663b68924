import type { FilledRequest } from "../contract/api-template.ts";
import type { DecryptedCertificate } from "../contract/certificate.ts";
import type { DatasetRow, RowsFound, RowsRequest } from "../contract/dataset.ts";
import type { OpenedFile, StoredFile } from "../contract/file.ts";
import { StepError } from "../lib/step-error.ts";

/** Which execution it is that asks: what it reads and changes is recorded in its name. */
export interface Asker {
  executionId: string;
  jobName: string;
  signal: AbortSignal;
}

export interface FileWrite {
  name: string;
  contentType: string;
  description?: string | undefined;
  onExisting?: "replace" | "fail" | undefined;
}

/** What step types take from the configuration service, each by id or name. All throw StepError. */
export interface StepResources {
  loadCertificate(idOrName: string, asker: Asker): Promise<DecryptedCertificate>;
  fillApiTemplate(
    idOrName: string,
    params: Record<string, unknown>,
    asker: Asker,
  ): Promise<FilledRequest & { needsConnection: boolean }>;
  readRows(idOrName: string, request: RowsRequest, asker: Asker): Promise<RowsFound>;
  /** All or none; answers how many rows there are then. */
  addRows(idOrName: string, rows: readonly DatasetRow[], asker: Asker): Promise<number>;
  openFile(idOrName: string, asker: Asker): Promise<OpenedFile>;
  writeFile(file: FileWrite, bytes: Buffer, asker: Asker): Promise<StoredFile>;
}

/** The one who asks, as the scope of its step says. */
export function askerOf({
  scope,
  signal,
}: {
  scope: { execution: Readonly<Record<string, unknown>>; job: Readonly<Record<string, unknown>> };
  signal: AbortSignal;
}): Asker {
  return { executionId: String(scope.execution.id), jobName: String(scope.job.name), signal };
}

/**
 * Datasets and files are read by whoever may, and lie in the database as they are.
 * @throws StepError SECRET_NOT_KEPT
 */
export function requireNoSecret(mask: (text: string) => string, what: string, ...texts: string[]): void {
  if (texts.every((text) => mask(text) === text)) return;
  const message = `${what} has a secret in it, of a connection, a variable or a parameter. It is not kept where it can be read: leave it out, or keep it in a connection.`;
  throw new StepError("SECRET_NOT_KEPT", message, { retryable: false });
}

/** Whether a text is written out, and not for an expression to say. */
export function isWrittenOut(value: unknown): value is string {
  return typeof value === "string" && !value.includes("{{");
}
