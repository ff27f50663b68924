import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What Pawl keeps in the data directory about its server. */
export type State = {
  password: string;
  /** The port of the last run, taken again when it is free. */
  port?: number;
  /** Where the data are when they cannot be in the data directory. */
  place?: string;
};

/** The state kept in the data directory; a new password when there is none. */
export async function readState(dataDir: string): Promise<State> {
  const text = await readFile(stateFile(dataDir), "utf8").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text !== null) return JSON.parse(text);
  return { password: randomBytes(24).toString("hex") };
}

export async function writeState(dataDir: string, state: State): Promise<void> {
  const file = stateFile(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

export function stateFile(dataDir: string): string {
  return join(dataDir, "postgres.json");
}
