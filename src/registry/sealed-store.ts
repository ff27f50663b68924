import type pg from "pg";
import type { SealedItem, SealedSource } from "../vault/sealed-source.ts";
import { fromVaultText, readSealed, toVaultText } from "../vault/sealed-text.ts";
import { mapSecrets, secretsOf } from "./auth-config.ts";

interface Row {
  id: string;
  authConfig: Record<string, unknown>;
}

const rowsAtOnce = 100;

/** The credentials of MCP servers as rotation sees them. They are few, and stand inside a document. */
export function mcpServerSecrets(pool: pg.Pool): SealedSource {
  async function rows(after: string | undefined): Promise<Row[]> {
    const found = await pool.query<Row>(
      `select id::text, auth_config as "authConfig" from mcp_server where ($1::uuid is null or id > $1) order by id limit ${rowsAtOnce}`,
      [after ?? null],
    );
    return found.rows;
  }

  return {
    name: "MCP servers",
    purpose: "mcp",

    async count(notKeyId) {
      let total = 0;
      let after: string | undefined;
      for (;;) {
        const found = await rows(after);
        for (const row of found) total += sealedWithOthers(row, notKeyId).length;
        if (found.length < rowsAtOnce) return total;
        after = found.at(-1)!.id;
      }
    },

    async batch(notKeyId, cursor, limit) {
      const items: SealedItem[] = [];
      let after = cursor;
      for (;;) {
        const found = await rows(after);
        for (const row of found) {
          items.push(...sealedWithOthers(row, notKeyId));
          after = row.id;
          if (items.length >= limit) return { items, next: after };
        }
        if (found.length < rowsAtOnce) return { items, next: undefined };
      }
    },

    async replace(record, field, oldSealed, newSealed) {
      const { rows } = await pool.query<Row>(
        `select id::text, auth_config as "authConfig" from mcp_server where id = $1`,
        [record],
      );
      const [row] = rows;
      const old = toVaultText(oldSealed);
      if (!row || secretsOf(row.authConfig).get(field) !== old) return false;
      const replaced = mapSecrets(row.authConfig, ({ path, value }) =>
        path === field ? toVaultText(newSealed) : value,
      );
      // Only what was read is replaced: somebody may save the server meanwhile.
      const { rowCount } = await pool.query(
        "update mcp_server set auth_config = $2 where id = $1 and auth_config::text = $3",
        [record, JSON.stringify(replaced), JSON.stringify(row.authConfig)],
      );
      return rowCount === 1;
    },
  };
}

/** What a person typed that only looks sealed is not ours to seal anew. */
function sealedWithOthers({ id, authConfig }: Row, keyId: string): SealedItem[] {
  return [...secretsOf(authConfig)].flatMap(([field, value]) => {
    const sealed = fromVaultText(String(value));
    const parts = sealed === undefined ? undefined : readSealed(sealed);
    if (!parts || parts.keyId === keyId || parts.context.record !== id || parts.context.field !== field)
      return [];
    return [{ record: id, field, sealed: sealed! }];
  });
}
