import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import { ExpressionFault } from "./fault.ts";

export type Node = ASTNode;

/** Longest expression taken. */
export const MAX_SOURCE = 4000;

// Only its parser is used; docs/expressions.md says why the evaluation is ours.
const environment = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 1000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500, maxCallArguments: 8 },
});

/** @throws ExpressionFault */
export function parse(source: string): Node {
  if (source.trim() === "") throw new ExpressionFault("The expression is empty.", 0);
  if (source.length > MAX_SOURCE) {
    throw new ExpressionFault(`The expression is longer than ${MAX_SOURCE} characters.`, MAX_SOURCE);
  }
  try {
    return environment.parse(source).ast;
  } catch (error) {
    if (error instanceof ParseError) throw new ExpressionFault(sentence(error), error.range?.start ?? 0);
    throw error;
  }
}

const TOKENS: Record<string, string> = {
  EOF: "the end",
  RPAREN: '")"',
  LPAREN: '"("',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  COMMA: '","',
  IDENTIFIER: "a name",
  NUMBER: "a number",
  STRING: "a text",
  DOT: '"."',
  EQ: '"=="',
};

function sentence(error: ParseError): string {
  if (error.code === "limit_exceeded") {
    return `The expression is too large (${error.summary.replace("Exceeded ", "")}); split it over several steps.`;
  }
  if (error.code === "unexpected_character" && /: '?[=&|]'?$/.test(error.summary)) {
    return `${error.summary}. CEL compares with ==, and joins conditions with && and ||.`;
  }
  const text = error.summary.replace(/\b[A-Z]{2,}\b/g, (token) => TOKENS[token] ?? token);
  return text.endsWith(".") ? text : `${text}.`;
}
