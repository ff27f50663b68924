import { createHash } from "node:crypto";

/** A tool as its server gives it. */
export interface RawTool {
  name: string;
  title?: unknown;
  description?: unknown;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
}

/**
 * SHA-256 of all of a tool that a model or a person goes by, the order of keys apart. A server that changes one word of a
 * description after it was looked at gives another hash.
 */
export function hashTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: RawTool): string {
  const seen = [name, title, description, inputSchema, outputSchema, annotations].map(ordered);
  return createHash("sha256").update(JSON.stringify(seen)).digest("hex");
}

function ordered(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, ordered((value as Record<string, unknown>)[key])]);
}
