import { execFile } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratchRoot } from "../helpers/scratch.ts";

const run = promisify(execFile);
const MIB = 1024 * 1024;

/** A disk of so many MiB in memory, that can be filled up. Undefined, with the reason, where mounting isn't permitted. */
export async function smallDisk(mebibytes: number): Promise<SmallDisk | { refused: string }> {
  const folder = mkdtempSync(join(scratchRoot(), "pawl-chaos-disk-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0711`, "tmpfs", folder]);
  } catch (error) {
    rmSync(folder, { recursive: true });
    return { refused: (error as Error).message.split("\n").at(-2) ?? "mount failed" };
  }
  const filler = join(folder, "filler");
  return {
    folder,
    fill(left) {
      const file = openSync(filler, "w");
      const block = Buffer.alloc(MIB / 4);
      const free = () => {
        const { bavail, bsize } = statfsSync(folder);
        return bavail * bsize;
      };
      while (free() > left + block.length) writeSync(file, block);
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      await run("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface SmallDisk {
  folder: string;
  /** Fills it up to so many bytes. */
  fill(left: number): void;
  free(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Moves a folder of a server that is stopped, and leaves a link in its place. */
export async function moveFolder(from: string, to: string): Promise<void> {
  await run("cp", ["-a", from, to]);
  await rm(from, { recursive: true });
  symlinkSync(to, from);
  chmodSync(join(to, ".."), 0o711);
}
