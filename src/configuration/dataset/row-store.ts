import { type RawBuilder, type SqlBool, sql } from "kysely";
import type pg from "pg";
import type { ColumnType, DatasetColumn } from "../../contract/dataset.ts";
import type { CompiledFilter, FieldMap } from "../../db/filter.ts";
import type { Field, Text } from "../../db/filter-sql.ts";
import { createKysely } from "../../db/pool.ts";
import type { Found } from "../search.ts";
import type { Cell } from "./cell.ts";
import { rowNumber } from "./columns.ts";

export interface RowOfCells {
  n: number;
  cells: Cell[];
}

export type RowStore = ReturnType<typeof rowStore>;

export function rowStore(pool: pg.Pool) {
  const db = createKysely(pool);

  return {
    /** @param first the number of the first of them */
    async write(
      contentId: string,
      first: number,
      rows: readonly Cell[][],
      client: pg.Pool | pg.PoolClient = pool,
    ) {
      await client.query({
        name: "dataset_write",
        text: `insert into dataset_row (content_id, n, cells)
          select $1, $2::integer + place - 1, array(select json_array_elements_text(cells))
          from json_array_elements($3::json) with ordinality as given (cells, place)`,
        values: [contentId, first, JSON.stringify(rows)],
      });
    },

    /** Rows after a number, in order: as many as there are up to the limit. */
    async readOn(contentId: string, after: number, limit: number): Promise<RowOfCells[]> {
      const { rows } = await pool.query<RowOfCells>({
        name: "dataset_read_on",
        text: "select n, cells from dataset_row where content_id = $1 and n > $2 order by n limit $3",
        values: [contentId, after, limit],
      });
      return rows;
    },

    async search(contentId: string, filter: CompiledFilter): Promise<Found<RowOfCells>> {
      const where = sql<SqlBool>`content_id = ${contentId} and ${filter.where}`;
      const [found, count] = await Promise.all([
        sql<RowOfCells>`select n, cells from dataset_row where ${where}
          order by ${filter.orderBy} limit ${filter.limit} offset ${filter.offset}`.execute(db),
        sql<{ total: number }>`select count(*) as total from dataset_row where ${where}`.execute(db),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },
  };
}

/** What the rows of a dataset may be filtered and sorted by, and where searchText is looked for. */
export function rowFields(
  contentId: string,
  columns: readonly DatasetColumn[],
): { fields: FieldMap; texts: Text[] } {
  const fields: Record<string, Field> = {};
  for (const [i, { name, type }] of columns.entries()) fields[name] = fieldOf(type, cellOf(contentId, i));
  fields[rowNumber] = { kind: "number", column: sql`n` };
  const texts = columns.filter(({ type }) => type === "string").map(({ name }) => fields[name]!);
  return { fields, texts };
}

/** The order that rows have when all else is equal. */
export const rowTie = sql`n`;

/** A cell, and null for the rows of other datasets: PostgreSQL may look at those first, and what they hold is no number. */
function cellOf(contentId: string, index: number): RawBuilder<unknown> {
  return sql`(case when content_id = ${contentId}::uuid then cells[${sql.raw(String(index + 1))}] end)`;
}

function fieldOf(type: ColumnType, cell: RawBuilder<unknown>): Field {
  switch (type) {
    case "integer":
    case "number":
      return { kind: "number", column: sql`${cell}::float8` };
    case "boolean":
      return { kind: "boolean", column: sql`${cell}::boolean` };
    case "date":
      return { kind: "date", column: sql`(btrim(${cell}, E' \\t') || 'T00:00:00Z')::timestamptz` };
    case "timestamp":
      return { kind: "date", column: sql`${cell}::timestamptz` };
    default:
      return { kind: "string", column: cell };
  }
}
