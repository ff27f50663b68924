import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import type { Bytes } from "../client/client.ts";
import { CliError } from "./exit.ts";

/** What is to be uploaded, read as it is sent: a file, or - for standard input. */
export async function uploadSource(file: string): Promise<Bytes["content"]> {
  if (file === "-") {
    if (process.stdin.isTTY) {
      throw new CliError("usage", "Standard input is a terminal: name a file, or pipe one in.");
    }
    return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  }
  try {
    if ((await stat(file)).isFile()) return await openAsBlob(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "is not there" : `can't be read (${code})`;
    throw new CliError("usage", `The file ${file} ${why}.`);
  }
  throw new CliError("usage", `${file} is no file: pipe it in, and name - instead.`);
}

/** What it is kept as, when no name is given. */
export function nameFor(file: string, given: string | undefined): string {
  if (given !== undefined) return given;
  if (file === "-")
    throw new CliError("usage", "What comes from standard input has no name: give one with --name.");
  return basename(file);
}
