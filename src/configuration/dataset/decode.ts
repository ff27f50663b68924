import { ApiError } from "../../contract/errors.ts";

/** The text of an upload: UTF-8, or UTF-16 where it says so with its first bytes, as spreadsheets write it. */
export async function* decoded(bytes: AsyncIterable<Buffer>, limit: number): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let size = 0;
  let start = Buffer.alloc(0);
  for await (const piece of bytes) {
    size += piece.length;
    if (size > limit) throw tooLarge(limit);
    if (decoder === undefined) {
      start = Buffer.concat([start, piece]);
      if (start.length < 2) continue;
      decoder = new TextDecoder(encodingOf(start), { fatal: true });
      yield decode(decoder, start);
    } else yield decode(decoder, piece);
  }
  yield decode(decoder ?? new TextDecoder("utf-8", { fatal: true }), decoder ? undefined : start);
}

type Decoder = InstanceType<typeof TextDecoder>;

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  return start[0] === 0xfe && start[1] === 0xff ? "utf-16be" : "utf-8";
}

/** Without bytes: what is left at the end. */
function decode(decoder: Decoder, bytes: Buffer | undefined): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new ApiError(
      "VALIDATION_FAILED",
      `The upload is not valid ${decoder.encoding.toUpperCase()}. Save it as UTF-8 and send it again.`,
    );
  }
}

function tooLarge(limit: number): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The dataset is larger than ${limit / 1024 / 1024} MiB. Send less, or keep it as a file.`,
  );
}
