import { type Code, type Context, expectKind, fault, textOf, wrongKind } from "./code.ts";
import { EvaluationError } from "./fault.ts";
import type { Node } from "./parse.ts";
import {
  Duration,
  type Evaluation,
  equal,
  finite,
  type Kind,
  kindOf,
  nounOf,
  OutOfBudget,
} from "./values.ts";

type Binary = (a: unknown, b: unknown, e: Evaluation) => unknown;

/** `==`, `in`, `+`, `<` …: both sides are evaluated. */
export function binary(op: string, left: Code, right: Code, node: Node, context: Context): Code {
  const known = left.kind !== "dyn" && right.kind !== "dyn";
  const kind = known ? staticKind(op, left.kind, right.kind) : dynamicKind(op, left.kind, right.kind);
  const text = textOf(node, context);
  if (kind === undefined) throw fault(`"${text}" ${impossible(op, left.kind, right.kind)}`, node);
  const operate = BINARY[op]!;
  return {
    kind,
    json: kind === "bool" || kind === "number" || kind === "string",
    weight: left.weight + right.weight + 1,
    run(e) {
      const a = left.run(e);
      const b = right.run(e);
      const result = operate(a, b, e);
      if (result !== undefined) return result;
      throw new EvaluationError(`"${text}" ${impossible(op, kindOf(a), kindOf(b)).slice(0, -1)}`);
    },
  };
}

function impossible(op: string, left: Kind, right: Kind): string {
  if (op === "==" || op === "!=") {
    return `compares ${nounOf(left)} with ${nounOf(right)}, which are never equal.`;
  }
  const mixed = op === "+" && (left === "string" || right === "string");
  return `can't apply ${op} to ${nounOf(left)} and ${nounOf(right)}${mixed ? "; string(…) turns a value into text" : ""}.`;
}

/** What an operator gives when one side at least is known only when it runs. */
function dynamicKind(op: string, left: Kind, right: Kind): Kind {
  if (op === "*" || op === "/" || op === "%") return "number";
  if (op !== "+" && op !== "-") return "bool";
  for (const kind of ["number", "string"] as const) if (left === kind || right === kind) return kind;
  return "dyn";
}

const ORDERED: readonly Kind[] = ["number", "string", "timestamp", "duration"];

function staticKind(op: string, left: Kind, right: Kind): Kind | undefined {
  switch (op) {
    case "==":
    case "!=":
      return left === right || left === "null" || right === "null" ? "bool" : undefined;
    case "in":
      return right === "list" || (right === "map" && left !== "list" && left !== "map") ? "bool" : undefined;
    case "<":
    case "<=":
    case ">":
    case ">=":
      return left === right && ORDERED.includes(left) ? "bool" : undefined;
    case "+":
      if (left === "timestamp" && right === "duration") return "timestamp";
      if (left === "duration" && right === "timestamp") return "timestamp";
      return left === right && ["number", "string", "list", "duration"].includes(left) ? left : undefined;
    case "-":
      if (left === "timestamp" && right === "timestamp") return "duration";
      if (left === "timestamp" && right === "duration") return "timestamp";
      return left === right && (left === "number" || left === "duration") ? left : undefined;
    default:
      return left === "number" && right === "number" ? "number" : undefined;
  }
}

/** Each answers undefined for kinds that it can't take. */
const BINARY: Record<string, Binary> = {
  "==": equal,
  "!=": (a, b, e) => !equal(a, b, e),
  in: contains,
  "<": ordering((order) => order < 0),
  "<=": ordering((order) => order <= 0),
  ">": ordering((order) => order > 0),
  ">=": ordering((order) => order >= 0),
  "+": add,
  "-": subtract,
  "*": (a, b) => (typeof a === "number" && typeof b === "number" ? finite(a * b) : undefined),
  "/": (a, b) =>
    typeof a === "number" && typeof b === "number" ? finite(a / notZero(b, "divides")) : undefined,
  "%": (a, b) =>
    typeof a === "number" && typeof b === "number" ? a % notZero(b, "takes a remainder") : undefined,
};

function notZero(value: number, what: string): number {
  if (value === 0) throw new EvaluationError(`it ${what} by zero`);
  return value;
}

function contains(a: unknown, b: unknown, e: Evaluation): boolean | undefined {
  if (Array.isArray(b)) {
    e.charge(b.length >> 2);
    return b.some((item) => equal(a, item, e));
  }
  if (kindOf(b) !== "map") return undefined;
  return (typeof a === "string" || typeof a === "number") && Object.hasOwn(b as object, a);
}

function ordering(holds: (order: number) => boolean): Binary {
  return (a, b) => {
    if (typeof a === "number" && typeof b === "number") return holds(a - b);
    if (typeof a === "string" && typeof b === "string") return holds(a < b ? -1 : a > b ? 1 : 0);
    if (a instanceof Date && b instanceof Date) return holds(a.getTime() - b.getTime());
    if (a instanceof Duration && b instanceof Duration) return holds(a.ms - b.ms);
    return undefined;
  };
}

function add(a: unknown, b: unknown, e: Evaluation): unknown {
  if (typeof a === "number" && typeof b === "number") return finite(a + b);
  if (typeof a === "string" && typeof b === "string") {
    e.chargeText(a.length + b.length);
    return a + b;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    e.charge((a.length + b.length) >> 2);
    return [...a, ...b];
  }
  if (a instanceof Date && b instanceof Duration) return new Date(a.getTime() + b.ms);
  if (a instanceof Duration && b instanceof Date) return new Date(b.getTime() + a.ms);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms + b.ms);
  return undefined;
}

function subtract(a: unknown, b: unknown): unknown {
  if (typeof a === "number" && typeof b === "number") return finite(a - b);
  if (a instanceof Date && b instanceof Date) return new Duration(a.getTime() - b.getTime());
  if (a instanceof Date && b instanceof Duration) return new Date(a.getTime() - b.ms);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms - b.ms);
  return undefined;
}

/**
 * `&&` and `||` as CEL has them: an error on one side does not count when the other decides.
 * @param decides the value that settles the result: true for `||`
 */
export function logical(op: "&&" | "||", left: Code, right: Code, nodes: [Node, Node]): Code {
  expectKind(left, ["bool"], op, nodes[0]);
  expectKind(right, ["bool"], op, nodes[1]);
  const decides = op === "||";
  return {
    kind: "bool",
    json: true,
    weight: left.weight + right.weight + 1,
    run(e) {
      let first: unknown;
      let failure: EvaluationError | undefined;
      try {
        first = left.run(e);
        if (first === decides) return decides;
        if (typeof first !== "boolean") failure = wrongKind(op, ["bool"], first);
      } catch (error) {
        if (!(error instanceof EvaluationError) || error instanceof OutOfBudget) throw error;
        failure = error;
        // An error takes microseconds to make.
        e.charge(100);
      }
      const second = right.run(e);
      if (second === decides) return decides;
      if (failure) throw failure;
      if (typeof second !== "boolean") throw wrongKind(op, ["bool"], second);
      return second;
    },
  };
}

export function not(code: Code, node: Node): Code {
  expectKind(code, ["bool"], "!", node);
  return {
    kind: "bool",
    json: true,
    weight: code.weight + 1,
    run(e) {
      const value = code.run(e);
      if (typeof value !== "boolean") throw wrongKind("!", ["bool"], value);
      return !value;
    },
  };
}

export function minus(code: Code, node: Node): Code {
  expectKind(code, ["number"], "-", node);
  return {
    kind: "number",
    json: true,
    weight: code.weight + 1,
    run(e) {
      const value = code.run(e);
      if (typeof value !== "number") throw wrongKind("-", ["number"], value);
      return -value;
    },
  };
}

export function ternary(condition: Code, yes: Code, no: Code, node: Node): Code {
  expectKind(condition, ["bool"], "The condition before ?", node);
  return {
    kind: yes.kind === no.kind ? yes.kind : "dyn",
    json: yes.json && no.json,
    weight: condition.weight + yes.weight + no.weight + 1,
    run(e) {
      const value = condition.run(e);
      if (typeof value !== "boolean") throw wrongKind("The condition before ?", ["bool"], value);
      return value ? yes.run(e) : no.run(e);
    },
  };
}
