import type { RJSFSchema, UiSchema } from "@rjsf/utils";

/** How the fields of a schema are shown: what JSON Schema says little about. */
export function uiSchemaOf(schema: RJSFSchema, depth = 0): UiSchema {
  if (schema.secret === true) return { "ui:widget": "password", "ui:options": { autocomplete: "off" } };
  if (isAnything(schema)) return { "ui:field": "json" };
  if (schema.type === "string" && isLong(schema))
    return { "ui:widget": "textarea", "ui:options": { rows: 3 } };
  if (depth > 6) return {};
  const ui: UiSchema = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (typeof property === "object") ui[name] = uiSchemaOf(property as RJSFSchema, depth + 1);
  }
  if (typeof schema.items === "object" && !Array.isArray(schema.items)) {
    ui.items = { ...uiSchemaOf(schema.items as RJSFSchema, depth + 1), "ui:title": "" };
  }
  return ui;
}

/** Without a type to show a field for: it is written as JSON. */
function isAnything(schema: RJSFSchema): boolean {
  const {
    type,
    properties,
    additionalProperties,
    patternProperties,
    enum: values,
    anyOf,
    oneOf,
    allOf,
    $ref,
    items,
  } = schema;
  if (values || anyOf || oneOf || allOf || $ref || "const" in schema) return false;
  if (type === undefined) return properties === undefined;
  if (Array.isArray(type)) return type.filter((one) => one !== "null").length > 1;
  if (type === "object")
    return (
      !properties &&
      (additionalProperties === undefined || additionalProperties === true || patternProperties !== undefined)
    );
  return type === "array" && items === undefined;
}

function isLong({ maxLength, format, enum: values }: RJSFSchema): boolean {
  return !values && !format && maxLength !== undefined && maxLength > 300;
}
