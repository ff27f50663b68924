import { createHash } from "node:crypto";

export interface NamedTool {
  server: { id: string; name: string };
  tool: string;
}

const longestName = 64;

/**
 * The names that the model sees, `<server>__<tool>`: at most 64 of the characters that endpoints take, with a hash where that is too
 * long, or where several would have the same. Each has its name in whatever order they come: a try after a crash calls by names that
 * the model chose before it.
 */
export function modelNames(tools: readonly NamedTool[]): string[] {
  const plain = tools.map(plainName);
  const times = new Map<string, number>();
  for (const name of plain) times.set(name, (times.get(name) ?? 0) + 1);
  return plain.map((name, i) =>
    name.length <= longestName && times.get(name) === 1 ? name : hashed(name, tools[i]!),
  );
}

function plainName({ server, tool }: NamedTool): string {
  const slug =
    server.name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 24) || "mcp";
  return `${slug}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
}

function hashed(name: string, { server, tool }: NamedTool): string {
  const hash = createHash("sha256").update(`${server.id}\0${tool}`).digest("hex").slice(0, 8);
  return `${name.slice(0, longestName - hash.length - 1)}_${hash}`;
}
