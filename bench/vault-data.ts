import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { keyringStore } from "../src/db/keyring-store.ts";
import { newId } from "../src/lib/ids.ts";
import { openVault } from "../src/vault/open.ts";
import type { Vault } from "../src/vault/vault.ts";

export const field = "password";
export const textOf = (id: string) => `the password of ${id}, 64 characters`;

/** The master key of a benchmark: given to its servers, and to this process while none of them runs. */
export const masterKey = randomBytes(32);

/** Does something with the keys of the database, as one more process of it. */
export async function withVault<Result>(
  pool: pg.Pool,
  work: (vault: Vault) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), "pawl-bench-"));
  const log = { info() {}, warn() {}, error() {} };
  const opened = await openVault({
    store: keyringStore(pool),
    dataDir,
    given: { key: masterKey },
    sources: [],
    log,
  });
  try {
    return await work(opened.vault);
  } finally {
    await opened.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** So many connections with a sealed password each; answers their ids. */
export function fillConnections(pool: pg.Pool, count: number): Promise<string[]> {
  return withVault(pool, async (vault) => {
    const all: string[] = [];
    while (all.length < count) {
      const ids = Array.from({ length: Math.min(1000, count - all.length) }, newId);
      const sealed = ids.map((record) => vault.seal("connection", { record, field }, textOf(record)));
      await pool.query(
        `insert into connection select id, 'bench ' || id, 'database-relational2', 'database', '',
           '{"host":"db.example.com","port":"5432","database":"orders","username":"app"}', 1, now(), 'bench', now(), 'bench'
         from unnest($1::uuid[]) as given (id)`,
        [ids],
      );
      await pool.query(
        "insert into connection_secret (connection_id, field, sealed) select id, $2, sealed from unnest($1::uuid[], $3::text[]) as given (id, sealed)",
        [ids, field, sealed],
      );
      all.push(...ids);
    }
    await pool.query("vacuum analyze connection, connection_secret");
    return all;
  });
}

export interface Kept {
  values: number;
  /** That do not open, or open as something else than was last entered. */
  lost: number;
  /** Sealed with another key than the active one. */
  underOldKeys: number;
}

/** Opens every sealed value, by what is expected of it. */
export function verifySecrets(pool: pg.Pool, expected: (id: string) => readonly string[]): Promise<Kept> {
  return withVault(pool, async (vault) => {
    const kept: Kept = { values: 0, lost: 0, underOldKeys: 0 };
    let after = "00000000-0000-0000-0000-000000000000";
    for (;;) {
      const { rows } = await pool.query<{ record: string; sealed: string }>(
        "select connection_id::text as record, sealed from connection_secret where connection_id > $1 order by 1 limit 5000",
        [after],
      );
      for (const { record, sealed } of rows) {
        kept.values++;
        if (vault.keyId(sealed) !== vault.activeKeyId) kept.underOldKeys++;
        if (!opensAs(vault, record, sealed, expected(record))) kept.lost++;
      }
      if (rows.length < 5000) return kept;
      after = rows.at(-1)!.record;
    }
  });
}

function opensAs(vault: Vault, record: string, sealed: string, texts: readonly string[]): boolean {
  try {
    return texts.includes(vault.open("connection", { record, field }, sealed));
  } catch {
    return false;
  }
}
