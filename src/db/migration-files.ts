import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseError } from "./errors.ts";

export type Migration = { version: number; name: string; file: string; sql: string; checksum: string };

const FILE_NAME = /^(\d{6})_([a-z0-9_-]+)\.sql$/;

// A begin without a semicolon is that of a PL/pgSQL block.
const TRANSACTION_CONTROL = /^\s*(begin|commit|rollback|start\s+transaction)(\s+(work|transaction))?\s*;/im;

/** The migrations in a folder, in order. Any `.sql` file whose name is not `000001_name.sql` is a fault. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
  const migrations = await Promise.all(files.map((file) => readMigration(folder, file)));
  for (const [index, migration] of migrations.entries()) {
    if (migrations[index - 1]?.version === migration.version) {
      throw new DatabaseError(
        "MIGRATION_FILES",
        `Migrations ${migrations[index - 1]!.file} and ${migration.file} have the same number. Give one another.`,
      );
    }
  }
  return migrations;
}

/** One checksum over all migrations: two folders that lead to the same schema have the same. */
export function checksumOf(migrations: Migration[]): string {
  return sha256(migrations.map(({ version, checksum }) => `${version} ${checksum}`).join("\n"));
}

async function readMigration(folder: string, file: string): Promise<Migration> {
  const match = FILE_NAME.exec(file);
  if (match === null) {
    throw new DatabaseError(
      "MIGRATION_FILES",
      `The name of migration ${file} is not six digits, an underscore and a name. Rename it.`,
    );
  }
  const sql = await readFile(join(folder, file), "utf8");
  if (TRANSACTION_CONTROL.test(sql)) {
    throw new DatabaseError(
      "MIGRATION_FILES",
      `Migration ${file} begins or ends a transaction. Take that out: each file runs in one of its own.`,
    );
  }
  // A checkout with other line ends is the same migration.
  const checksum = sha256(sql.replaceAll("\r\n", "\n"));
  return { version: Number(match[1]), name: match[2]!, file, sql, checksum };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
