import type pg from "pg";
import { sealedSource } from "../../src/configuration/sealed-store.ts";
import { newId } from "../../src/lib/ids.ts";
import type { Vault } from "../../src/vault/vault.ts";

/** A table of sealed values, for tests of what rotates them: its statements are those of the configuration service. */
export async function sealedTable(pool: pg.Pool) {
  await pool.query(
    `create table if not exists sealed_value (id uuid primary key, sealed text not null,
       key_id text not null generated always as (split_part(sealed, '.', 2)) stored)`,
  );
  const field = "secret";
  const source = sealedSource(pool, "test values", "variable", {
    table: "sealed_value",
    record: "id",
    field: { always: field },
  });

  return {
    source,
    async fill(vault: Vault, count: number, text: (id: string) => string = (id) => `secret of ${id}`) {
      for (let done = 0; done < count; done += 1000) {
        const ids = Array.from({ length: Math.min(1000, count - done) }, newId);
        const sealed = ids.map((record) => vault.seal("variable", { record, field }, text(record)));
        await pool.query(
          "insert into sealed_value (id, sealed) select * from unnest($1::uuid[], $2::text[])",
          [ids, sealed],
        );
      }
    },
    async all(): Promise<{ id: string; sealed: string }[]> {
      return (await pool.query("select id::text, sealed from sealed_value order by id")).rows;
    },
    open: (vault: Vault, id: string, sealed: string) => vault.open("variable", { record: id, field }, sealed),
  };
}
