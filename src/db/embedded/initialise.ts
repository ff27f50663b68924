import { chmod, chown, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseError } from "../errors.ts";
import type { Account } from "./account.ts";
import { type Binaries, program } from "./binaries.ts";
import { run } from "./command.ts";

export const SUPERUSER = "pawl";

/**
 * Makes the server's data when there are none yet. Answers whether it did. They come into being under another name
 * and are moved in place when whole, so that a Pawl killed meanwhile leaves nothing half made.
 */
export async function initialise(
  pgdata: string,
  { binaries, account, password, disposable }: InitialiseOptions,
): Promise<boolean> {
  const version = await readFile(join(pgdata, "PG_VERSION"), "utf8").catch(() => null);
  if (version !== null) {
    requireSameMajor(version.trim(), binaries, pgdata);
    return false;
  }
  const staging = `${pgdata}.new`;
  const passwordFile = join(dirname(pgdata), "postgres.password.new");
  await rm(staging, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  try {
    await mkdir(staging, { mode: 0o700 });
    await chmod(staging, 0o700);
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account !== null) {
      await chown(staging, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    const { code, output } = await run(
      program(binaries, "initdb"),
      [
        "--pgdata",
        staging,
        "--username",
        SUPERUSER,
        "--pwfile",
        passwordFile,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        // The same order of text on every machine, whatever locales it has.
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
        "--no-instructions",
        ...(disposable ? ["--no-sync"] : []),
      ],
      account,
    );
    if (code !== 0) throw failed(pgdata, output);
    await rename(staging, pgdata);
    // A power cut must not undo the move after work in the new database was acknowledged.
    await syncDirectory(dirname(pgdata));
  } finally {
    await rm(passwordFile, { force: true });
    await rm(staging, { recursive: true, force: true });
  }
  return true;
}

/** Sets the superuser's password on data that no server runs on: whoever owns the data need not know the old one. */
export async function resetPassword(
  pgdata: string,
  { binaries, account, password }: Omit<InitialiseOptions, "disposable">,
): Promise<void> {
  const statement = `alter role ${SUPERUSER} password '${password}'\n`;
  const { code, output } = await run(
    program(binaries, "postgres"),
    ["--single", "-D", pgdata, "postgres"],
    account,
    statement,
  );
  if (code !== 0 || /ERROR|FATAL/.test(output)) throw failed(pgdata, output);
}

type InitialiseOptions = {
  binaries: Binaries;
  account: Account | null;
  password: string;
  disposable: boolean;
};

function requireSameMajor(dataVersion: string, binaries: Binaries, pgdata: string): void {
  const major = binaries.version.split(".")[0];
  if (dataVersion === major) return;
  throw new DatabaseError(
    "POSTGRES_DATA_VERSION",
    `The database in ${pgdata} was made by PostgreSQL ${dataVersion}, and this Pawl comes with ${major}. ` +
      `Start the Pawl that made it, dump the database with pg_dump, and restore it into a new data directory.`,
  );
}

function failed(pgdata: string, output: string): DatabaseError {
  const reason = output.split("\n").findLast((line) => /error|fatal/i.test(line)) ?? output;
  return new DatabaseError(
    "POSTGRES_INIT_FAILED",
    `The database could not be made in ${pgdata}: ${reason} ` +
      "See that the disk has room and is writable, or set DATABASE_URL to a PostgreSQL server of your own.",
  );
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
