import type pg from "pg";
import { DatabaseError } from "./errors.ts";
import { type Log, silent } from "./log.ts";
import { type Migration, readMigrations } from "./migration-files.ts";
import { inTransaction } from "./transaction.ts";

// "pawl" in ASCII: any number would do, as long as every Pawl takes the same.
const MIGRATION_LOCK = 0x7061776c;

type Applied = { version: number; name: string; checksum: string };

/**
 * Brings the schema up to the newest migration in the folder. Each file is one transaction; starters that come at
 * the same time take turns. Answers the migrations that this call applied.
 */
export async function migrate(
  pool: pg.Pool,
  { folder, log = silent }: { folder: string; log?: Log },
): Promise<Migration[]> {
  const known = await readMigrations(folder);
  const applied: Migration[] = [];
  for (;;) {
    const migration = await inTransaction(pool, (client) => applyNext(client, known));
    if (migration === null) return applied;
    log.info({ migration: migration.file }, "Applied a migration.");
    applied.push(migration);
  }
}

async function applyNext(client: pg.PoolClient, known: Migration[]): Promise<Migration | null> {
  await client.query("set local statement_timeout = 0; set local lock_timeout = 0");
  // The lock ends with the transaction, so no starter can leave it behind, and a pooler in between does no harm.
  await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  await client.query(`
    create table if not exists schema_migration (
      version    integer primary key,
      name       text not null,
      checksum   text not null,
      applied_at timestamptz not null default now()
    )`);
  const { rows } = await client.query<Applied>(
    "select version, name, checksum from schema_migration order by version",
  );
  const next = nextMigration(known, rows);
  if (next === null) return null;
  try {
    await client.query(next.sql);
  } catch (error) {
    throw failed(next, error);
  }
  await client.query("insert into schema_migration (version, name, checksum) values ($1, $2, $3)", [
    next.version,
    next.name,
    next.checksum,
  ]);
  return next;
}

/** The first migration still to apply; throws when the schema is not one that these files lead to. */
function nextMigration(known: Migration[], applied: Applied[]): Migration | null {
  const newestKnown = known.at(-1)?.version ?? 0;
  const newestApplied = applied.at(-1)?.version ?? 0;
  if (newestApplied > newestKnown) {
    throw new DatabaseError(
      "SCHEMA_NEWER",
      `The database has schema version ${newestApplied}, and this Pawl knows ${newestKnown} at most. ` +
        "A newer Pawl has used it: start that version again, or restore a backup made before the upgrade.",
    );
  }
  const byVersion = new Map(known.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const file = byVersion.get(row.version);
    if (file?.checksum === row.checksum) continue;
    throw new DatabaseError(
      "MIGRATION_EDITED",
      file === undefined
        ? `Migration ${row.version} (${row.name}) was applied to the database but its file is gone. Put the file back.`
        : `Migration ${file.file} was changed after it was applied to the database. ` +
            "Put the file back as it was, and write the change as a new migration.",
    );
  }
  const done = new Set(applied.map((row) => row.version));
  const next = known.find((migration) => !done.has(migration.version));
  if (next === undefined) return null;
  if (next.version < newestApplied) {
    throw new DatabaseError(
      "MIGRATION_OUT_OF_ORDER",
      `Migration ${next.file} is not applied, but ${newestApplied} is. Give it a number above ${newestApplied}.`,
    );
  }
  return next;
}

function failed(migration: Migration, error: unknown): unknown {
  const { code, message, position } = error as { code?: string; message: string; position?: string };
  // Only what the SQL itself caused: a lost connection keeps its own error.
  if (code === undefined || !/^(0A|2|3|42|P0|XX)/.test(code)) return error;
  const line =
    position === undefined ? "" : `:${migration.sql.slice(0, Number(position)).split("\n").length}`;
  return new DatabaseError(
    "MIGRATION_FAILED",
    `Migration ${migration.file}${line} failed and was rolled back: ${message}. Nothing of it was kept.`,
    { cause: error },
  );
}
