import { readFileSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import type { Client } from "../client/client.ts";
import { ClientError } from "../client/error.ts";
import type { Job } from "../contract/job.ts";
import { CliError } from "./exit.ts";

/** Saves the job that a file describes. Pawl's faults come back with the file's line and column. */
export async function applyFile(
  client: Client,
  file: string,
  onExisting: "replace" | "fail",
): Promise<{ job: Job; created: boolean }> {
  const content = readSource(file);
  try {
    const answer = await client.importJob({
      text: { type: file.endsWith(".json") ? "application/json" : "application/yaml", content },
      query: { onExisting },
    });
    return { job: answer.data, created: answer.status === 201 };
  } catch (error) {
    throw error instanceof ClientError ? placed(error, file, content) : error;
  }
}

/** What a file says; - is standard input. */
export function readSource(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "is not there" : `can't be read (${code})`;
    throw new CliError("usage", `The file ${file} ${why}.`);
  }
}

/** The same fault with `file:line:column` instead of a pointer, wherever the pointer leads into the file. */
export function placed(error: ClientError, file: string, content: string): ClientError {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines });
  const found = error.details.map((detail) => ({
    detail,
    at: document.errors.length > 0 ? undefined : offsetOf(document, detail.path),
  }));
  // From top to bottom, as the file is mended; what is missing as a whole comes first.
  found.sort((a, b) => (a.at ?? -1) - (b.at ?? -1));
  const details = found.map(({ detail, at }) => {
    if (at === undefined) return detail;
    const { line, col } = lines.linePos(at);
    return { path: `${name(file)}:${line}:${col}`, message: `${detail.path} ${detail.message}` };
  });
  const { status, requestId, retryAfter } = error;
  return new ClientError(error.code, `${name(file)}: ${error.message}`, {
    status,
    details,
    cause: error,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Where the node of a JSON pointer begins; the nearest enclosing one when it is missing there. */
function offsetOf(document: ReturnType<typeof parseDocument>, pointer: string): number | undefined {
  const path = pointer.split("/").slice(1).map(unescapePointer);
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true) as
      | { range?: [number, number, number] }
      | undefined;
    if (node?.range) return node.range[0];
  }
  return undefined;
}

function unescapePointer(part: string): string | number {
  const text = part.replaceAll("~1", "/").replaceAll("~0", "~");
  return /^\d+$/.test(text) ? Number(text) : text;
}

function name(file: string): string {
  return file === "-" ? "(standard input)" : file;
}
