/** A step's failure, in words for a person. Retried only when `retryable`, and only if the step says how often. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly code: string;
  readonly retryable: boolean;
  /** How long the other side asked us to wait before the next try. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: string,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? true;
    this.retryAfterMs = options.retryAfterMs;
  }
}
