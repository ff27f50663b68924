import { sql } from "kysely";
import type pg from "pg";
import type { DatasetColumn } from "../../contract/dataset.ts";
import type { FieldMap } from "../../db/filter.ts";
import { namedFields, namedStore } from "../named-store.ts";
import type { HoldingRow } from "../take-over.ts";

export interface DatasetRecord extends HoldingRow {
  columns: DatasetColumn[];
  rowCount: number;
  /** Characters of all cells. */
  size: number;
}

/** What `POST /dataset/search` may filter and sort by. */
export const datasetFields: FieldMap = {
  ...namedFields,
  rowCount: { kind: "number", column: sql`row_count` },
  size: { kind: "number", column: sql`size` },
};
export const datasetTexts = [datasetFields.name!, datasetFields.description!];

export type DatasetStore = ReturnType<typeof datasetStore>;

export function datasetStore(pool: pg.Pool) {
  return {
    ...namedStore<DatasetRecord>(
      pool,
      "dataset",
      'columns, row_count as "rowCount", size, content_id::text as "contentId"',
    ),

    /** False: there is one of this name by now. */
    async insert(client: pg.PoolClient, row: DatasetRecord): Promise<boolean> {
      const { rowCount } = await client.query(
        `insert into dataset (id, name, description, columns, row_count, size, content_id, version,
           created_at, created_by, updated_at, updated_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $9, $10) on conflict (name) do nothing`,
        values(row),
      );
      return rowCount === 1;
    },

    async update(client: pg.PoolClient, row: DatasetRecord): Promise<void> {
      await client.query(
        `update dataset set name = $2, description = $3, columns = $4, row_count = $5, size = $6, content_id = $7,
           version = $8, updated_at = $9, updated_by = $10 where id = $1`,
        values(row),
      );
    },
  };
}

function values(row: DatasetRecord): unknown[] {
  const { id, name, description, columns, rowCount, size, contentId, version, updatedAt, updatedBy } = row;
  const texts = [id, name, description, JSON.stringify(columns)];
  return [...texts, rowCount, size, contentId, version, updatedAt, updatedBy];
}
