import { type Code, type Context, expectKind, fault, textOf } from "./code.ts";
import { EvaluationError } from "./fault.ts";
import type { Node } from "./parse.ts";
import { type Kind, kindOf, nounOf, Optional, type Plain } from "./values.ts";

/** Answered by `find` when there is no such key; undefined could be a value's. */
const MISSING = Symbol("missing");

/** The item at a key or an index; own properties only. */
function find(value: unknown, key: unknown): unknown {
  switch (kindOf(value)) {
    case "map": {
      const name = typeof key === "number" ? String(key) : key;
      if (typeof name !== "string" || !Object.hasOwn(value as Plain, name)) return MISSING;
      const item = (value as Plain)[name];
      return item === undefined ? MISSING : item;
    }
    case "list": {
      const item = typeof key === "number" && Number.isInteger(key) ? (value as unknown[])[key] : undefined;
      return item === undefined ? MISSING : item;
    }
    default:
      return MISSING;
  }
}

function missing(value: unknown, key: unknown, text: string): EvaluationError {
  const kind = kindOf(value);
  const name = typeof key === "string" ? `"${key.slice(0, 64)}"` : String(key);
  if (kind === "list" && typeof key === "number") {
    return new EvaluationError(
      `${text} has ${(value as unknown[]).length} items, and item ${key} is asked for (the first is 0)`,
    );
  }
  if (kind === "list")
    return new EvaluationError(`${text} is a list: ask for an item by its number, not ${name}`);
  if (kind !== "map") return new EvaluationError(`${text} is ${nounOf(kind)}, which has no ${name}`);
  return new EvaluationError(`${text} has no ${name}`);
}

const HOLDERS: readonly Kind[] = ["map", "list", "optional"];

/** `a.b`, `a["b"]`, `a[0]`, and with `?` the optional forms of them. */
export function access(
  receiver: Code,
  key: Code | string,
  optional: boolean,
  node: Node,
  context: Context,
): Code {
  expectKind(receiver, HOLDERS, "Access with . or []", node);
  if (typeof key !== "string") expectKind(key, ["string", "number"], "[]", node);
  const text = textOf(Array.isArray(node.args) ? (node.args[0] as Node) : node, context);
  const reference = extend(receiver, key);
  const fixed = typeof key === "string" ? key : undefined;
  const computed = typeof key === "string" ? undefined : key;
  const weight = receiver.weight + (computed?.weight ?? 0) + 1;

  return {
    kind: optional || receiver.kind === "optional" ? "optional" : "dyn",
    json: receiver.json && !optional,
    weight,
    reference,
    run(e) {
      const holder = receiver.run(e);
      const name = computed === undefined ? fixed : computed.run(e);
      // The usual case, kept short: a key of an object.
      if (!optional && computed === undefined && typeof holder === "object" && holder !== null) {
        if (Object.hasOwn(holder, fixed!) && !Array.isArray(holder) && !(holder instanceof Optional)) {
          const item = (holder as Plain)[fixed!];
          if (item !== undefined) return item;
        }
      }
      if (optional || holder instanceof Optional) {
        const inner = holder instanceof Optional ? holder.value : holder;
        const item = inner === undefined ? MISSING : find(inner, name);
        return item === MISSING ? Optional.none : new Optional(item);
      }
      const item = find(holder, name);
      if (item === MISSING) throw missing(holder, name, text);
      return item;
    },
  };
}

/** Lets the reference that the receiver is grow by a key that is known. */
function extend(receiver: Code, key: Code | string): Reference | undefined {
  const reference = receiver.reference;
  if (!reference) return undefined;
  const known = typeof key === "string" ? key : literalKey(key);
  if (known === undefined) {
    reference.open = true;
    return undefined;
  }
  reference.keys.push(known);
  return reference;
}

type Reference = NonNullable<Code["reference"]>;

const literals = new WeakMap<Code, string>();

/** Remembers that a code is a literal, so that `steps["x"]` counts as `steps.x`. */
export function noteLiteral(code: Code, value: unknown): Code {
  if (typeof value === "string" || typeof value === "number") literals.set(code, String(value));
  return code;
}

export function literalKey(code: Code): string | undefined {
  return literals.get(code);
}

/** `has(a.b.c)`: whether it is there. False, and no error, when something on the way is missing. */
export function has(args: readonly Node[], compileNode: (node: Node) => Code, node: Node): Code {
  const [target] = args;
  if (args.length !== 1 || !target || ![".", ".?", "[]"].includes(target.op)) {
    throw fault("has() takes one access, such as has(params.day).", node);
  }
  const parts: { key: Code | string }[] = [];
  let inner = target;
  while (inner.op === "." || inner.op === ".?" || inner.op === "[]" || inner.op === "[?]") {
    const [receiver, key] = inner.args;
    parts.unshift({ key: typeof key === "string" ? key : compileNode(key) });
    inner = receiver;
  }
  const root = compileNode(inner);
  for (const { key } of parts) if (root.reference && !root.reference.open) extend(root, key);
  return {
    kind: "bool",
    json: true,
    weight: root.weight + parts.length,
    run(e) {
      let value = root.run(e);
      for (const { key } of parts) {
        if (value instanceof Optional) value = value.value;
        value = find(value, typeof key === "string" ? key : key.run(e));
        if (value === MISSING) return false;
      }
      return true;
    },
  };
}
