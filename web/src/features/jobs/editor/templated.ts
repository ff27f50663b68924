import type { Values } from "./edit-text.ts";
import type { Schema } from "./vocabulary.ts";

/** The schema of a form in which an expression stands where a number or a choice would: there, a text. */
export function withExpressions(schema: Schema, values: Values): Schema {
  const { properties } = schema;
  if (!properties) return schema;
  const next = Object.entries(properties).map(([name, property]) => {
    const value = values[name];
    const isExpression = typeof value === "string" && value.includes("{{");
    if (!isExpression || property.type === "string" || property.type === undefined) {
      if (isExpression && property.enum) return [name, asText(property)];
      return [name, property];
    }
    return [name, asText(property)];
  });
  return { ...schema, properties: Object.fromEntries(next) };
}

function asText({ title, description }: Schema): Schema {
  return { type: "string", title, description };
}

export function defaultsOf({ properties = {} }: Schema): Values {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      "default" in property ? [[name, property.default]] : [],
    ),
  );
}
