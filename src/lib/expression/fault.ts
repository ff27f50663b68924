/** An expression that can't be compiled: what is wrong, and where in its source. */
export class ExpressionFault extends Error {
  override readonly name = "ExpressionFault";
  /** Offset into the source, in UTF-16 units. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** An expression that failed on the values it was given. The message is a sentence for the author of the job. */
export class EvaluationError extends Error {
  override readonly name = "EvaluationError";
}
