import { type Code, type Compile, type Context, expectKind, fault, wrongKind } from "./code.ts";
import { EvaluationError } from "./fault.ts";
import type { Node } from "./parse.ts";
import { type Evaluation, kindOf, OutOfBudget, type Plain } from "./values.ts";

/** Nested this deep at most: three would take the cube of the list's length. */
export const MAX_NESTING = 2;

const ARGUMENTS: Record<string, readonly number[]> = {
  all: [2],
  exists: [2],
  exists_one: [2],
  filter: [2],
  map: [2, 3],
};

export function isComprehension(name: string): boolean {
  return Object.hasOwn(ARGUMENTS, name);
}

/** `xs.map(x, …)`, `xs.filter(x, …)`, `xs.all(x, …)` …; over a map, `x` is each key. */
export function comprehensions(
  name: string,
  receiver: Node,
  args: readonly Node[],
  node: Node,
  context: Context,
  compile: Compile,
): Code {
  const counts = ARGUMENTS[name]!;
  const variable = args[0];
  if (!counts.includes(args.length) || variable?.op !== "id") {
    throw fault(
      `${name}() takes a name and ${counts.length > 1 ? "one or two expressions" : "an expression"}: xs.${name}(x, …).`,
      node,
    );
  }
  if (context.nesting >= MAX_NESTING) {
    throw fault(`${name}() is nested deeper than ${MAX_NESTING}; use a transform or script step.`, node);
  }
  const source = compile(receiver, context);
  expectKind(source, ["list", "map"], `${name}()`, receiver);
  const inner: Context = {
    ...context,
    locals: [...context.locals, variable.args],
    nesting: context.nesting + 1,
  };
  const bodies = args.slice(1).map((arg) => compile(arg, inner));
  if (name !== "map" || bodies.length === 2)
    expectKind(bodies[0]!, ["bool"], `The condition of ${name}()`, args[1]!);
  return {
    kind: name === "map" || name === "filter" ? "list" : "bool",
    json: name === "filter" ? source.json : name !== "map",
    weight: bodies.reduce((sum, body) => sum + body.weight, source.weight + 1),
    run: runner(name, source, bodies, context.locals.length),
  };
}

function runner(name: string, source: Code, bodies: Code[], slot: number): Code["run"] {
  const weight = bodies.reduce((sum, body) => sum + body.weight, 1);
  const what = `The condition of ${name}()`;

  function holds(e: Evaluation, body: Code): boolean {
    const value = body.run(e);
    if (typeof value !== "boolean") throw wrongKind(what, ["bool"], value);
    return value;
  }

  /** The items one by one, each charged and bound to the variable. */
  function* items(e: Evaluation): Generator<unknown> {
    for (const item of itemsOf(source.run(e), name)) {
      e.charge(weight);
      e.locals[slot] = item;
      yield item;
    }
  }

  switch (name) {
    case "map":
      return (e) => {
        const result: unknown[] = [];
        const [first, second] = bodies as [Code, Code?];
        for (const _ of items(e)) {
          if (!second) result.push(first.run(e));
          else if (holds(e, first)) result.push(second.run(e));
        }
        return result;
      };
    case "filter":
      return (e) => {
        const result: unknown[] = [];
        for (const item of items(e)) if (holds(e, bodies[0]!)) result.push(item);
        return result;
      };
    case "exists_one":
      return (e) => {
        let count = 0;
        for (const _ of items(e)) if (holds(e, bodies[0]!)) count++;
        return count === 1;
      };
    default: {
      // Like && and ||, `all` and `exists` let an item that decides outweigh one that fails.
      const decides = name === "exists";
      return (e) => {
        let failure: EvaluationError | undefined;
        for (const _ of items(e)) {
          try {
            if (holds(e, bodies[0]!) === decides) return decides;
          } catch (error) {
            if (!(error instanceof EvaluationError) || error instanceof OutOfBudget) throw error;
            failure ??= error;
            e.charge(100);
          }
        }
        if (failure) throw failure;
        return !decides;
      };
    }
  }
}

function itemsOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (kindOf(value) === "map") return Object.keys(value as Plain);
  throw wrongKind(`${name}()`, ["list", "map"], value);
}
