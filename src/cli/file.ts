import { createHash } from "node:crypto";
import type { Command } from "commander";
import type { StoredFile } from "../contract/file.ts";
import { fileNameOf, writeDownload } from "./download-target.ts";
import { CliError } from "./exit.ts";
import { mediaTypeOf } from "./media-type.ts";
import { addNamedDelete, addNamedList, findNamed, type Noun } from "./named.ts";
import { openSession } from "./session.ts";
import { byteSize, fields, localTime, oneLine, paint, safe } from "./text.ts";
import { nameFor, uploadSource } from "./upload-source.ts";

const files: Noun<StoredFile> = {
  command: "file",
  word: "file",
  search: ({ client }, body) => client.searchFiles({ body }),
  remove: ({ client }, id, force) => client.deleteFile({ params: { id }, query: { force } }),
};

export function addFile(program: Command): void {
  const group = program.command("file").description("keep files that steps read and write");
  addUpload(group);
  addDownload(group);
  addNamedList(group, files, ["NAME", "SIZE", "TYPE", "UPDATED", "DESCRIPTION"], (one) => [
    oneLine(one.name, 60),
    byteSize(one.size),
    oneLine(one.contentType, 40),
    localTime(one.updatedAt),
    oneLine(one.description, 60),
  ]);
  addShow(group);
  addNamedDelete(group, files, "delete a file");
}

interface UploadOptions {
  name?: string;
  type?: string;
  description?: string;
  createOnly?: boolean;
}

function addUpload(group: Command): void {
  group
    .command("upload")
    .argument("<file>", "any file; - reads standard input")
    .option("--name <name>", "what to keep it as; left out, the file's own name")
    .option("--type <media type>", "left out, the file's ending says it")
    .option("--description <text>", "what it is for")
    .option("--create-only", "refuse when a file of that name is there already")
    .description("keep a file, or replace the one of its name")
    .addHelpText(
      "after",
      `
It is there at once when all of it has arrived; until then what was there stays.

Examples:
  $ pawl file upload letter.html
  $ pawl file upload build/report.pdf --name "monthly report" --description "For the board"
  $ tar c site | gzip | pawl file upload - --name site.tar.gz --type application/gzip`,
    )
    .action(async (file: string, options: UploadOptions, command: Command) => {
      const session = openSession(command);
      const name = nameFor(file, options.name);
      const { data, message } = await session.client.uploadFile({
        query: {
          name,
          ...(options.description === undefined ? {} : { description: options.description }),
          ...(options.createOnly ? { onExisting: "fail" as const } : {}),
        },
        bytes: {
          type: options.type ?? mediaTypeOf(file === "-" ? name : file),
          content: await uploadSource(file),
        },
      });
      session.result(data, () => `${safe(message)}\n${describe(data)}`);
    });
}

function addDownload(group: Command): void {
  group
    .command("download")
    .argument("<file>", "name or id")
    .option(
      "-o, --output <path>",
      "where to; - is standard output; left out, the file's name, in this directory",
    )
    .option("-f, --force", "replace the file when it is there")
    .description("save a file")
    .addHelpText(
      "after",
      `
It is compared with its hash, and there when all of it is.

Examples:
  $ pawl file download letter.html
  $ pawl file download "monthly report" --output /tmp/report.pdf
  $ pawl file download site.tar.gz --output - | tar xz`,
    )
    .action(async (nameOrId: string, options: { output?: string; force?: boolean }, command: Command) => {
      const session = openSession(command);
      const found = await findNamed(files, session, nameOrId);
      const { data: file } = await session.client.getFile({ params: { id: found.id } });
      const { data: bytes, headers } = await session.client.downloadFile({ params: { id: file.id } });
      const output = options.output ?? fileNameOf(file.name);
      // Of the bytes that come: somebody may have replaced the file meanwhile.
      const sha256 = /^"([0-9a-f]{64})"$/.exec(headers.get("etag") ?? "")?.[1] ?? file.sha256;
      await writeDownload(bytes, { output, force: options.force }, (all) => compared(all, sha256));
      if (output === "-") return;
      session.result({ ...file, file: output }, () => `Saved as ${safe(output)}.`);
    });
}

async function* compared(bytes: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest("hex") !== sha256) {
    throw new CliError("failed", "What arrived is not what is kept: its hash is another. Download it again.");
  }
}

function addShow(group: Command): void {
  group
    .command("show")
    .argument("<file>", "name or id")
    .description("show what is known of a file")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const { id } = await findNamed(files, session, nameOrId);
      const { data } = await session.client.getFile({ params: { id } });
      session.result(data, () => describe(data));
    });
}

function describe(file: StoredFile): string {
  return fields([
    ["Name", paint("bold", safe(file.name))],
    ["Id", file.id],
    ["Description", oneLine(file.description, 200)],
    ["Type", safe(file.contentType)],
    ["Size", `${byteSize(file.size)} (${file.size} bytes)`],
    ["SHA-256", file.sha256],
    ["Version", `${file.version}, ${localTime(file.updatedAt)} by ${safe(file.updatedBy)}`],
  ]);
}
