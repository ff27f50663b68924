import { ApiError } from "../../contract/errors.ts";
import type { Upload } from "../../http/bytes.ts";
import { newId } from "../../lib/ids.ts";
import type { ContentStore } from "../content-store.ts";
import { uploadContent } from "../take-over.ts";
import type { RecordUsage } from "../usage.ts";
import { digestsOf, type SentDigests } from "./digest.ts";
import { chunkBytes, type FileRow, type FileStore } from "./store.ts";

export interface FileDeps {
  store: FileStore;
  usageOf: RecordUsage;
  contents: ContentStore;
  /** Bytes that a file may have. */
  limit: number;
}

export interface FileToKeep {
  name: string;
  description?: string | undefined;
  onExisting?: "replace" | "fail" | undefined;
  expectedVersion?: number | undefined;
  digests: SentDigests;
  by: string;
}

/**
 * Keeps a file as it arrives, and takes it over when all of it is there.
 * @throws ApiError VALIDATION_FAILED (a digest), CONFLICT, PAYLOAD_TOO_LARGE, MALFORMED_JSON (it broke off)
 */
export async function uploadFile(deps: FileDeps, file: FileToKeep, bytes: Upload): Promise<FileRow> {
  const digests = digestsOf(file.digests);
  const contentType = checkedType(bytes.type);
  if (bytes.size !== undefined && bytes.size > deps.limit) throw tooLarge(deps.limit);
  return uploadContent<FileRow>(deps, { noun: "file", ...file }, async (contentId) => {
    const size = await writeChunks(deps.store, contentId, bounded(bytes, deps.limit, digests.update));
    const sha256 = digests.finish();
    return (before) => rowOf(file, { contentId, contentType, size, sha256 }, before);
  });
}

async function* bounded(bytes: AsyncIterable<Buffer>, limit: number, see: (bytes: Buffer) => void) {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > limit) throw tooLarge(limit);
    see(piece);
    yield piece;
  }
}

/** Answers how many bytes there were. Holds one chunk in memory, and reads no faster than it writes. */
async function writeChunks(
  store: FileStore,
  contentId: string,
  bytes: AsyncIterable<Buffer>,
): Promise<number> {
  let n = 0;
  let size = 0;
  let held = 0;
  let pieces: Buffer[] = [];
  for await (const piece of bytes) {
    size += piece.length;
    held += piece.length;
    pieces.push(piece);
    if (held < chunkBytes) continue;
    let all = Buffer.concat(pieces);
    for (; all.length >= chunkBytes; all = all.subarray(chunkBytes)) {
      await store.writeChunk(contentId, n++, all.subarray(0, chunkBytes));
    }
    pieces = [all];
    held = all.length;
  }
  if (held > 0) await store.writeChunk(contentId, n, Buffer.concat(pieces));
  return size;
}

type Written = Pick<FileRow, "contentId" | "contentType" | "size" | "sha256">;

function rowOf(file: FileToKeep, written: Written, before: FileRow | undefined): FileRow {
  const now = new Date();
  return {
    id: before?.id ?? newId(),
    name: file.name,
    description: file.description ?? before?.description ?? "",
    ...written,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? now,
    createdBy: before?.createdBy ?? file.by,
    updatedAt: now,
    updatedBy: file.by,
  };
}

function checkedType(text: string): string {
  const type = text.trim() === "" ? "application/octet-stream" : text.trim();
  const shape = /^[\w.+!#$&^-]+\/[\w.+!#$&^-]+(\s*;\s*[\w.-]+=("[ !#-[\]-~]*"|[\w.+:/-]+))*$/;
  if (type.length <= 200 && shape.test(type)) return type;
  throw new ApiError(
    "UNSUPPORTED_MEDIA_TYPE",
    "The Content-Type is not a media type: send one such as text/csv.",
  );
}

function tooLarge(limit: number): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The file is larger than ${limit} bytes. Send a smaller one, or have PAWL_FILE_LIMIT raised.`,
  );
}
