import { sql } from "kysely";
import type pg from "pg";
import type { FieldMap } from "../../db/filter.ts";
import { type NamedRow, namedFields, namedStore } from "../named-store.ts";
import type { SecretTable } from "../sealed-store.ts";

/** What `POST /global-variable/search` may filter and sort by: nothing of the values. */
export const variableFilters: FieldMap = {
  id: namedFields.id!,
  name: namedFields.name!,
  description: namedFields.description!,
  secret: { kind: "boolean", column: sql`secret` },
  createdAt: namedFields.createdAt!,
  createdBy: namedFields.createdBy!,
  updatedAt: namedFields.updatedAt!,
  updatedBy: namedFields.updatedBy!,
};
export const variableSearch = [namedFields.name!, namedFields.description!];

export interface VariableRow extends NamedRow {
  secret: boolean;
  /** Of a plain one. */
  value: unknown;
  /** Of a secret, as it is kept. */
  sealed: string | null;
}

/** What is written of a variable. */
export interface VariableTexts {
  id: string;
  name: string;
  description: string;
  by: string;
  at: Date;
}

/** A value that is new; a value that stays is not written, for rotation may just have sealed it anew. */
export type NewValue = { plain: unknown } | { sealed: string } | undefined;

export interface LoadedVariable {
  id: string;
  name: string;
  secret: boolean;
  value: unknown;
  sealed: string | null;
}

export type VariableStore = ReturnType<typeof variableStore>;

/** The field that a variable's secret is sealed for. */
export const sealedField = "value";

/** Where the secrets are. */
export const variableSecrets: SecretTable = {
  table: "global_variable_secret",
  record: "variable_id",
  field: { always: sealedField },
};

const sealed = "(select sealed from global_variable_secret where variable_id = global_variable.id) as sealed";

export function variableStore(pool: pg.Pool) {
  const named = namedStore<VariableRow>(pool, "global_variable", `secret, value, ${sealed}`);

  return {
    ...named,

    /** The variable, unchanged by others until the transaction ends. */
    async lock(client: pg.PoolClient, key: { id: string } | { name: string }) {
      // The secret is read by a statement of its own: one that waited for the row would see it as it was before.
      const locked = await named.lock(client, key);
      return locked && (await named.lock(client, { id: locked.id }));
    },

    /** False: there is one of this name by now. */
    async insert(client: pg.PoolClient, texts: VariableTexts, value: NonNullable<NewValue>) {
      const { id, name, description, by, at } = texts;
      const { rowCount } = await client.query(
        `insert into global_variable (id, name, description, secret, value, version, created_at, created_by, updated_at, updated_by)
         values ($1, $2, $3, $4, $5, 1, $6, $7, $6, $7) on conflict (name) do nothing`,
        [id, name, description, "sealed" in value, plainOf(value), at, by],
      );
      if (rowCount === 0) return false;
      await writeSecret(client, id, value);
      return true;
    },

    async update(client: pg.PoolClient, { id, name, description, by, at }: VariableTexts, value: NewValue) {
      await client.query(
        `update global_variable set name = $2, description = $3, version = version + 1, updated_at = $4, updated_by = $5
         where id = $1`,
        [id, name, description, at, by],
      );
      if (value === undefined) return;
      await client.query("update global_variable set secret = $2, value = $3 where id = $1", [
        id,
        "sealed" in value,
        plainOf(value),
      ]);
      await writeSecret(client, id, value);
    },

    /** Those of these names that are there, with their values as they are kept. */
    async load(given: readonly string[]): Promise<LoadedVariable[]> {
      // An expression can name anything; the database takes no NUL, and so nothing is called so.
      const names = given.filter((name) => !name.includes("\0"));
      const { rows } = await pool.query<LoadedVariable>({
        name: "global_variable_load",
        text: `select id::text, name, secret, value, ${sealed} from global_variable where name = any($1::text[])`,
        values: [names],
      });
      return rows;
    },
  };
}

function plainOf(value: NonNullable<NewValue>): string | null {
  return "plain" in value ? JSON.stringify(value.plain) : null;
}

async function writeSecret(client: pg.PoolClient, id: string, value: NonNullable<NewValue>): Promise<void> {
  if ("plain" in value) {
    await client.query("delete from global_variable_secret where variable_id = $1", [id]);
    return;
  }
  await client.query(
    `insert into global_variable_secret (variable_id, sealed) values ($1, $2)
     on conflict (variable_id) do update set sealed = excluded.sealed`,
    [id, value.sealed],
  );
}
