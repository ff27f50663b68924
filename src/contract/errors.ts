/** Every code a failure can carry, with the HTTP status it travels on. docs/errors.md is checked against this list. */
export const errorCatalogue = {
  VALIDATION_FAILED: {
    status: 400,
    when: "A shape, type, range or name is wrong; `details` lists every fault.",
  },
  MALFORMED_JSON: { status: 400, when: "The body is not JSON (or YAML, where that is taken)." },
  UNAUTHENTICATED: { status: 401, when: "No valid credential was sent." },
  FORBIDDEN: { status: 403, when: "The credential is valid but lacks the authority the route names." },
  NOT_FOUND: { status: 404, when: "Nothing has this id, or the caller may not know of it." },
  METHOD_NOT_ALLOWED: { status: 405, when: "The path exists, but not with this method." },
  CONFLICT: {
    status: 409,
    when: "The name is taken, the record changed meanwhile, or it is the last way in and must stay.",
  },
  INVALID_STATE: { status: 409, when: "The action is not allowed in the present state." },
  IDEMPOTENCY_CONFLICT: { status: 409, when: "The Idempotency-Key was used before with another body." },
  PAYLOAD_TOO_LARGE: { status: 413, when: "The body is larger than the limit." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, when: "The Content-Type is not one this route takes." },
  DECRYPT_FAILED: {
    status: 422,
    when: "A sealed value does not open here: altered, of another record or field, or sealed by another Pawl.",
  },
  SECRET_REENTRY_REQUIRED: {
    status: 422,
    when: "Where secrets go has changed: those that `details` names must be entered again.",
  },
  RATE_LIMITED: {
    status: 429,
    when: "Too many wrong credentials from this address, or too many secrets read; try again after Retry-After.",
  },
  INTERNAL: { status: 500, when: "A fault of ours. The request id finds it in the log." },
  STORE_UNAVAILABLE: { status: 503, when: "The database cannot be reached just now; try again." },
  ISSUER_UNAVAILABLE: {
    status: 503,
    when: "The identity provider cannot be reached just now; try again.",
  },
  OVERLOADED: {
    status: 503,
    when: "More work is queued than the server will hold; try again after Retry-After.",
  },
} as const;

export type ErrorCode = keyof typeof errorCatalogue;

/** One fault in a request: a JSON pointer into the body (or `query/…`, `params/…`), and a sentence. */
export interface FaultDetail {
  path: string;
  message: string;
}

/** A failure with a code of the catalogue. Parts throw it; only `http/` turns it into a response. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly details: FaultDetail[] | undefined;
  /** Seconds a client should wait before it tries again (429 and 503 only). */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: FaultDetail[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }
}
