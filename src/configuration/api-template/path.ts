import { compileExpression, type Expression } from "../../lib/expression/expression.ts";
import { EvaluationError, ExpressionFault } from "../../lib/expression/fault.ts";
import { scan } from "../../lib/expression/scan.ts";

/** A path, or a whole URL, with the expressions in it compiled. */
export interface PathTemplate {
  expressions: { expression: Expression; at: number }[];
  /** What stands before the first expression. */
  start: string;
  /** @throws EvaluationError */
  render(scope: object): string;
}

/**
 * Compiles a path. Unlike in other texts a value is put in encoded, so that it stays the one segment, or the one value of
 * the query, that the template has a place for.
 * @throws ExpressionFault
 */
export function compilePath(text: string): PathTemplate {
  const pieces = scan(text).map((piece) =>
    "text" in piece ? piece.text : { expression: compiled(piece.source, piece.at), at: piece.at },
  );
  const first = pieces[0];
  return {
    expressions: pieces.filter((piece) => typeof piece !== "string"),
    start: typeof first === "string" ? first : "",
    render: (scope) =>
      pieces.map((piece) => (typeof piece === "string" ? piece : encoded(piece.expression, scope))).join(""),
  };
}

function compiled(source: string, at: number): Expression {
  try {
    return compileExpression(source);
  } catch (error) {
    if (error instanceof ExpressionFault) throw new ExpressionFault(error.message, error.position + at);
    throw error;
  }
}

function encoded(expression: Expression, scope: object): string {
  const value = expression.evaluate(scope);
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const text = isPlain ? String(value) : "";
  // Nothing at all would name what is above, and so would dots: a DELETE of one would be one of all.
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text.toWellFormed());
  const what = isPlain ? (text === "" ? "empty" : "of dots only") : "no text and no number";
  throw new EvaluationError(
    `What "{{ ${expression.source.trim()} }}" puts into the path of the API template is ${what}.`,
  );
}
