import { isMap, isNode, isPair, isScalar, isSeq, type Node, parseDocument } from "yaml";

/** A job as text, read as far as it can be: what is wrong in it is in `errors`. */
export function read(text: string) {
  return parseDocument(text, { version: "1.2", schema: "core", uniqueKeys: false, keepSourceTokens: false });
}

export type JobDocument = ReturnType<typeof read>;

export interface Range {
  from: number;
  to: number;
}

/** Where in the text a JSON pointer leads: to the value, to the key of what is missing below it, or as near as there is. */
export function rangeOf(document: JobDocument, pointer: string): Range {
  let node: unknown = document.contents;
  let range: Range = { from: 0, to: 0 };
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
      if (!pair) return range;
      range = spanOf(pair.key as Node) ?? range;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      // A whole step underlined says less than its first line.
      range = firstOf(node) ?? range;
    } else {
      return range;
    }
  }
  return isScalar(node) ? (spanOf(node) ?? range) : range;
}

function firstOf(node: unknown): Range | undefined {
  const first = isMap(node) ? node.items[0] : undefined;
  if (first && isPair(first)) return spanOf(first.key as Node);
  return isNode(node) ? spanOf(node) : undefined;
}

function spanOf(node: Node | null): Range | undefined {
  return node?.range ? { from: node.range[0], to: node.range[1] } : undefined;
}

/** The number of the step that this place in the text is in. */
export function stepAt(document: JobDocument, position: number): number | undefined {
  const steps = document.get("steps", true);
  if (!isSeq(steps)) return undefined;
  const found = steps.items.findLastIndex((item) => isNode(item) && item.range && item.range[0] <= position);
  if (found === -1 || position > (steps.range?.[2] ?? 0)) return undefined;
  return found;
}

/** Where a cursor is: the names that lead to it (`*` for an item of a list), and whether a name or a value goes there. */
export interface Spot {
  path: string[];
  at: "key" | "value";
  /** What stands there already, up to the cursor. */
  typed: string;
}

interface Shape {
  /** Columns of the dashes before the content. */
  dashes: number[];
  column: number;
  content: string;
}

/** Told from the lines alone, since what is being written is rarely YAML as it stands. */
export function spotAt(before: string): Spot | undefined {
  const lines = before.split("\n");
  const last = shapeOf(lines.pop()!);
  if (last.content.startsWith("#")) return undefined;
  const value = /^([\w-]+):\s+(.*)$/.exec(last.content);
  const path = [...parentsOf(lines, last)];
  if (value) return { path: [...path, value[1]!], at: "value", typed: value[2]! };
  if (/^[\w-]*$/.test(last.content)) return { path, at: "key", typed: last.content };
  return undefined;
}

function shapeOf(line: string): Shape {
  const dashes: number[] = [];
  let column = /^ */.exec(line)![0].length;
  while (line[column] === "-" && (line[column + 1] === " " || column + 1 === line.length)) {
    dashes.push(column);
    column++;
    while (line[column] === " ") column++;
  }
  return { dashes, column, content: line.slice(column) };
}

function parentsOf(above: string[], { dashes, column }: Shape): string[] {
  const path = dashes.map(() => "*");
  // What encloses it begins further left; a list may begin at the very column of its name.
  let level = dashes[0] ?? column;
  let inList = dashes.length > 0;
  for (let i = above.length - 1; i >= 0 && (level > 0 || inList); i--) {
    const shape = shapeOf(above[i]!);
    if (shape.content === "" || shape.content.startsWith("#")) continue;
    const [dash] = shape.dashes;
    if (!inList && shape.column === level && dash !== undefined) {
      path.unshift(...shape.dashes.map(() => "*"));
      level = dash;
      inList = true;
      continue;
    }
    const encloses = shape.column < level || (inList && dash === undefined && shape.column === level);
    if (!encloses) continue;
    const key = /^([\w-]+):/.exec(shape.content)?.[1];
    if (key === undefined) return path;
    path.unshift(...shape.dashes.map(() => "*"), key);
    level = dash ?? shape.column;
    inList = dash !== undefined;
  }
  return path;
}
