import { sql } from "kysely";
import type pg from "pg";
import { type ConnectionType, connectionTypes } from "../../contract/connection.ts";
import type { CompiledFilter, FieldMap } from "../../db/filter.ts";
import { createKysely } from "../../db/pool.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { SecretTable } from "../sealed-store.ts";
import type { Found } from "../search.ts";

/** What `POST /connection/search` may filter and sort by: nothing of the variables. */
export const connectionFilters: FieldMap = {
  id: { kind: "id", column: sql`connection.id` },
  name: { kind: "string", column: sql`connection.name` },
  connectionType: { kind: "enum", column: sql`connection.connection_type`, values: connectionTypes },
  category: { kind: "string", column: sql`connection.category` },
  description: { kind: "string", column: sql`connection.description` },
  createdAt: { kind: "date", column: sql`connection.created_at` },
  createdBy: { kind: "string", column: sql`connection.created_by` },
  updatedAt: { kind: "date", column: sql`connection.updated_at` },
  updatedBy: { kind: "string", column: sql`connection.updated_by` },
};
export const connectionSearch = [connectionFilters.name!, connectionFilters.description!];

export interface ConnectionItemRow {
  id: string;
  name: string;
  connectionType: ConnectionType;
  category: string;
}

export interface ConnectionRow extends ConnectionItemRow {
  description: string;
  /** The plain variables. */
  plain: Record<string, string>;
  /** The others, as they are kept. */
  sealed: Record<string, string>;
  version: number;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
}

/** What is written of a connection besides its secrets. */
export interface ConnectionTexts extends ConnectionItemRow {
  description: string;
  plain: Record<string, string>;
  by: string;
  at: Date;
}

export interface SecretChanges {
  /** Sealed values by field: new ones only. */
  sealed: Record<string, string>;
  removed: string[];
}

/** Which connection: by its id, or by what tells it from all others. */
export type ConnectionKey = { id: string } | { name: string; connectionType: ConnectionType };

export type ConnectionStore = ReturnType<typeof connectionStore>;

/** Lists that have no pages end here. */
const mostListed = 10_000;

const itemColumns = `connection.id::text, connection.name, connection.connection_type as "connectionType", connection.category`;
const columns = `${itemColumns}, connection.description, connection.variables as plain, connection.version,
  connection.created_at as "createdAt", connection.created_by as "createdBy", connection.updated_at as "updatedAt",
  connection.updated_by as "updatedBy",
  (select coalesce(json_object_agg(field, sealed), '{}') from connection_secret where connection_id = connection.id) as sealed`;

/** Where the secrets are. */
export const connectionSecrets: SecretTable = {
  table: "connection_secret",
  record: "connection_id",
  field: "field",
};

export function connectionStore(pool: pg.Pool) {
  const db = createKysely(pool);

  const listed = async (condition: string, value: unknown): Promise<ConnectionItemRow[]> => {
    const { rows } = await pool.query<ConnectionItemRow>(
      `select ${itemColumns} from connection where ${condition} order by name, id limit ${mostListed}`,
      [value],
    );
    return rows;
  };

  return {
    transaction: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => inTransaction(pool, work),

    async find(id: string): Promise<ConnectionRow | undefined> {
      const { rows } = await pool.query<ConnectionRow>({
        name: "connection_find",
        text: `select ${columns} from connection where id = $1`,
        values: [id],
      });
      return rows[0];
    },

    /** Two at most: that there are more than one is all that matters then. */
    async findNamed(name: string, type: ConnectionType | undefined): Promise<ConnectionRow[]> {
      const { rows } = await pool.query<ConnectionRow>(
        `select ${columns} from connection where name = $1 and ($2::text is null or connection_type = $2) order by id limit 2`,
        [name, type ?? null],
      );
      return rows;
    },

    async findId(name: string, type: ConnectionType): Promise<string | undefined> {
      const { rows } = await pool.query<{ id: string }>(
        "select id::text from connection where name = $1 and connection_type = $2",
        [name, type],
      );
      return rows[0]?.id;
    },

    async isNamed(name: string, except: string | undefined): Promise<boolean> {
      const { rowCount } = await pool.query(
        "select from connection where name = $1 and ($2::uuid is null or id <> $2) limit 1",
        [name, except ?? null],
      );
      return rowCount !== 0;
    },

    search: async (filter: CompiledFilter): Promise<Found<ConnectionItemRow>> => {
      const { where, orderBy, limit, offset } = filter;
      const [found, count] = await Promise.all([
        sql<ConnectionItemRow>`select ${sql.raw(itemColumns)} from connection where ${where}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(db),
        sql<{ total: number }>`select count(*) as total from connection where ${where}`.execute(db),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },

    listOfTypes: (types: readonly string[] | undefined) =>
      listed("$1::text[] is null or connection_type = any($1)", types ?? null),
    listOfCategory: (category: string) => listed("category = $1", category),

    /** The connection, unchanged by others until the transaction ends. */
    async lock(client: pg.PoolClient, key: ConnectionKey): Promise<ConnectionRow | undefined> {
      // The secrets are read by a statement of their own: one that waited for the row would see them as they were before.
      const where = "id" in key ? "id = $1" : "name = $1 and connection_type = $2";
      const values = "id" in key ? [key.id] : [key.name, key.connectionType];
      const locked = await client.query<{ id: string }>(
        `select id from connection where ${where} for update`,
        values,
      );
      if (locked.rowCount === 0) return undefined;
      const { rows } = await client.query<ConnectionRow>(`select ${columns} from connection where id = $1`, [
        locked.rows[0]!.id,
      ]);
      return rows[0];
    },

    /** False: there is one of this name and type by now. */
    async insert(client: pg.PoolClient, row: ConnectionTexts, secrets: SecretChanges): Promise<boolean> {
      const { rowCount } = await client.query(
        `insert into connection (id, name, connection_type, category, description, variables, version,
           created_at, created_by, updated_at, updated_by)
         values ($1, $2, $3, $4, $5, $6, 1, $7, $8, $7, $8) on conflict (name, connection_type) do nothing`,
        [...texts(row), row.at, row.by],
      );
      if (rowCount === 0) return false;
      await writeSecrets(client, row.id, secrets);
      return true;
    },

    async update(client: pg.PoolClient, row: ConnectionTexts, secrets: SecretChanges): Promise<void> {
      await client.query(
        `update connection set name = $2, connection_type = $3, category = $4, description = $5, variables = $6,
           version = version + 1, updated_at = $7, updated_by = $8 where id = $1`,
        [...texts(row), row.at, row.by],
      );
      await writeSecrets(client, row.id, secrets);
    },

    /** Answers those that were there. Locked in one order by all: two who delete the same would wait for each other. */
    async remove(ids: readonly string[]): Promise<ConnectionItemRow[]> {
      const { rows } = await pool.query<ConnectionItemRow>(
        `with locked as (select id as found from connection where id = any($1::uuid[]) order by id for update)
         delete from connection using locked where id = found returning ${itemColumns}`,
        [ids],
      );
      return rows;
    },
  };
}

function texts({ id, name, connectionType, category, description, plain }: ConnectionTexts): unknown[] {
  return [id, name, connectionType, category, description, JSON.stringify(plain)];
}

/** Nothing is written where a secret stays: rotation may just have sealed it anew. */
async function writeSecrets(client: pg.PoolClient, id: string, changes: SecretChanges): Promise<void> {
  if (changes.removed.length > 0) {
    await client.query("delete from connection_secret where connection_id = $1 and field = any($2::text[])", [
      id,
      changes.removed,
    ]);
  }
  const fields = Object.keys(changes.sealed);
  if (fields.length === 0) return;
  await client.query(
    `insert into connection_secret (connection_id, field, sealed)
     select $1, field, sealed from unnest($2::text[], $3::text[]) as given (field, sealed)
     on conflict (connection_id, field) do update set sealed = excluded.sealed`,
    [id, fields, Object.values(changes.sealed)],
  );
}
