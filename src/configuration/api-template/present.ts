import type { ApiTemplate, ApiTemplateItem } from "../../contract/api-template.ts";
import type { ApiTemplateRow } from "./store.ts";

export function presentApiTemplate(row: ApiTemplateRow): ApiTemplate {
  const { headers, query, body, parameters } = row.definition;
  return { ...presentApiTemplateItem(row), headers, query, body, parameters };
}

/** Without what may be large: a page has a thousand. */
export function presentApiTemplateItem(row: ApiTemplateRow): ApiTemplateItem {
  const { id, name, description, category, connectionType, method, path } = row;
  const { version, createdAt, createdBy, updatedAt, updatedBy } = row;
  return {
    ...{ id, name, description, category, connectionType, method, path, version },
    createdAt: createdAt.toISOString(),
    createdBy,
    updatedAt: updatedAt.toISOString(),
    updatedBy,
  };
}
