import { sql } from "kysely";
import type pg from "pg";
import type { ApiTemplate } from "../../contract/api-template.ts";
import type { FieldMap } from "../../db/filter.ts";
import { type NamedRow, namedFields, namedStore } from "../named-store.ts";

export interface ApiTemplateRow extends NamedRow {
  category: string;
  connectionType: ApiTemplate["connectionType"];
  method: ApiTemplate["method"];
  path: string;
  definition: Pick<ApiTemplate, "headers" | "query" | "body" | "parameters">;
}

/** What `POST /api/search` may filter and sort by. */
export const apiTemplateFields: FieldMap = {
  ...namedFields,
  category: { kind: "string", column: sql`category` },
  connectionType: { kind: "string", column: sql`connection_type` },
  method: { kind: "string", column: sql`method` },
  path: { kind: "string", column: sql`path` },
};
export const apiTemplateTexts = [apiTemplateFields.name!, apiTemplateFields.description!];

export type ApiTemplateStore = ReturnType<typeof apiTemplateStore>;

export function apiTemplateStore(pool: pg.Pool) {
  return {
    ...namedStore<ApiTemplateRow>(
      pool,
      "api_template",
      'category, connection_type as "connectionType", method, path, definition',
    ),

    /** False: there is one of this name by now. */
    async insert(client: pg.PoolClient, row: ApiTemplateRow): Promise<boolean> {
      const { rowCount } = await client.query(
        `insert into api_template (id, name, description, category, connection_type, method, path, definition, version,
           created_at, created_by, updated_at, updated_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $10, $11) on conflict (name) do nothing`,
        values(row),
      );
      return rowCount === 1;
    },

    async update(client: pg.PoolClient, row: ApiTemplateRow): Promise<void> {
      await client.query(
        `update api_template set name = $2, description = $3, category = $4, connection_type = $5, method = $6,
           path = $7, definition = $8, version = $9, updated_at = $10, updated_by = $11 where id = $1`,
        values(row),
      );
    },
  };
}

function values(row: ApiTemplateRow): unknown[] {
  const { id, name, description, category, connectionType, method, path, definition } = row;
  const { version, updatedAt, updatedBy } = row;
  return [
    ...[id, name, description, category, connectionType, method, path, JSON.stringify(definition)],
    ...[version, updatedAt, updatedBy],
  ];
}
