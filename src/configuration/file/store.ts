import { sql } from "kysely";
import type pg from "pg";
import type { FieldMap } from "../../db/filter.ts";
import { type NamedRow, namedFields, namedStore } from "../named-store.ts";

export interface FileRow extends NamedRow {
  contentType: string;
  size: number;
  sha256: string;
  contentId: string;
}

/** What `POST /file/search` may filter and sort by. */
export const fileFields: FieldMap = {
  ...namedFields,
  contentType: { kind: "string", column: sql`content_type` },
  size: { kind: "number", column: sql`size` },
  sha256: { kind: "string", column: sql`sha256` },
};
export const fileTexts = [fileFields.name!, fileFields.description!];

/** Of all chunks of a file but the last. */
export const chunkBytes = 256 * 1024;

export type FileStore = ReturnType<typeof fileStore>;

export function fileStore(pool: pg.Pool) {
  return {
    ...namedStore<FileRow>(
      pool,
      "file",
      'content_type as "contentType", size, sha256, content_id::text as "contentId"',
    ),

    async writeChunk(contentId: string, n: number, bytes: Buffer): Promise<void> {
      await pool.query({
        name: "file_write_chunk",
        text: "insert into file_chunk (content_id, n, bytes) values ($1, $2, $3)",
        values: [contentId, n, bytes],
      });
    },

    /** Undefined: the content is no longer there. */
    async readChunk(contentId: string, n: number): Promise<Buffer | undefined> {
      const { rows } = await pool.query<{ bytes: Buffer }>({
        name: "file_read_chunk",
        text: "select bytes from file_chunk where content_id = $1 and n = $2",
        values: [contentId, n],
      });
      return rows[0]?.bytes;
    },

    /** False: there is one of this name by now. */
    async insert(client: pg.PoolClient, row: FileRow): Promise<boolean> {
      const { rowCount } = await client.query(
        `insert into file (id, name, description, content_type, size, sha256, content_id, version,
           created_at, created_by, updated_at, updated_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $9, $10) on conflict (name) do nothing`,
        values(row),
      );
      return rowCount === 1;
    },

    async update(client: pg.PoolClient, row: FileRow): Promise<void> {
      await client.query(
        `update file set name = $2, description = $3, content_type = $4, size = $5, sha256 = $6, content_id = $7,
           version = $8, updated_at = $9, updated_by = $10 where id = $1`,
        values(row),
      );
    },
  };
}

function values(row: FileRow): unknown[] {
  const { id, name, description, contentType, size, sha256, contentId, version, updatedAt, updatedBy } = row;
  return [id, name, description, contentType, size, sha256, contentId, version, updatedAt, updatedBy];
}
