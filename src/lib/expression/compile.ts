import { didYouMean } from "../did-you-mean.ts";
import { access, noteLiteral } from "./access.ts";
import { call, methodCall } from "./calls.ts";
import { type Code, type Context, expectKind, fault } from "./code.ts";
import { binary, logical, minus, not, ternary } from "./operators.ts";
import type { Node } from "./parse.ts";
import { kindOf, type Plain, setKey, TypeValue } from "./values.ts";

/** The names that an expression may start with. */
export const ROOTS = ["params", "steps", "vars", "execution", "job"] as const;

/** What `type(x)` can be compared with; CEL's names for numbers all mean the one kind there is. */
const TYPES: Record<string, TypeValue> = {
  string: new TypeValue("string"),
  bool: new TypeValue("bool"),
  int: new TypeValue("number"),
  uint: new TypeValue("number"),
  double: new TypeValue("number"),
  bytes: new TypeValue("bytes"),
  list: new TypeValue("list"),
  map: new TypeValue("map"),
  null_type: new TypeValue("null"),
};

/** Turns a parsed expression into closures. @throws ExpressionFault */
export function compile(node: Node, context: Context): Code {
  switch (node.op) {
    case "value":
      return literal(node.args, node);
    case "id":
      return name(node.args, node, context);
    case ".":
    case ".?":
      return access(compile(node.args[0], context), node.args[1], node.op === ".?", node, context);
    case "[]":
    case "[?]":
      return access(
        compile(node.args[0], context),
        indexOf(compile(node.args[1], context), node.args[1]),
        node.op === "[?]",
        node,
        context,
      );
    case "call":
      return call(node.args[0], node.args[1], node, context, compile);
    case "rcall":
      return methodCall(node.args[0], node.args[1], node.args[2], node, context, compile);
    case "list":
      return list(node.args.map((item) => compile(item, context)));
    case "map":
      return map(node.args, context);
    case "?:":
      return ternary(
        compile(node.args[0], context),
        compile(node.args[1], context),
        compile(node.args[2], context),
        node.args[0],
      );
    case "&&":
    case "||":
      return logical(node.op, compile(node.args[0], context), compile(node.args[1], context), node.args);
    case "!_":
      return not(compile(node.args, context), node.args);
    case "-_":
      return minus(compile(node.args, context), node.args);
    default:
      return binary(node.op, compile(node.args[0], context), compile(node.args[1], context), node, context);
  }
}

/** A literal text as index is a key like any other: `steps["x"]` is `steps.x`. */
function indexOf(code: Code, node: Node): Code | string {
  return node.op === "value" && typeof node.args === "string" ? node.args : code;
}

function literal(raw: unknown, node: Node): Code {
  const value = plain(raw);
  if (typeof value === "number" && typeof raw !== "number" && !Number.isSafeInteger(value)) {
    throw fault("The number is too large to be exact (2^53 is the limit); write it as a text.", node);
  }
  const code: Code = {
    kind: kindOf(value),
    json: !(value instanceof Uint8Array),
    weight: 1,
    run: () => value,
  };
  return noteLiteral(code, value);
}

/** Integers, signed or not, are numbers like those of JSON. */
function plain(raw: unknown): unknown {
  if (typeof raw === "bigint") return Number(raw);
  if (typeof raw === "object" && raw !== null && !(raw instanceof Uint8Array)) return Number(raw.valueOf());
  return raw;
}

function name(id: string, node: Node, context: Context): Code {
  const slot = context.locals.lastIndexOf(id);
  if (slot >= 0) return { kind: "dyn", json: true, weight: 1, run: (e) => e.locals[slot] };
  if ((ROOTS as readonly string[]).includes(id)) {
    const reference = { root: id, keys: [], open: false, position: node.start };
    context.references.push(reference);
    return { kind: "map", json: true, weight: 1, reference, run: (e) => e.scope[id] };
  }
  if (Object.hasOwn(TYPES, id)) {
    const value = TYPES[id]!;
    return { kind: "type", json: false, weight: 1, run: () => value };
  }
  const known = [...ROOTS, ...context.locals];
  throw fault(
    `There is no name "${id}" here.${didYouMean(id, known) || ` The names are ${ROOTS.join(", ")}.`}`,
    node,
  );
}

function list(items: Code[]): Code {
  return {
    kind: "list",
    json: items.every((item) => item.json),
    weight: items.reduce((sum, item) => sum + item.weight, 1),
    run: (e) => items.map((item) => item.run(e)),
  };
}

function map(entries: readonly (readonly [Node, Node])[], context: Context): Code {
  const pairs = entries.map(([keyNode, valueNode]) => {
    const key = compile(keyNode, context);
    expectKind(key, ["string", "number", "bool"], "The key of a map", keyNode);
    return [key, compile(valueNode, context)] as const;
  });
  return {
    kind: "map",
    json: pairs.every(([, value]) => value.json),
    weight: pairs.reduce((sum, [key, value]) => sum + key.weight + value.weight, 1),
    run(e) {
      const result: Plain = {};
      for (const [key, value] of pairs) setKey(result, String(key.run(e)), value.run(e));
      return result;
    },
  };
}
