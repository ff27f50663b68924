import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";

/** Nothing arrives for so long: the client has gone, or holds the connection for its own sake. */
const idleMs = 30_000;
/** No upload takes longer: what it has written so far is kept for it until then. */
export const longestUploadMs = 3_600_000;
/** How much of a refused body is still read, so that the client gets to see the refusal. */
const drained = { bytes: 16 * 1024 * 1024, ms: 5_000 };

/** What a file may be shown as. All else is bytes: a page or a drawing could act in the name of whoever opens it. */
const inertTypes: ReadonlySet<string> = new Set([
  "application/gzip",
  "application/json",
  "application/pdf",
  "application/zip",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
  "text/csv",
  "text/plain",
]);

/** What is uploaded, as it comes. Read it with `for await`: what the reader throws is the answer. */
export interface Upload extends AsyncIterable<Buffer> {
  /** The Content-Type as it was sent; empty: none. */
  type: string;
  /** Bytes, as they were announced; what arrives is what counts. */
  size: number | undefined;
}

/**
 * Makes a scope whose routes take bodies as they come, whatever their type; register in it only routes that have
 * `takesBytes`. The framework would read JSON whole and parse it.
 */
export function takingBytes(app: FastifyInstance, register: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (request, payload, done) => {
      try {
        requireType(request);
        done(null, payload);
      } catch (error) {
        done(error as Error);
      }
    });
    register(scope);
  });
}

function requireType(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "Send the body as it is, without Content-Encoding.");
  }
  const taken: readonly string[] = request.routeOptions.config.pawl!.route.takesBytes ?? [];
  const type = (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  if (taken.includes("*/*") || taken.includes(type)) return;
  throw new ApiError(
    "UNSUPPORTED_MEDIA_TYPE",
    `This request takes ${taken.join(", ")}: say which with Content-Type.`,
  );
}

/** The body of a request as its handler reads it: bounded in silence and in time, and never half of it passed off as all. */
export function uploadOf(request: FastifyRequest): Upload {
  const { "content-type": type = "", "content-length": size } = request.headers;
  return {
    type,
    size: size === undefined ? undefined : Number(size),
    [Symbol.asyncIterator]: () => arriving(request),
  };
}

async function* arriving(request: FastifyRequest): AsyncGenerator<Buffer> {
  const raw = request.body as IncomingMessage | undefined;
  if (raw === undefined) return;
  const { socket } = request.raw;
  const cut = () => socket.destroy();
  const total = setTimeout(cut, longestUploadMs).unref();
  let idle = setTimeout(cut, idleMs).unref();
  try {
    // Else a reader that stops early would close the socket, and with it the way for the answer.
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      clearTimeout(idle);
      yield chunk as Buffer;
      idle = setTimeout(cut, idleMs).unref();
    }
  } catch (error) {
    if (raw.complete) throw error;
    throw new ApiError("MALFORMED_JSON", "The body ended before its end.");
  } finally {
    clearTimeout(total);
    clearTimeout(idle);
  }
}

/** After a refusal: reads on for a while, and has the connection closed if that was not all. */
export async function discardRest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const raw = request.body as IncomingMessage | undefined;
  if (raw === undefined || raw.readableEnded || raw.destroyed) return;
  let left = drained.bytes;
  const read = (async () => {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      left -= (chunk as Buffer).length;
      if (left < 0) return;
    }
  })().catch(() => {});
  const limit = new AbortController();
  await Promise.race([read, delay(drained.ms, undefined, { signal: limit.signal }).catch(() => {})]);
  limit.abort();
  if (!raw.readableEnded) reply.header("connection", "close");
}

/** Bytes to answer with. `size` is left out where it is not known beforehand. */
export interface Download {
  bytes: AsyncIterable<Buffer | string>;
  name: string;
  type: string;
  size?: number;
  status?: number;
  headers?: Record<string, string>;
}

/** Never shown by a browser as a page of ours: always saved, and with no rights if it is opened all the same. */
export function sendBytes(reply: FastifyReply, { bytes, name, type, size, headers }: Download): Readable {
  const mime = type.split(";")[0]!.trim().toLowerCase();
  reply
    .headers(headers ?? {})
    .header("content-type", inertTypes.has(mime) ? type : "application/octet-stream")
    .header("content-disposition", attachment(name))
    .header("content-security-policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
    .header("x-content-type-options", "nosniff");
  if (size !== undefined) reply.header("content-length", size);
  return Readable.from(bytes, { objectMode: false });
}

/** RFC 6266: a plain name for old clients, and the name itself. */
function attachment(name: string): string {
  const plain = name.replace(/[^\w .()+,@-]/g, "_").slice(0, 150);
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
