import { readFile, stat } from "node:fs/promises";
import { DatabaseError } from "../errors.ts";
import { run } from "./command.ts";

export type Account = { uid: number; gid: number };

const CANDIDATES = ["postgres", "_postgres", "nobody"];

/**
 * The account that PostgreSQL runs as. PostgreSQL refuses root, so root takes an account without rights that the
 * machine has already; everyone else runs it as themselves (null). Data that exist keep their owner.
 */
export async function chooseAccount(pgdata: string | null): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = pgdata === null ? null : await stat(pgdata).catch(() => null);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = parseAccounts(await readFile("/etc/passwd", "utf8").catch(() => ""));
  for (const name of CANDIDATES) {
    const account = accounts.get(name);
    if (account !== undefined && account.uid !== 0) return account;
  }
  throw new DatabaseError(
    "POSTGRES_START_FAILED",
    "PostgreSQL does not run as root, and this machine has neither an account postgres nor nobody. " +
      "Start Pawl as another user, make one with: useradd --system postgres, or set DATABASE_URL.",
  );
}

/** Whether the account can enter the directory, every directory above it included. */
export async function canEnter(account: Account | null, directory: string): Promise<boolean> {
  const { code } = await run("/bin/sh", ["-c", 'cd -- "$1"', "sh", directory], account);
  return code === 0;
}

function parseAccounts(passwd: string): Map<string, Account> {
  const accounts = new Map<string, Account>();
  for (const line of passwd.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name && uid && gid) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}
