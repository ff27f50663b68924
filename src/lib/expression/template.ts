import type { Reference } from "./code.ts";
import { compileExpression, type Expression, type Scope } from "./expression.ts";
import { EvaluationError, ExpressionFault } from "./fault.ts";
import { scan } from "./scan.ts";
import { Evaluation } from "./values.ts";

/** A fault in a tree of templates: JSON pointer of the text, and the offset in it. */
export interface TemplateFault {
  path: string;
  message: string;
  position: number;
}

export interface PlacedReferences {
  path: string;
  references: readonly Reference[];
}

/** A value whose texts may hold expressions, compiled. */
export interface Template {
  /** The value with its expressions evaluated: a new tree, which may share values with the scope. @throws EvaluationError */
  render(scope: Scope): unknown;
  /** The names it reads, by the JSON pointer of the text that does. */
  references: readonly PlacedReferences[];
  /** The value as it was written. */
  source: unknown;
  /** JSON pointers of the texts that hold expressions: what they will be is not known. */
  dynamic: readonly string[];
}

type Render = (evaluation: Evaluation) => unknown;

/**
 * Compiles a value and all that it holds. Object keys are not templates, nor is what stands under a verbatim field.
 * Faults are collected: the template is only of use when there are none.
 */
export function compileTemplate(
  value: unknown,
  options: { verbatim?: readonly string[] | undefined } = {},
): { template: Template; faults: TemplateFault[] } {
  const faults: TemplateFault[] = [];
  const references: PlacedReferences[] = [];
  const dynamic: string[] = [];

  function node(part: unknown, path: string): Render {
    if (typeof part === "string") return text(part, path);
    if (Array.isArray(part)) {
      const items = part.map((item, i) => node(item, `${path}/${i}`));
      return (e) => items.map((render) => render(e));
    }
    if (typeof part === "object" && part !== null) {
      const fields = Object.entries(part).map(
        ([key, field]) => [key, node(field, `${path}/${pointerPart(key)}`)] as const,
      );
      return (e) => Object.fromEntries(fields.map(([key, render]) => [key, render(e)]));
    }
    return () => part;
  }

  function text(part: string, path: string): Render {
    if (!part.includes("{{") || isVerbatim(path, options.verbatim)) return () => part;
    dynamic.push(path);
    try {
      const pieces = scan(part).map((piece) =>
        "text" in piece ? piece.text : { expression: compilePiece(piece.source, piece.at), at: piece.at },
      );
      for (const piece of pieces) {
        if (typeof piece === "string") continue;
        const placed = piece.expression.references.map((reference) => {
          reference.position += piece.at;
          return reference;
        });
        references.push({ path, references: placed });
      }
      const parts = pieces.map((piece) => (typeof piece === "string" ? piece : piece.expression));
      return parts.length === 1 ? (parts[0] as Expression).run : interpolate(parts);
    } catch (error) {
      if (!(error instanceof ExpressionFault)) throw error;
      faults.push({ path, message: error.message, position: error.position });
      return () => undefined;
    }
  }

  const render = node(value, "");
  return {
    template: {
      render: (scope) => render(new Evaluation(scope as Record<string, unknown>)),
      references,
      source: value,
      dynamic,
    },
    faults,
  };
}

function compilePiece(source: string, at: number): Expression {
  try {
    return compileExpression(source);
  } catch (error) {
    if (error instanceof ExpressionFault) throw new ExpressionFault(error.message, error.position + at);
    throw error;
  }
}

function interpolate(parts: readonly (string | Expression)[]): Render {
  return (evaluation) => {
    let result = "";
    for (const part of parts) {
      if (typeof part === "string") {
        result += part;
        continue;
      }
      const value = part.run(evaluation);
      try {
        result += textOf(value, evaluation);
        evaluation.chargeText(result.length);
      } catch (error) {
        if (!(error instanceof EvaluationError)) throw error;
        throw new EvaluationError(
          `The text around "{{ ${part.source.trim()} }}" can't be made: ${error.message}.`,
        );
      }
    }
    return result;
  };
}

/** A value inside a text: texts as they are, numbers and bools plainly, lists and maps as JSON, null as nothing. */
function textOf(value: unknown, evaluation: Evaluation): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  const json = JSON.stringify(value);
  evaluation.chargeText(json.length);
  return json;
}

function isVerbatim(path: string, fields: readonly string[] | undefined): boolean {
  if (!fields || fields.length === 0) return false;
  const first = path.split("/", 2)[1];
  return fields.some((field) => pointerPart(field) === first);
}

/** A key as part of a JSON pointer. */
export function pointerPart(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
