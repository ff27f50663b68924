import { ApiError } from "../../contract/errors.ts";
import type { OpenedFile, StoredFile } from "../../contract/file.ts";
import { findByIdOrName, noSuch } from "../named.ts";
import { readSpan } from "./download.ts";
import { presentFile } from "./present.ts";
import type { FileRow } from "./store.ts";
import { type FileDeps, uploadFile } from "./upload.ts";

/**
 * For a step: the file that it names by id or name.
 * @throws ApiError NOT_FOUND
 */
export async function openFile({ store }: FileDeps, idOrName: string): Promise<OpenedFile> {
  const row = await findByIdOrName<FileRow>(store, idOrName);
  if (!row) throw noSuch("file");
  const all = { from: 0, to: row.size };
  return {
    file: presentFile(row),
    bytes: { [Symbol.asyncIterator]: () => readSpan(store, row, all)[Symbol.asyncIterator]() },
  };
}

export interface FileToWrite {
  name: string;
  contentType: string;
  description?: string | undefined;
  onExisting?: "replace" | "fail" | undefined;
  by: string;
}

/**
 * For a step: keeps a file under a name, in the place of the one that has it.
 * @throws ApiError VALIDATION_FAILED, CONFLICT, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
export async function writeFile(
  deps: FileDeps,
  { contentType, ...file }: FileToWrite,
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredFile> {
  if (file.name.includes("\0") || !file.name.isWellFormed()) {
    throw new ApiError("VALIDATION_FAILED", "Its name has a character that can't be kept. Give it another.");
  }
  const upload = { type: contentType, size: undefined, [Symbol.asyncIterator]: () => buffers(bytes) };
  return presentFile(await uploadFile(deps, { ...file, digests: {} }, upload));
}

async function* buffers(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of bytes) {
    yield Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  }
}
