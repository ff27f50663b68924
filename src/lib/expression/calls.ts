import { didYouMean } from "../did-you-mean.ts";
import { has } from "./access.ts";
import { type Code, type Compile, type Context, expectKind, fault, wrongKind } from "./code.ts";
import { EvaluationError } from "./fault.ts";
import { type Builtin, functions, mathFunctions, methods } from "./functions.ts";
import { comprehensions, isComprehension } from "./macros.ts";
import type { Node } from "./parse.ts";
import { kindOf, Optional } from "./values.ts";

/** `size(x)`, `has(a.b)`. */
export function call(
  name: string,
  args: readonly Node[],
  node: Node,
  context: Context,
  compile: Compile,
): Code {
  if (name === "has") return has(args, (inner) => compile(inner, context), node);
  if (name === "matches") throw noMatches(node);
  const builtin = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!builtin) {
    const hint = Object.hasOwn(methods, name)
      ? ` It is called on a value: x.${name}(…).`
      : didYouMean(name, Object.keys(functions));
    throw fault(`There is no function "${name}".${hint}`, node);
  }
  return apply(
    `${name}()`,
    builtin,
    args.map((arg) => compile(arg, context)),
    args,
    node,
  );
}

/** `x.size()`, `xs.map(x, …)`, `math.round(x)`. */
export function methodCall(
  name: string,
  receiver: Node,
  args: readonly Node[],
  node: Node,
  context: Context,
  compile: Compile,
): Code {
  if (name === "matches") throw noMatches(node);
  if (receiver.op === "id" && receiver.args === "math" && !context.locals.includes("math")) {
    const builtin = Object.hasOwn(mathFunctions, name) ? mathFunctions[name] : undefined;
    if (!builtin) {
      throw fault(
        `There is no function "math.${name}".${didYouMean(name, Object.keys(mathFunctions))}`,
        node,
      );
    }
    return apply(
      `math.${name}()`,
      builtin,
      args.map((arg) => compile(arg, context)),
      args,
      node,
    );
  }
  if (isComprehension(name)) return comprehensions(name, receiver, args, node, context, compile);
  if (Object.hasOwn(OPTIONAL, name)) return optionalMethod(name, receiver, args, node, context, compile);
  const builtin = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!builtin) {
    const hint = Object.hasOwn(functions, name)
      ? ` It takes the value in brackets: ${name}(…).`
      : didYouMean(name, Object.keys(methods));
    throw fault(`There is no method "${name}".${hint}`, node);
  }
  const nodes = [receiver, ...args];
  return apply(
    `${name}()`,
    builtin,
    nodes.map((inner) => compile(inner, context)),
    nodes,
    node,
    1,
  );
}

function noMatches(node: Node): Error {
  return fault(
    "matches() is not available: a regular expression can stop the server. " +
      "Use contains(), startsWith(), endsWith() or split(), or a script step.",
    node,
  );
}

function apply(
  what: string,
  builtin: Builtin,
  codes: Code[],
  nodes: readonly Node[],
  node: Node,
  receivers = 0,
): Code {
  const { takes, required, gives } = builtin;
  if (codes.length < required || codes.length > takes.length) {
    const least = required - receivers;
    const most = takes.length - receivers;
    const count = least === most ? `${least}` : `${least} to ${most}`;
    throw fault(`${what} takes ${count} ${count === "1" ? "argument" : "arguments"}.`, node);
  }
  codes.forEach((code, i) => {
    expectKind(code, takes[i]!, what, nodes[i]!);
  });
  const checked = codes.map((code, i) => code.kind !== "dyn" || takes[i]!.includes("dyn"));
  return {
    kind: gives,
    json: gives === "bool" || gives === "number" || gives === "string",
    weight: codes.reduce((sum, code) => sum + code.weight, 2),
    run(e) {
      const args = new Array<unknown>(codes.length);
      for (let i = 0; i < codes.length; i++) {
        const value = codes[i]!.run(e);
        if (!checked[i] && !takes[i]!.includes(kindOf(value))) throw wrongKind(what, takes[i]!, value);
        args[i] = value;
      }
      return builtin.run(e, args);
    },
  };
}

const OPTIONAL: Record<string, number> = { hasValue: 0, value: 0, orValue: 1, or: 1 };

/** `a.?b.orValue(c)` and its relatives. */
function optionalMethod(
  name: string,
  receiver: Node,
  args: readonly Node[],
  node: Node,
  context: Context,
  compile: Compile,
): Code {
  if (args.length !== OPTIONAL[name]) {
    throw fault(`${name}() takes ${OPTIONAL[name] === 1 ? "1 argument" : "no argument"}.`, node);
  }
  const code = compile(receiver, context);
  expectKind(code, ["optional"], `${name}() follows an optional access such as a.?b, and`, receiver);
  const other = args[0] ? compile(args[0], context) : undefined;
  return {
    kind: name === "hasValue" ? "bool" : name === "or" ? "optional" : "dyn",
    json: name === "hasValue",
    weight: code.weight + (other?.weight ?? 0) + 1,
    run(e) {
      const value = code.run(e);
      if (!(value instanceof Optional)) throw wrongKind(`${name}()`, ["optional"], value);
      if (name === "hasValue") return value.value !== undefined;
      if (value.value !== undefined) return name === "or" ? value : value.value;
      if (other) return other.run(e);
      throw new EvaluationError("value() is called on an optional that has none; orValue(…) gives a default");
    },
  };
}
