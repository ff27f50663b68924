import { ApiError, type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import type { Failure } from "../contract/shapes.ts";

export type IsStoreUnavailable = (error: unknown) => boolean;

/** What a failure is answered with. `unexpected`: a fault of ours, to be logged with its stack. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: Failure;
  unexpected: boolean;
}

const RETRY_AFTER_SECONDS = 1;

/** Turns whatever was thrown into the failure envelope. Nothing of an unknown error is told to the client. */
export function refusalOf(
  error: unknown,
  requestId: string,
  isStoreUnavailable: IsStoreUnavailable,
): Refusal {
  const known = asApiError(error, isStoreUnavailable);
  const fault =
    known ??
    new ApiError(
      "INTERNAL",
      `Something went wrong on our side. Report the request id ${requestId} to find it in the log.`,
    );
  return {
    status: errorCatalogue[fault.code].status,
    headers: headersOf(fault),
    body: failureBody(fault, requestId),
    unexpected: known === undefined,
  };
}

export function failureBody(fault: ApiError, requestId: string): Failure {
  return {
    status: "error",
    message: fault.message,
    data: null,
    error: { code: fault.code, ...(fault.details ? { details: fault.details } : {}), requestId },
  };
}

function headersOf(fault: ApiError): Record<string, string> {
  const { status } = errorCatalogue[fault.code];
  if (status === 401) return { "www-authenticate": "Bearer" };
  if (status === 429 || status === 503)
    return { "retry-after": String(fault.retryAfter ?? RETRY_AFTER_SECONDS) };
  return {};
}

function asApiError(error: unknown, isStoreUnavailable: IsStoreUnavailable): ApiError | undefined {
  if (error instanceof ApiError) return error.code === "INTERNAL" ? undefined : error;
  const framework = frameworkFaults[codeOf(error)];
  if (framework) return new ApiError(...framework);
  if (isBrokenOff(error)) return new ApiError("MALFORMED_JSON", "The body ended before its end.");
  if (isStoreUnavailable(error)) {
    return new ApiError(
      "STORE_UNAVAILABLE",
      "The database can't be reached just now. Try again in a moment.",
    );
  }
  return undefined;
}

const frameworkFaults: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["PAYLOAD_TOO_LARGE", "The body is larger than 1 MiB. Send less at a time."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "UNSUPPORTED_MEDIA_TYPE",
    "The Content-Type is not a media type that this request takes: most take application/json.",
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    "MALFORMED_JSON",
    "The body is not as long as its Content-Length says.",
  ],
  FST_ERR_BAD_URL: [
    "VALIDATION_FAILED",
    "The path is not valid: % must be followed by the two hex digits of UTF-8 bytes.",
  ],
  FST_ERR_MAX_PARAM_LENGTH: ["VALIDATION_FAILED", "A part of the path is too long."],
};

/** The client went away within the body: the framework gives that a status, while a lost database connection has none. */
function isBrokenOff(error: unknown): boolean {
  return (
    (error as { statusCode?: unknown } | null | undefined)?.statusCode === 400 &&
    codeOf(error) === "ECONNRESET"
  );
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}
