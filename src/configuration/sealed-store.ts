import type pg from "pg";
import type { Purpose } from "../vault/keyring.ts";
import type { SealedItem, SealedSource } from "../vault/sealed-source.ts";

/** A table of secrets: a row each, with the columns `sealed` and `key_id`. Names are ours, never a user's. */
export interface SecretTable {
  table: string;
  /** The column of the record's id. */
  record: string;
  /** The column of the field's name, or, where a record has one secret only, `{ always }` that field. */
  field: string | { always: string };
}

/** The secrets of a table as rotation sees them. */
export function sealedSource(
  pool: pg.Pool,
  name: string,
  purpose: Purpose,
  { table, record, field }: SecretTable,
): SealedSource {
  const fieldColumn = typeof field === "string" ? `${table}.${field}` : `'${field.always}'::text collate "C"`;
  return {
    name,
    purpose,

    async count(notKeyId) {
      const { rows } = await pool.query<{ total: number }>(
        `select count(*) as total from ${table} where key_id <> $1`,
        [notKeyId],
      );
      return rows[0]!.total;
    },

    async batch(notKeyId, cursor, limit) {
      const [afterRecord, afterField] = cursor === undefined ? [null, null] : splitCursor(cursor);
      const { rows } = await pool.query<SealedItem>(
        `select ${record}::text as record, ${fieldColumn} as field, sealed from ${table}
         where key_id <> $1 and ($2::uuid is null or (${record}, ${fieldColumn}) > ($2, $3::text))
         order by ${record}, ${fieldColumn} limit $4`,
        [notKeyId, afterRecord, afterField, limit],
      );
      const last = rows.at(-1);
      return {
        items: rows,
        next: last && rows.length === limit ? `${last.record} ${last.field}` : undefined,
      };
    },

    async replace(id, name, oldSealed, newSealed) {
      const { rowCount } = await pool.query(
        `update ${table} set sealed = $4 where ${record} = $1 and ${fieldColumn} = $2 and sealed = $3`,
        [id, name, oldSealed, newSealed],
      );
      return rowCount === 1;
    },

    async replaceAll(changes) {
      // Rows that a request holds are passed over: it would wait for these, and they for it.
      const { rowCount } = await pool.query(
        `with given as (
           select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as given (record, field, old, anew)
         ), free as (
           select ${record} as record, ${fieldColumn} as field from ${table} join given
             on given.record = ${record} and given.field = ${fieldColumn} and given.old = sealed
           for update of ${table} skip locked
         )
         update ${table} set sealed = given.anew from given join free on free.record = given.record and free.field = given.field
         where ${record} = given.record and ${fieldColumn} = given.field`,
        [
          changes.map((change) => change.record),
          changes.map((change) => change.field),
          changes.map((change) => change.sealed),
          changes.map((change) => change.anew),
        ],
      );
      return rowCount!;
    },
  };
}

/** A UUID has no space. */
function splitCursor(cursor: string): [string, string] {
  const at = cursor.indexOf(" ");
  return [cursor.slice(0, at), cursor.slice(at + 1)];
}
