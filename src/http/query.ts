import type { TSchema } from "typebox";
import type { FaultDetail } from "../contract/errors.ts";
import { didYouMean } from "../lib/did-you-mean.ts";

type Convert = (text: string) => unknown;

/**
 * Compiles the reading of a query string or of path parameters: strings become the numbers and booleans that the schema
 * asks for (what doesn't convert stays as it is and is refused by the schema), and unknown names are faults.
 */
export function compileStrings(schema: TSchema | undefined, where: "query" | "params") {
  const properties = (schema as { properties?: Record<string, Node> } | undefined)?.properties ?? {};
  const known = new Map(Object.entries(properties).map(([name, node]) => [name, reader(node)]));

  return (
    given: Readonly<Record<string, unknown>>,
  ): { value: Record<string, unknown>; faults: FaultDetail[] } => {
    const value: Record<string, unknown> = {};
    const faults: FaultDetail[] = [];
    for (const name in given) {
      const path = `${where}/${escaped(name)}`;
      const read = known.get(name);
      if (read === undefined) {
        faults.push({
          path,
          message: `is not a parameter of this request.${didYouMean(name, known.keys())}`,
        });
        continue;
      }
      const raw = given[name];
      if (hasBadText(raw)) faults.push({ path, message: "contains a character that can't be kept." });
      else if (Array.isArray(raw) && !read.repeatable) faults.push({ path, message: "must be given once." });
      else if (read.repeatable)
        value[name] = (Array.isArray(raw) ? raw : [raw]).map((text) => read.convert(String(text)));
      else value[name] = read.convert(String(raw));
    }
    return { value, faults };
  };
}

interface Node {
  type?: string;
  items?: Node;
}

function reader(node: Node): { convert: Convert; repeatable: boolean } {
  if (node.type === "array") return { convert: converter(node.items?.type), repeatable: true };
  return { convert: converter(node.type), repeatable: false };
}

function converter(type: string | undefined): Convert {
  if (type === "integer") return (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);
  if (type === "number") return (text) => (/^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text);
  if (type === "boolean") return (text) => (text === "true" ? true : text === "false" ? false : text);
  return (text) => text;
}

function hasBadText(raw: unknown): boolean {
  if (Array.isArray(raw)) return raw.some(hasBadText);
  return typeof raw === "string" && (raw.includes("\0") || !raw.isWellFormed());
}

function escaped(name: string): string {
  return name.toWellFormed().replaceAll("\0", "\u2400").replaceAll("~", "~0").replaceAll("/", "~1");
}
