import type { TSchema } from "typebox";

type Fill = (value: unknown) => void;
interface Node {
  type?: string;
  format?: string;
  default?: unknown;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
}

/**
 * Compiles what is done to a value before it is checked, in place: missing fields get their defaults, and ids lower case
 * (they are compared as strings here, and without regard to case by PostgreSQL). Null when there is nothing to do.
 */
export function compileFill(schema: TSchema): Fill | null {
  return fillOf(schema as Node);
}

function fillOf(node: Node): Fill | null {
  if (node.properties) return objectFill(node.properties);
  if (node.anyOf) {
    const fills = node.anyOf.map(fillOf).filter((fill) => fill !== null);
    return fills.length === 0 ? null : (value) => fills.forEach((fill) => void fill(value));
  }
  if (node.items) return arrayFill(node.items);
  return null;
}

function objectFill(properties: Record<string, Node>): Fill | null {
  const steps: ((object: Record<string, unknown>) => void)[] = [];
  for (const [key, node] of Object.entries(properties)) {
    const inner = fillOf(node);
    if (node.default !== undefined) {
      const fallback = node.default;
      steps.push((object) => {
        if (object[key] === undefined) object[key] = structuredCloneIfObject(fallback);
      });
    }
    if (isId(node)) {
      steps.push((object) => {
        if (object[key] !== undefined) object[key] = lowerCased(object[key]);
      });
    }
    if (inner) steps.push((object) => inner(object[key]));
  }
  if (steps.length === 0) return null;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const step of steps) step(value as Record<string, unknown>);
  };
}

function arrayFill(items: Node): Fill | null {
  const inner = fillOf(items);
  const ids = isId(items);
  if (inner === null && !ids) return null;
  return (value) => {
    if (!Array.isArray(value)) return;
    for (let i = 0; i < value.length; i++) {
      if (ids) value[i] = lowerCased(value[i]);
      inner?.(value[i]);
    }
  };
}

function isId(node: Node): boolean {
  return node.type === "string" && node.format === "uuid";
}

function lowerCased(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

function structuredCloneIfObject(value: unknown): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}
