import { type RawBuilder, type SqlBool, sql } from "kysely";
import type pg from "pg";
import type { JobLimits } from "../contract/identity.ts";
import type { CompiledFilter, FieldMap } from "../db/filter.ts";
import { createKysely } from "../db/pool.ts";
import { inTransaction } from "../db/transaction.ts";
import { deleteCollectionItem, moveItems, writeCollectionItem } from "./item-store.ts";
import { limitValues, seenCollections, within, withinLimits } from "./limits-store.ts";
import type { Found } from "./search-store.ts";

/** What `POST /collection/search` may filter and sort by. */
export const collectionFields: FieldMap = {
  id: { kind: "id", column: sql`collection.id` },
  name: { kind: "string", column: sql`collection.name` },
  description: { kind: "string", column: sql`collection.description` },
  category: { kind: "string", column: sql`collection.category` },
  tags: { kind: "strings", column: sql`collection.tags` },
  createdAt: { kind: "date", column: sql`collection.created_at` },
  createdBy: { kind: "string", column: sql`collection.created_by` },
  updatedAt: { kind: "date", column: sql`collection.updated_at` },
  updatedBy: { kind: "string", column: sql`collection.updated_by` },
};
export const collectionSearch = [collectionFields.name!, collectionFields.description!];

export interface CollectionRow {
  id: string;
  name: string;
  description: string;
  category: string;
  tags: string[];
  jobCount: number;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
}

/** What is written of a collection. */
export interface CollectionTexts {
  id: string;
  name: string;
  description: string;
  category: string;
  tags: string[];
  by: string;
  at: Date;
}

export type CollectionStore = ReturnType<typeof collectionStore>;

const columns = `collection.id::text, collection.name, collection.description, collection.category, collection.tags,
  collection.created_at as "createdAt", collection.created_by as "createdBy", collection.updated_at as "updatedAt",
  collection.updated_by as "updatedBy"`;

export function collectionStore(pool: pg.Pool) {
  const db = createKysely(pool);

  return {
    transaction: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => inTransaction(pool, work),

    async find(id: string, limits: JobLimits | null): Promise<CollectionRow | undefined> {
      const { rows } = await pool.query<CollectionRow>(
        `select ${columns}, (select count(*) from job where collection_id = $1 and deleted_at is null and ${within(2)}) as "jobCount"
         from collection where id = $1 and (${seenCollections(2)})`,
        [id, ...limitValues(limits)],
      );
      return rows[0];
    },

    async search(filter: CompiledFilter, limits: JobLimits | null): Promise<Found<CollectionRow>> {
      const where = sql<SqlBool>`${seen(limits)} and ${filter.where}`;
      const jobCount = sql`(select count(*) from job where job.collection_id = collection.id and job.deleted_at is null
        and ${withinLimits(limits)})`;
      const [found, count] = await Promise.all([
        // Counted for the rows of the page only.
        sql<CollectionRow>`select ${sql.raw(columns)}, ${jobCount} as "jobCount" from (
          select * from collection where ${where}
          order by ${filter.orderBy} limit ${filter.limit} offset ${filter.offset}) collection
          order by ${filter.orderBy}`.execute(db),
        sql<{ total: number }>`select count(*) as total from collection where ${where}`.execute(db),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },

    /** Those of these ids that are within the limits, unchanged by others until the transaction ends. */
    async lock(client: pg.PoolClient, ids: string[], limits: JobLimits | null): Promise<string[]> {
      const { rows } = await client.query<{ id: string }>(
        `select id::text from collection where id = any($1::uuid[]) and (${seenCollections(2)}) order by id for update`,
        [ids, ...limitValues(limits)],
      );
      return rows.map(({ id }) => id);
    },

    async insert(client: pg.PoolClient, made: CollectionTexts): Promise<void> {
      const { id, name, description, category, tags, at, by } = made;
      await client.query(
        `insert into collection (id, name, description, category, tags, created_at, created_by, updated_at, updated_by)
         values ($1, $2, $3, $4, $5, $6, $7, $6, $7)`,
        [id, name, description, category, tags, at, by],
      );
      await writeCollectionItem(client, made);
    },

    async update(client: pg.PoolClient, made: CollectionTexts): Promise<void> {
      const { id, name, description, category, tags, at, by } = made;
      await client.query(
        `update collection set name = $2, description = $3, category = $4, tags = $5, updated_at = $6, updated_by = $7
         where id = $1`,
        [id, name, description, category, tags, at, by],
      );
      await writeCollectionItem(client, made);
    },

    /** Jobs in it, and those of them that only the collection puts within the limits. */
    async countJobs(client: pg.PoolClient, id: string, limits: JobLimits | null) {
      const { rows } = await client.query<{ jobs: number; bound: number }>(
        `select count(*) as jobs, count(*) filter (where not ($2::boolean or job.id = any($3::uuid[]) or job.tags && $4::text[])) as bound
         from job where collection_id = $1 and deleted_at is null`,
        [id, limits === null, limits?.ids ?? [], limits?.tags ?? []],
      );
      return rows[0]!;
    },

    /** Answers the jobs that it moved. Deleted ones move too: they keep the rights of their executions. */
    async remove(
      client: pg.PoolClient,
      id: string,
      target: string | null,
      by: string,
      at: Date,
    ): Promise<string[]> {
      const { rows } = await client.query<{ id: string }>(
        "update job set collection_id = $2, updated_at = $3, updated_by = $4 where collection_id = $1 returning id::text",
        [id, target, at, by],
      );
      const moved = rows.map((row) => row.id);
      await moveItems(client, moved, target, at);
      await deleteCollectionItem(client, id);
      await client.query("delete from collection where id = $1", [id]);
      return moved;
    },
  };
}

function seen(limits: JobLimits | null): RawBuilder<SqlBool> {
  if (limits === null) return sql<SqlBool>`true`;
  return sql<SqlBool>`(collection.id = any(${limits.collections ?? []}::uuid[]) or collection.id in
    (select job.collection_id from job where job.deleted_at is null and ${withinLimits(limits)}))`;
}
