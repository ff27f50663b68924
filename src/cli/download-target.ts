import { createWriteStream } from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliError } from "./exit.ts";

export interface Target {
  /** Where to; - is standard output. */
  output: string;
  /** In the place of what is there. */
  force: boolean | undefined;
}

/**
 * Writes what is downloaded to a file, which is there when all of it is, or to standard output.
 * @param see is shown what passes, and may refuse at the end
 */
export async function writeDownload(
  bytes: ReadableStream<Uint8Array>,
  { output, force }: Target,
  see: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (all) => all,
): Promise<void> {
  const source = Readable.from(see(Readable.fromWeb(bytes as never)));
  if (output === "-") return pipeline(source, process.stdout, { end: false });
  const part = join(dirname(output), `.pawl-download-${process.pid}-${Date.now()}`);
  try {
    await pipeline(source, createWriteStream(part, { flags: "wx" }));
    if (force) return await rename(part, output);
    // Unlike a rename it fails where there is a file already.
    await link(part, output);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      throw new CliError(
        "usage",
        `${output} is there already: say --force to replace it, or --output where to.`,
      );
    }
    if (code === undefined || !/^E[A-Z]+$/.test(code) || code === "ECONNRESET") throw cause;
    throw new CliError("usage", `${output} can't be written (${code}).`);
  } finally {
    await rm(part, { force: true });
  }
}

/** The name of a record as one of a file in this directory: nobody who named it chooses where it goes. */
export function fileNameOf(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file should be called by them
  const plain = name.replace(/[/\\:*?"<>|\x00-\x1f\x7f]/g, "_").replace(/^\.+/, "_");
  return plain.slice(0, 200) || "download";
}
