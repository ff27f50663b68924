import { EvaluationError, ExpressionFault } from "./fault.ts";
import type { Node } from "./parse.ts";
import { type Evaluation, type Kind, kindOf, nounOf } from "./values.ts";

/** A compiled piece of an expression. */
export interface Code {
  kind: Kind;
  /** Gives what JSON holds already, so that the result need not be copied. */
  json: boolean;
  /** Small operations in one run of it: what an iteration over it is charged. */
  weight: number;
  run(e: Evaluation): unknown;
  /** Where it is a name of the scope followed by keys that are known. */
  reference?: Reference | undefined;
}

/** A name of the scope that an expression reads, with the keys that follow it as far as they are known. */
export interface Reference {
  root: string;
  keys: string[];
  /** A computed key, or something other than a key, follows. */
  open: boolean;
  position: number;
}

/** What compiling shares: the source, the references found, and the variables of the macros around. */
export interface Context {
  source: string;
  references: Reference[];
  locals: readonly string[];
  /** Macros around that iterate. */
  nesting: number;
}

export type Compile = (node: Node, context: Context) => Code;

export function fault(message: string, node: Node): ExpressionFault {
  return new ExpressionFault(message, node.pos);
}

/** The part of the source that a node was read from, shortened for a message. */
export function textOf(node: Node, context: Context): string {
  const text = context.source.slice(node.start, node.end).replace(/\s+/g, " ").trim();
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Refuses, at compile time, what can never be of one of these kinds. */
export function expectKind(code: Code, kinds: readonly Kind[], what: string, node: Node): void {
  if (code.kind === "dyn" || kinds.includes(code.kind) || kinds.includes("dyn")) return;
  throw fault(`${what} takes ${listOf(kinds)}, and this is ${nounOf(code.kind)}.`, node);
}

/** Refuses, while running, a value of another kind. */
export function wrongKind(what: string, kinds: readonly Kind[], value: unknown): EvaluationError {
  return new EvaluationError(`${what} takes ${listOf(kinds)}, and it is given ${nounOf(kindOf(value))}`);
}

function listOf(kinds: readonly Kind[]): string {
  return kinds.map(nounOf).join(" or ");
}
