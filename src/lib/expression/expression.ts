import type { Reference } from "./code.ts";
import { compile } from "./compile.ts";
import { EvaluationError, ExpressionFault } from "./fault.ts";
import { parse } from "./parse.ts";
import { Evaluation, type Kind, kindOf, nounOf, toJson } from "./values.ts";

/** The values that the names of an expression stand for. Read only: results share structure with it. */
export type Scope = object;

export interface Expression {
  source: string;
  /** What it gives, as far as that is known before it runs. */
  kind: Kind;
  references: readonly Reference[];
  /** @throws EvaluationError */
  evaluate(scope: Scope): unknown;
  /** The same as part of a larger whole, whose work is counted together. */
  run(evaluation: Evaluation): unknown;
}

/**
 * Compiles a CEL expression.
 * @throws ExpressionFault
 */
export function compileExpression(source: string): Expression {
  const references: Reference[] = [];
  const code = compile(parse(source), { source, references, locals: [], nesting: 0 });
  const run = (evaluation: Evaluation): unknown => {
    try {
      const value = code.run(evaluation);
      return code.json ? jsonOf(value) : toJson(value, evaluation);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      throw new EvaluationError(`The expression "${shorten(source)}" failed: ${error.message}.`);
    }
  };
  return {
    source,
    kind: code.kind,
    references,
    run,
    evaluate: (scope) => run(new Evaluation(scope as Record<string, unknown>)),
  };
}

function jsonOf(value: unknown): unknown {
  return value === undefined ? null : value;
}

/**
 * Compiles the expression of a condition, which must give a bool.
 * @throws ExpressionFault
 */
export function compileCondition(source: string): Expression & { holds(scope: Scope): boolean } {
  const expression = compileExpression(source);
  if (expression.kind !== "bool" && expression.kind !== "dyn") {
    throw new ExpressionFault(
      `A condition must be true or false, and this is ${nounOf(expression.kind)}.`,
      0,
    );
  }
  return {
    ...expression,
    holds(scope) {
      const value = expression.evaluate(scope);
      if (typeof value === "boolean") return value;
      throw new EvaluationError(
        `The condition "${shorten(source)}" must be true or false, and it gives ${nounOf(kindOf(value))}.`,
      );
    },
  };
}

function shorten(source: string): string {
  const text = source.replace(/\s+/g, " ").trim();
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
