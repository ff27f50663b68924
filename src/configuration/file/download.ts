import type { Download } from "../../http/bytes.ts";
import { chunkBytes, type FileRow, type FileStore } from "./store.ts";

interface Span {
  from: number;
  /** The first byte that is not in it. */
  to: number;
}

/** The bytes of a file, or the one range that was asked for. */
export function downloadFile(
  files: FileStore,
  file: FileRow,
  asked: { range?: string | undefined; "if-range"?: string | undefined },
): Download {
  const { name, contentType, size } = file;
  const etag = `"${file.sha256}"`;
  const stale = asked["if-range"] !== undefined && asked["if-range"] !== etag;
  const span = stale ? undefined : spanOf(asked.range, size);
  const { from, to } = span ?? { from: 0, to: size };
  return {
    bytes: readSpan(files, file, { from, to }),
    name,
    type: contentType,
    size: to - from,
    status: span ? 206 : 200,
    headers: {
      etag,
      "accept-ranges": "bytes",
      ...(span ? { "content-range": `bytes ${from}-${to - 1}/${size}` } : {}),
    },
  };
}

/** All of it, as a step reads it. */
export async function* readSpan(files: FileStore, file: FileRow, { from, to }: Span): AsyncIterable<Buffer> {
  for (let at = from; at < to; ) {
    const n = Math.floor(at / chunkBytes);
    const chunk = await files.readChunk(file.contentId, n);
    // A size was announced: to end early would show half of a file as the whole of it.
    if (!chunk) throw new Error(`The content of the file ${file.id} was removed while it was read.`);
    const start = n * chunkBytes;
    yield chunk.subarray(at - start, Math.min(chunk.length, to - start));
    at = start + chunkBytes;
  }
}

/** `bytes=0-99`, `bytes=100-`, `bytes=-100`. Any other is as if it were not there, as HTTP allows. */
function spanOf(range: string | undefined, size: number): Span | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  const span =
    first === ""
      ? { from: Math.max(0, size - Number(last)), to: size }
      : { from: Number(first), to: last === "" ? size : Math.min(size, Number(last) + 1) };
  return span.from < span.to ? span : undefined;
}
