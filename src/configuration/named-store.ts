import { type SqlBool, sql } from "kysely";
import type pg from "pg";
import type { CompiledFilter, FieldMap } from "../db/filter.ts";
import { createKysely } from "../db/pool.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Found } from "./search.ts";

/** What the records of every noun with a unique name have. */
export interface NamedRow {
  id: string;
  name: string;
  description: string;
  version: number;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
}

export type NamedStore<Row extends NamedRow> = ReturnType<typeof namedStore<Row>>;

/** By its id, or by its name. */
export type NamedKey = { id: string } | { name: string };

const common = `id::text, name, description, version, created_at as "createdAt", created_by as "createdBy",
  updated_at as "updatedAt", updated_by as "updatedBy"`;

/** The fields that all of them filter and sort by. */
export const namedFields: FieldMap = {
  id: { kind: "id", column: sql`id` },
  // The column is in order of code points, which knows no case beyond ASCII.
  name: { kind: "string", column: sql`name`, lower: sql`lower(name collate "default") collate "C"` },
  description: { kind: "string", column: sql`description` },
  version: { kind: "number", column: sql`version` },
  createdAt: { kind: "date", column: sql`created_at` },
  createdBy: { kind: "string", column: sql`created_by` },
  updatedAt: { kind: "date", column: sql`updated_at` },
  updatedBy: { kind: "string", column: sql`updated_by` },
};

/** The statements that certificates, files, datasets and API templates share. Table and columns are ours, never a user's. */
export function namedStore<Row extends NamedRow>(pool: pg.Pool, table: string, ownColumns: string) {
  const db = createKysely(pool);
  const columns = `${common}, ${ownColumns}`;

  async function one(client: pg.Pool | pg.PoolClient, key: NamedKey, suffix: string) {
    const [where, value] = "id" in key ? ["id = $1", key.id] : ["name = $1", key.name];
    const { rows } = await client.query<Row>(`select ${columns} from ${table} where ${where} ${suffix}`, [
      value,
    ]);
    return rows[0];
  }

  return {
    transaction: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => inTransaction(pool, work),

    find: (key: NamedKey) => one(pool, key, ""),

    /** The record, unchanged by others until the transaction ends. */
    lock: (client: pg.PoolClient, key: NamedKey) => one(client, key, "for update"),

    async exists(name: string, except: string | undefined): Promise<boolean> {
      const { rowCount } = await pool.query(
        `select from ${table} where name = $1 and ($2::uuid is null or id <> $2) limit 1`,
        [name, except ?? null],
      );
      return rowCount !== 0;
    },

    async options(): Promise<{ id: string; name: string }[]> {
      const { rows } = await pool.query<{ id: string; name: string }>(
        `select id::text, name from ${table} order by name, id limit 10000`,
      );
      return rows;
    },

    async search(filter: CompiledFilter): Promise<Found<Row>> {
      const where = sql<SqlBool>`${filter.where}`;
      const [found, count] = await Promise.all([
        sql<Row>`select ${sql.raw(columns)} from ${sql.table(table)} where ${where}
          order by ${filter.orderBy} limit ${filter.limit} offset ${filter.offset}`.execute(db),
        sql<{ total: number }>`select count(*) as total from ${sql.table(table)} where ${where}`.execute(db),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },

    async namesOf(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
      const { rows } = await pool.query<{ id: string; name: string }>(
        `select id::text, name from ${table} where id = any($1::uuid[])`,
        [ids],
      );
      return rows;
    },

    /** Those of these ids that are there, unchanged by others until the transaction ends. */
    async lockAll(client: pg.PoolClient, ids: readonly string[]): Promise<Row[]> {
      const { rows } = await client.query<Row>(
        `select ${columns} from ${table} where id = any($1::uuid[]) order by id for update`,
        [ids],
      );
      return rows;
    },

    async remove(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
      await client.query(`delete from ${table} where id = any($1::uuid[])`, [ids]);
    },
  };
}
