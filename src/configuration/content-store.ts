import type pg from "pg";
import { newId } from "../lib/ids.ts";

/** How long what was replaced or deleted stays for those who still read it. */
const afterReleaseMs = 15 * 60_000;

export type ContentStore = ReturnType<typeof contentStore>;

/** The contents of files and datasets: begun, written to, and then kept by one of them or removed. */
export function contentStore(pool: pg.Pool) {
  return {
    /** A new one, which goes by itself after this time unless it is kept. */
    async begin(withinMs: number): Promise<string> {
      const id = newId();
      await pool.query(
        "insert into stored_content (id, remove_after) values ($1, now() + $2 * interval '1 ms')",
        [id, withinMs],
      );
      return id;
    },

    /** In the transaction that refers to it. */
    async keep(client: pg.PoolClient, id: string): Promise<void> {
      await client.query("update stored_content set remove_after = null where id = $1", [id]);
    },

    async release(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
      await client.query(
        "update stored_content set remove_after = now() + $2 * interval '1 ms' where id = any($1::uuid[])",
        [ids, afterReleaseMs],
      );
    },

    async drop(id: string): Promise<void> {
      await pool.query("delete from stored_content where id = $1 and remove_after is not null", [id]);
    },

    /** Removes what nobody holds any more; answers how much that was. */
    async sweep(): Promise<number> {
      const { rows } = await pool.query<{ id: string }>(
        "select id::text from stored_content where remove_after < now() order by remove_after limit 100",
      );
      // One at a time: each may be a hundred megabytes.
      for (const { id } of rows) await this.drop(id);
      return rows.length;
    },
  };
}
