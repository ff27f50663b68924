import { type SqlBool, sql } from "kysely";
import type pg from "pg";
import type { JobLimits } from "../contract/identity.ts";
import type { CompiledFilter, FieldMap } from "../db/filter.ts";
import { createKysely } from "../db/pool.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Definition } from "./definition.ts";
import { deleteJobItems, moveItems, writeJobItems } from "./item-store.ts";
import { limitValues, seenCollections, within, withinLimits } from "./limits-store.ts";
import type { JobRow, VersionRow } from "./present.ts";

/** What `POST /jobs/search` may filter and sort by. */
export const jobFields: FieldMap = {
  id: { kind: "id", column: sql`job.id` },
  name: { kind: "string", column: sql`job.name` },
  description: { kind: "string", column: sql`job.description` },
  category: { kind: "string", column: sql`job.category` },
  tags: { kind: "strings", column: sql`job.tags` },
  collectionId: { kind: "id", column: sql`job.collection_id` },
  version: { kind: "number", column: sql`job.version` },
  createdAt: { kind: "date", column: sql`job.created_at` },
  createdBy: { kind: "string", column: sql`job.created_by` },
  updatedAt: { kind: "date", column: sql`job.updated_at` },
  updatedBy: { kind: "string", column: sql`job.updated_by` },
};
export const jobSearch = [jobFields.name!, jobFields.description!];

const columns = `job.id::text, job.version, job.tags, job.collection_id::text as "collectionId",
  job.created_at as "createdAt", job.created_by as "createdBy", job.updated_at as "updatedAt", job.updated_by as "updatedBy",
  definition`;
const current = "job join job_version on job_id = id and job_version.version = job.version";

/** A change of a job, to be written with its version. */
export interface NewVersion {
  definition: Definition;
  version: number;
  collectionId: string | null;
  by: string;
  at: Date;
  restoredFrom?: number;
}

/** All that this part reads and writes. Limits of a principal are conditions of the queries: what lies outside is not found. */
export type JobStore = ReturnType<typeof jobStore>;

export function jobStore(pool: pg.Pool) {
  const db = createKysely(pool);
  const one = async (client: pg.Pool | pg.PoolClient, text: string, values: unknown[]) =>
    (await client.query<JobRow>(text, values)).rows[0];

  return {
    transaction: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => inTransaction(pool, work),

    find(id: string, limits: JobLimits | null): Promise<JobRow | undefined> {
      const text = `select ${columns} from ${current} where id = $1 and deleted_at is null and ${within(2)}`;
      return one(pool, text, [id, ...limitValues(limits)]);
    },

    /** The job, no longer changed by others until the transaction ends. */
    lock(client: pg.PoolClient, id: string, limits: JobLimits | null): Promise<JobRow | undefined> {
      // First the row alone: joined, the wait for the lock would end with the version of before.
      const lock = `select from job where id = $1 and deleted_at is null and ${within(2)} for update`;
      const text = `select ${columns} from ${current} where id = $1`;
      return client
        .query(lock, [id, ...limitValues(limits)])
        .then(({ rowCount }) => (rowCount === 0 ? undefined : one(client, text, [id])));
    },

    /** Of any principal: a name is taken for all. */
    async findIdByName(name: string): Promise<string | undefined> {
      const text = "select id::text from job where name = $1 and deleted_at is null";
      return (await pool.query<{ id: string }>(text, [name])).rows[0]?.id;
    },

    async insert(client: pg.PoolClient, id: string, made: NewVersion): Promise<void> {
      const { name, description = "", category = "", tags = [], mcp } = made.definition;
      await client.query(
        `insert into job (id, name, description, category, tags, collection_id, version, created_at, created_by, updated_at,
           updated_by, mcp_exposed)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8, $9, $10)`,
        [
          id,
          name,
          description,
          category,
          tags,
          made.collectionId,
          made.version,
          made.at,
          made.by,
          mcp?.exposed ?? true,
        ],
      );
      await writeVersion(client, id, made);
    },

    async update(client: pg.PoolClient, id: string, made: NewVersion): Promise<void> {
      const { name, description = "", category = "", tags = [], mcp } = made.definition;
      await client.query(
        `update job set name = $2, description = $3, category = $4, tags = $5, collection_id = $6, version = $7, updated_at = $8,
           updated_by = $9, mcp_exposed = $10
         where id = $1`,
        [
          id,
          name,
          description,
          category,
          tags,
          made.collectionId,
          made.version,
          made.at,
          made.by,
          mcp?.exposed ?? true,
        ],
      );
      await writeVersion(client, id, made);
    },

    /** To another collection, or out of any: no new version. */
    async move(client: pg.PoolClient, id: string, collectionId: string | null, by: string, at: Date) {
      const text = "update job set collection_id = $2, updated_at = $3, updated_by = $4 where id = $1";
      await client.query(text, [id, collectionId, at, by]);
      await moveItems(client, [id], collectionId, at);
    },

    /** Whether the collection is there and within the limits; nobody deletes it before the transaction ends. */
    async keepCollection(client: pg.PoolClient, id: string, limits: JobLimits | null): Promise<boolean> {
      const { rowCount } = await client.query(
        `select from collection where id = $1 and (${seenCollections(2)}) for key share`,
        [id, ...limitValues(limits)],
      );
      return rowCount !== 0;
    },

    /** The row stays, for the names and the rights of its executions. */
    async remove(client: pg.PoolClient, id: string, by: string, at: Date): Promise<void> {
      const text = "update job set deleted_at = $3, updated_at = $3, updated_by = $2 where id = $1";
      await client.query(text, [id, by, at]);
      await deleteJobItems(client, id);
    },

    async findDefinition(id: string, version: number): Promise<Definition | undefined> {
      const text = "select definition from job_version where job_id = $1 and version = $2";
      return (await pool.query<{ definition: Definition }>(text, [id, version])).rows[0]?.definition;
    },

    async findVersions(id: string, page: number, size: number): Promise<VersionRow[]> {
      const { rows } = await pool.query<VersionRow>(
        `select v.version, v.version = job.version as current, v.created_at as "createdAt", v.created_by as "createdBy",
           v.restored_from as "restoredFrom", v.definition
         from job_version v join job on job.id = v.job_id where job_id = $1 order by v.version desc limit $2 offset $3`,
        [id, size, page * size],
      );
      return rows;
    },

    async search(
      { where, orderBy, limit, offset }: CompiledFilter,
      limits: JobLimits | null,
      exposedOnly = false,
    ): Promise<{ rows: JobRow[]; total: number }> {
      const exposed = exposedOnly ? sql<SqlBool>`job.mcp_exposed` : sql<SqlBool>`true`;
      const visible = sql<SqlBool>`job.deleted_at is null and ${exposed} and ${withinLimits(limits)} and ${where}`;
      const [found, count] = await Promise.all([
        sql<JobRow>`select ${sql.raw(columns)} from ${sql.raw(current)} where ${visible}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(db),
        sql<{ total: number }>`select count(*) as total from job where ${visible}`.execute(db),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },
  };
}

async function writeVersion(client: pg.PoolClient, id: string, made: NewVersion): Promise<void> {
  const { definition, version, at, by, restoredFrom = null } = made;
  await client.query(
    `insert into job_version (job_id, version, definition, created_at, created_by, restored_from)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, version, JSON.stringify(definition), at, by, restoredFrom],
  );
  const { name, description = "", category = "", tags = [], steps } = definition;
  await writeJobItems(client, {
    id,
    name,
    description,
    category,
    tags,
    collectionId: made.collectionId,
    steps,
    at,
  });
}
