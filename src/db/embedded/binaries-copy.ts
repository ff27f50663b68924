import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Log } from "../log.ts";
import type { Binaries } from "./binaries.ts";

type Listed = { path: string; size: number };

const PARTS = ["bin", "lib", "share"];

/** A copy under a name made of its content, so that a finished copy is never changed and a damaged one is seen. */
export async function copyBinaries(installed: Binaries, copiesDir: string, log: Log): Promise<Binaries> {
  const name = `${installed.version}-${digest(await listing(installed.root))}`;
  const target = join(copiesDir, name);
  const copy = { root: target, version: installed.version };
  if (await isIntact(target, name)) return copy;
  const staging = join(copiesDir, `.${name}.${randomUUID()}`);
  try {
    for (const file of await listing(installed.root)) await place(installed.root, staging, file.path);
    await openFolders(staging);
    await putInPlace(staging, target, (root) => isIntact(root, name));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  log.info({ folder: target }, "Copied PostgreSQL to where the account that runs it can read it.");
  return copy;
}

/** Another Pawl may be faster, and may use its copy already: only a damaged one is moved out of the way. */
async function putInPlace(
  staging: string,
  target: string,
  intact: (root: string) => Promise<boolean>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(staging, target);
    } catch (error) {
      if (await intact(target)) return;
      if (attempt === 10) throw error;
    }
    const damaged = `${staging}.damaged`;
    await rename(target, damaged).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    await rm(damaged, { recursive: true, force: true });
  }
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
async function listing(root: string): Promise<Listed[]> {
  const files: Listed[] = [];
  for (const part of PARTS) {
    for (const entry of await readdir(join(root, part), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory() || !isNeeded(path)) continue;
      const { size } = await lstat(path);
      files.push({ path: relative(root, path), size });
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function digest(files: Listed[]): string {
  const text = files.map(({ path, size }) => `${path} ${size}`).join("\n");
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** A second name for the file where that serves, which takes neither time nor room; else a copy that all may read. */
async function place(from: string, to: string, path: string): Promise<void> {
  const source = join(from, path);
  const target = join(to, path);
  await mkdir(dirname(target), { recursive: true });
  const { mode } = await lstat(source);
  if (isSymbolicLink(mode)) return symlink(await readlink(source), target);
  const wanted = path.startsWith("bin/") ? 0o755 : 0o644;
  if ((mode & wanted & 0o055) === (wanted & 0o055)) {
    const linked = await link(source, target).then(
      () => true,
      () => false,
    );
    if (linked) return;
  }
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, wanted);
}

function isSymbolicLink(mode: number): boolean {
  return (mode & constants.S_IFMT) === constants.S_IFLNK;
}

/** Lets every account enter, whatever the umask. */
async function openFolders(root: string): Promise<void> {
  await chmod(dirname(root), 0o755);
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}
