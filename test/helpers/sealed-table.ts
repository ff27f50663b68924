import type pg from "pg";
import { newId } from "../../src/lib/ids.ts";
import type { SealedSource } from "../../src/vault/sealed-source.ts";
import type { Vault } from "../../src/vault/vault.ts";

const KEY = "split_part(sealed, '.', 2)";

/** A table of sealed values, for tests and benchmarks of what rotates them. */
export async function sealedTable(pool: pg.Pool) {
  await pool.query("create table if not exists sealed_value (id uuid primary key, sealed text not null)");
  const field = "secret";
  const source: SealedSource = {
    name: "test values",
    purpose: "variable",
    async count(notKeyId) {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*) from sealed_value where ${KEY} <> $1`,
        [notKeyId],
      );
      return rows[0]!.count;
    },
    async batch(notKeyId, cursor, limit) {
      const { rows } = await pool.query<{ id: string; sealed: string }>(
        `select id::text, sealed from sealed_value where ${KEY} <> $1 and ($2::uuid is null or id > $2::uuid)
         order by id limit $3`,
        [notKeyId, cursor ?? null, limit],
      );
      const items = rows.map(({ id, sealed }) => ({ record: id, field, sealed }));
      return { items, next: items.length < limit ? undefined : items.at(-1)!.record };
    },
    async replace(record, _field, oldSealed, newSealed) {
      const { rowCount } = await pool.query(
        "update sealed_value set sealed = $3 where id = $1 and sealed = $2",
        [record, oldSealed, newSealed],
      );
      return rowCount === 1;
    },
  };

  return {
    source,
    async fill(vault: Vault, count: number, text: (id: string) => string = (id) => `secret of ${id}`) {
      for (let done = 0; done < count; done += 1000) {
        const ids = Array.from({ length: Math.min(1000, count - done) }, newId);
        const sealed = ids.map((record) => vault.seal("variable", { record, field }, text(record)));
        await pool.query("insert into sealed_value select * from unnest($1::uuid[], $2::text[])", [
          ids,
          sealed,
        ]);
      }
    },
    async all(): Promise<{ id: string; sealed: string }[]> {
      return (await pool.query("select id::text, sealed from sealed_value order by id")).rows;
    },
    open: (vault: Vault, id: string, sealed: string) => vault.open("variable", { record: id, field }, sealed),
  };
}
