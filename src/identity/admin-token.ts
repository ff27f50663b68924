import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Writes `<dataDir>/admin-token`, readable by its owner only, and answers its path. Under another name first: a crash
 * leaves the old file or the new one. The rename replaces a symlink that waits at the name; it never writes through one.
 */
export async function keepAdminToken(dataDir: string, token: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "admin-token");
  const draft = join(dataDir, `.admin-token.${randomUUID()}`);
  try {
    const file = await open(draft, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
    try {
      await file.writeFile(`${token}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dataDir);
  return path;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
