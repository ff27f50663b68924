import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, cp, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../log.ts";
import type { Binaries } from "./binaries.ts";

const PARTS = ["bin", "lib", "share"];

/** A copy under a name made of its content, so that a finished copy is never changed and a damaged one is seen. */
export async function copyBinaries(installed: Binaries, copiesDir: string, log: Log): Promise<Binaries> {
  const name = `${installed.version}-${digest(await listing(installed.root))}`;
  const target = join(copiesDir, name);
  const copy = { root: target, version: installed.version };
  if (await isIntact(target, name)) return copy;
  const staging = join(copiesDir, `.${name}.${randomUUID()}`);
  try {
    await mkdir(copiesDir, { recursive: true, mode: 0o755 });
    for (const part of PARTS) {
      await cp(join(installed.root, part), join(staging, part), {
        recursive: true,
        verbatimSymlinks: true,
        mode: constants.COPYFILE_FICLONE,
        filter: isNeeded,
      });
    }
    await openToAll(staging);
    await rm(target, { recursive: true, force: true });
    await rename(staging, target).catch(async (error) => {
      // Another Pawl may have been faster.
      if (!(await isIntact(target, name))) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  log.info({ folder: target }, "Copied PostgreSQL to where the account that runs it can read it.");
  return copy;
}

async function isIntact(root: string, name: string): Promise<boolean> {
  const files = await listing(root).catch(() => null);
  return files !== null && name.endsWith(`-${digest(files)}`);
}

/** Static libraries and build files are a quarter of the package and of no use to a server. */
function isNeeded(path: string): boolean {
  return !/\.a$|\/(pkgconfig|pgxs)(\/|$)/.test(path);
}

/** Every needed file with its size, in a fixed order. */
async function listing(root: string): Promise<string[]> {
  const files: string[] = [];
  for (const part of PARTS) {
    for (const entry of await readdir(join(root, part), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory() || !isNeeded(path)) continue;
      const { size } = await lstat(path);
      files.push(`${path.slice(root.length)} ${size}`);
    }
  }
  return files.sort();
}

function digest(files: string[]): string {
  return createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 12);
}

/** Lets every account read and enter, whatever the umask and the modes in the package were. */
async function openToAll(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const runs = entry.isDirectory() || /\/bin$/.test(entry.parentPath);
    await chmod(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644);
  }
}
