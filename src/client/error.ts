import type { ErrorCode, FaultDetail } from "../contract/errors.ts";

/** Codes of the contract, and two of the client's own: no answer at all, and an answer that is not Pawl's. */
export type ClientErrorCode = ErrorCode | "UNREACHABLE" | "UNEXPECTED_ANSWER";

/** A call that failed: Pawl's own refusal, or a sentence about why there was none. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly details: FaultDetail[];
  readonly requestId: string | undefined;
  /** Seconds to wait before the next try, where the answer says so. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ClientErrorCode,
    message: string,
    from: {
      status?: number;
      details?: FaultDetail[];
      requestId?: string;
      retryAfter?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, from.cause === undefined ? undefined : { cause: from.cause });
    this.code = code;
    this.status = from.status ?? 0;
    this.details = from.details ?? [];
    this.requestId = from.requestId;
    this.retryAfter = from.retryAfter;
  }
}
