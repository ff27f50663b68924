import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod/v4";

/**
 * A shape as clients see it. Converted once: every request builds a server anew, and would convert the shapes of all tools with it.
 * `checks`: whether the library is to hold values against it.
 */
export function shownSchema(
  shape: z.ZodObject,
  { io, checks }: { io: "input" | "output"; checks: boolean },
): StandardSchemaWithJSON {
  const json = readable(z.toJSONSchema(shape, { target: "draft-2020-12", io })) as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "pawl",
      validate: checks ? shape["~standard"].validate : (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

/** Without what costs a model's attention and says nothing: the pattern of a UUID beside its format, and a schema that takes anything. */
function readable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(readable);
  if (typeof schema !== "object" || schema === null) return schema;
  const isUuid = "format" in schema && schema.format === "uuid";
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !(isUuid && keyword === "pattern"))
      .map(([keyword, value]) => [
        keyword,
        keyword === "additionalProperties" && isEmpty(value) ? true : readable(value),
      ]),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
