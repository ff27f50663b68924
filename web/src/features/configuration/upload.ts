import { ClientError } from "@client/error.ts";
import type { FaultDetail } from "@contract/errors.ts";
import { routes } from "@contract/routes.ts";

type UploadRoute = "uploadFile" | "uploadDataset";

export interface UploadOptions {
  query: Record<string, string | number | boolean | readonly string[] | undefined>;
  type: string;
  content: Blob;
  /** Told how much of it is sent, from 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/**
 * Sends a file. By XMLHttpRequest: fetch can't tell a page how far an upload is.
 * @throws ClientError like the typed client, or the signal's reason
 */
export function upload<T>(
  name: UploadRoute,
  { query, type, content, onProgress, signal }: UploadOptions,
): Promise<T> {
  const { method, path } = routes[name];
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const item of [value].flat()) if (item !== undefined) parameters.append(key, String(item));
  }
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const request = new XMLHttpRequest();
  request.open(method, `${path}?${parameters}`);
  request.setRequestHeader("accept", "application/json");
  request.setRequestHeader("content-type", type);
  request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
    if (lengthComputable && total > 0) onProgress(loaded / total);
  };
  request.onload = () => {
    const body = jsonOf(request.responseText);
    if (request.status >= 200 && request.status < 300 && body && "data" in body) resolve(body.data as T);
    else reject(failureOf(request, body));
  };
  request.onerror = () =>
    reject(
      new ClientError("UNREACHABLE", "The upload broke off: Pawl does not answer, or refused it midway."),
    );
  request.onabort = () => reject(signal.reason);
  if (signal.aborted) reject(signal.reason);
  else {
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(content);
  }
  return promise;
}

function failureOf(request: XMLHttpRequest, body: Record<string, unknown> | undefined): ClientError {
  const error = body?.error as { code?: string; details?: FaultDetail[]; requestId?: string } | undefined;
  if (!error?.code) {
    return new ClientError("UNEXPECTED_ANSWER", `The upload was refused (HTTP ${request.status}).`, {
      status: request.status,
    });
  }
  return new ClientError(error.code as ClientError["code"], String(body?.message), {
    status: request.status,
    details: error.details ?? [],
    ...(error.requestId ? { requestId: error.requestId } : {}),
  });
}

function jsonOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
