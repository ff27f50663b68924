import { ApiError } from "../../contract/errors.ts";
import { isForeignKeyViolation } from "../../db/faults.ts";
import { longestUploadMs, type Upload } from "../../http/bytes.ts";
import { newId } from "../../lib/ids.ts";
import type { ContentStore } from "../content-store.ts";
import { nameTaken, requireVersion } from "../named.ts";
import { digestsOf, type SentDigests } from "./digest.ts";
import { chunkBytes, type FileRow, type FileStore } from "./store.ts";

export interface FileDeps {
  files: FileStore;
  contents: ContentStore;
  /** Bytes that a file may have. */
  limit: number;
}

export interface FileToKeep {
  name: string;
  description?: string | undefined;
  onExisting?: "replace" | "fail" | undefined;
  expectedVersion?: number | undefined;
  contentType: string;
  /** As the sender announces it; what arrives is what counts. */
  size?: number | undefined;
  digests: SentDigests;
  by: string;
}

/** Longer than any upload may take: what one has written so far is not removed under its hands. */
const uploadKeptMs = 2 * longestUploadMs;

/**
 * Keeps a file as it arrives, and takes it over when all of it is there.
 * @throws ApiError VALIDATION_FAILED (a digest), CONFLICT, PAYLOAD_TOO_LARGE, MALFORMED_JSON (it broke off)
 */
export async function uploadFile(deps: FileDeps, file: FileToKeep, bytes: Upload): Promise<FileRow> {
  const { files, contents, limit } = deps;
  const digests = digestsOf(file.digests);
  const contentType = checkedType(file.contentType);
  if (file.size !== undefined && file.size > limit) throw tooLarge(limit);
  // What can't be taken over in the end need not be sent first.
  checkPlace(file, await files.find({ name: file.name }));

  const contentId = await contents.begin(uploadKeptMs);
  try {
    const size = await writeChunks(files, contentId, bounded(bytes, limit, digests.update));
    const sha256 = digests.finish();
    return await takeOver(deps, file, { contentId, contentType, size, sha256 });
  } catch (error) {
    if (isForeignKeyViolation(error)) throw tookTooLong();
    // Where this fails too, the sweep does it later.
    await contents.drop(contentId).catch(() => {});
    throw error;
  }
}

async function* bounded(bytes: Upload, limit: number, see: (bytes: Buffer) => void): Upload {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > limit) throw tooLarge(limit);
    see(piece);
    yield piece;
  }
}

/** Answers how many bytes there were. Holds one chunk in memory, and reads no faster than it writes. */
async function writeChunks(files: FileStore, contentId: string, bytes: Upload): Promise<number> {
  let n = 0;
  let size = 0;
  let held = Buffer.alloc(0);
  for await (const piece of bytes) {
    size += piece.length;
    held = Buffer.concat([held, piece]);
    while (held.length >= chunkBytes) {
      await files.writeChunk(contentId, n++, held.subarray(0, chunkBytes));
      held = held.subarray(chunkBytes);
    }
  }
  if (held.length > 0) await files.writeChunk(contentId, n, held);
  return size;
}

type Written = Pick<FileRow, "contentId" | "contentType" | "size" | "sha256">;

async function takeOver({ files, contents }: FileDeps, file: FileToKeep, written: Written): Promise<FileRow> {
  for (;;) {
    const taken = await files.transaction(async (client) => {
      const before = await files.lock(client, { name: file.name });
      checkPlace(file, before);
      const row = rowOf(file, written, before);
      if (before === undefined && !(await files.insert(client, row))) return undefined;
      if (before !== undefined) {
        await files.update(client, row);
        await contents.release(client, [before.contentId]);
      }
      await contents.keep(client, row.contentId);
      return row;
    });
    // Else another upload made the name between the look and the insert: look again.
    if (taken) return taken;
  }
}

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

function checkPlace(file: FileToKeep, before: FileRow | undefined): void {
  if (before === undefined) {
    if (file.expectedVersion === undefined) return;
    throw new ApiError("CONFLICT", "There is no such file any more: leave expectedVersion out to make it.");
  }
  if (file.onExisting === "fail") throw nameTaken("file", file.name);
  requireVersion("file", before, file.expectedVersion);
}

function checkedType(text: string): string {
  const type = text.trim() === "" ? "application/octet-stream" : text.trim();
  if (
    /^[\w.+!#$&^-]+\/[\w.+!#$&^-]+(\s*;\s*[\w.-]+=("[ !#-[\]-~]*"|[\w.+:/-]+))*$/.test(type) &&
    type.length <= 200
  ) {
    return type;
  }
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

function tookTooLong(): ApiError {
  return new ApiError("MALFORMED_JSON", "The upload took too long, and was given up. Send it again.");
}
