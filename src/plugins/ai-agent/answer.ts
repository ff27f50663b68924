import { compileParameters, type ReadParameters } from "../../lib/json-schema/parameters.ts";

/** The shape that the last answer has to have. */
export interface Shape {
  /** For the model: what it is to do. */
  instructions: string;
  /** The answer as data, or what is wrong with it, in words for the model. */
  read(text: string): { object: Record<string, unknown> } | { fault: string };
}

export function shapeOf(schema: Record<string, unknown>): Shape {
  let read: ReadParameters | undefined;
  return {
    instructions: `Your last answer must be a single JSON object and nothing else: no words around it. It must fit this JSON Schema:\n${JSON.stringify(schema)}`,
    read(text) {
      const given = parsed(text);
      if (given === undefined) return { fault: "It is not a JSON object." };
      read ??= compileParameters(schema, { whose: "the schema" });
      const { value, faults } = read(given);
      if (faults.length === 0) return { object: value };
      return { fault: faults.map(({ path, message }) => `${path || "It"} ${message}`).join(" ") };
    },
  };
}

/** Models like to put it into a fence. */
function parsed(text: string): Record<string, unknown> | undefined {
  const [, fenced] = /^\s*```(?:json)?\s*\n(.*)\n```\s*$/s.exec(text) ?? [];
  try {
    const value: unknown = JSON.parse(fenced ?? text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
