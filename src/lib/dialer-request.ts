import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Dialer, TlsIdentity } from "./dialer.ts";
import { networkFault } from "./dialer-faults.ts";
import { publicUrl } from "./public-url.ts";
import { StepError } from "./step-error.ts";

export interface GuardedRequest {
  method: string;
  /** http or https. A user and password in it are sent as Basic authorization. */
  url: URL;
  /** By lower-case name. */
  headers?: Readonly<Record<string, string>>;
  /** Like `headers`, which win over them; dropped with the first redirect to another origin, whatever they are called. */
  credentials?: Readonly<Record<string, string>>;
  /** Of us and of those we trust; left behind with the first redirect to another origin, as the credentials are. */
  identity?: TlsIdentity | undefined;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** 0 hands the redirect itself back. */
  maxRedirects: number;
  /** Of the body, after decompression. What is longer is cut there and the connection closed. */
  maxResponseBytes: number;
}

export interface GuardedResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** The body was longer than `maxResponseBytes`. */
  truncated: boolean;
  /** Where the answer came from in the end. */
  url: URL;
}

// Whatever else the caller set may be a credential under any name (x-api-key, private-token): undici and the browsers'
// fetch drop only `authorization` and `cookie`, and hand such a header to wherever a redirect points.
const CROSSES_ORIGINS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-type",
  "idempotency-key",
  "user-agent",
]);

const DECODERS = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const;

/** One HTTP exchange through the dialer: redirects by hand, each checked anew, and never more body than asked for. */
export async function guardedRequest(dialer: Dialer, request: GuardedRequest): Promise<GuardedResponse> {
  if (request.identity === undefined) return follow(dialer, request, undefined);
  const own = dialer.dispatcherWith(request.identity);
  try {
    return await follow(dialer, request, own);
  } finally {
    // What it answered has been read, or is not wanted.
    await own.destroy();
  }
}

async function follow(
  dialer: Dialer,
  request: GuardedRequest,
  own: Dispatcher | undefined,
): Promise<GuardedResponse> {
  const { signal, maxRedirects } = request;
  let { method, body } = request;
  let url = new URL(request.url);
  let dispatcher = own ?? dialer.dispatcher;
  const { credentials = {} } = request;
  let headers: Record<string, string> = { "accept-encoding": "gzip, br", ...credentials, ...request.headers };
  if ((url.username || url.password) && headers.authorization === undefined) {
    headers.authorization = basic(url);
  }
  for (let hops = 0; ; hops++) {
    url.username = "";
    url.password = "";
    const target = `${method} ${publicUrl(url)}`;
    const response = await exchange(dispatcher, { method, url, headers, body, signal }, target);
    const next = redirectTarget(response, url);
    if (next === undefined || maxRedirects === 0) {
      const answer = await readBody(response, { limit: request.maxResponseBytes, target, signal });
      return { status: response.statusCode, headers: plain(response.headers), ...answer, url };
    }
    discard(response.body);
    if (hops >= maxRedirects) {
      throw redirectFault(
        `${target} was redirected more than ${maxRedirects} times; the last one was refused.`,
      );
    }
    if (next.protocol !== "http:" && next.protocol !== "https:") {
      throw redirectFault(
        `${target} was redirected to a ${next.protocol} address, and only http and https are.`,
      );
    }
    if (turnsToGet(response.statusCode, method)) {
      method = "GET";
      body = undefined;
      headers = without(headers, (name) => name.startsWith("content-") || name === "idempotency-key");
    }
    if (next.origin !== url.origin) {
      dispatcher = dialer.dispatcher;
      headers = without(headers, (name) => !CROSSES_ORIGINS.has(name) || Object.hasOwn(credentials, name));
    }
    url = next;
  }
}

interface Exchange extends Pick<GuardedRequest, "method" | "url" | "headers" | "body" | "signal"> {}

async function exchange(
  dispatcher: Dispatcher,
  call: Exchange,
  target: string,
): Promise<Dispatcher.ResponseData> {
  const { method, url, headers, body, signal } = call;
  signal?.throwIfAborted();
  try {
    return await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers: headers as Record<string, string>,
      body: body ?? null,
      signal: signal ?? null,
    });
  } catch (error) {
    throw faultOf(error, target, signal);
  }
}

interface Reading {
  limit: number;
  target: string;
  signal: AbortSignal | undefined;
}

async function readBody(
  response: Dispatcher.ResponseData,
  { limit, target, signal }: Reading,
): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(response, target)) {
      size += chunk.length;
      if (size > limit) {
        chunks.push(chunk.subarray(0, chunk.length - (size - limit)));
        // Leaving the loop destroys the stream, and with it the socket: the rest is never sent.
        return { body: Buffer.concat(chunks), truncated: true };
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw faultOf(error, target, signal);
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

/** The body without its content coding. It is decoded as it comes and only as far as it is read: a bomb unpacks to the limit. */
async function* decoded({ body, headers }: Dispatcher.ResponseData, target: string): AsyncGenerator<Buffer> {
  const coding = String(headers["content-encoding"] ?? "identity")
    .trim()
    .toLowerCase();
  if (coding === "identity" || coding === "") {
    yield* body;
    return;
  }
  const create = Object.hasOwn(DECODERS, coding) ? DECODERS[coding as keyof typeof DECODERS] : undefined;
  if (create === undefined) {
    discard(body);
    const message = `${target} answered in a content coding that is not supported: ${coding.slice(0, 50)}.`;
    throw new StepError("RESPONSE_INVALID", message, { retryable: false });
  }
  const decoder = create();
  try {
    yield* pipeline(body, decoder, () => {});
  } catch (error) {
    // No body at all (HEAD, 304) is not a broken one, whatever coding it announces.
    if (decoder.bytesWritten > 0 || (error as NodeJS.ErrnoException).code !== "Z_BUF_ERROR") throw error;
  }
}

function faultOf(error: unknown, target: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  const code = String((error as NodeJS.ErrnoException)?.code ?? "");
  if (code.startsWith("Z_") || code.startsWith("ERR__ERROR_FORMAT") || code.startsWith("ZSTD_")) {
    const message = `${target} sent a body that is not in the content coding it announced (${code}).`;
    return new StepError("RESPONSE_INVALID", message, { cause: error });
  }
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") {
    const message = `${target} can't be sent: ${(error as Error).message}.`;
    return new StepError("INVALID_INPUT", message, { retryable: false, cause: error });
  }
  return networkFault(error, target);
}

function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData, base: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const location = [headers.location].flat()[0];
  return location === undefined ? undefined : (URL.parse(location, base.href) ?? undefined);
}

/** As browsers do: 303 always, and 301 and 302 after a POST. 307 and 308 repeat the request as it was. */
function turnsToGet(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function redirectFault(message: string): StepError {
  return new StepError("REDIRECT_REFUSED", message, { retryable: false });
}

function discard(body: Readable): void {
  // Destroying a body that was not read to its end makes it emit an error, which would end the process.
  body.on("error", () => {});
  body.destroy();
}

function without(headers: Record<string, string>, drop: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === "accept-encoding" || !drop(name)),
  );
}

function plain(headers: Dispatcher.ResponseData["headers"]): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === "__proto__") continue;
    result[name] = Array.isArray(value) && name !== "set-cookie" ? value.join(", ") : value;
  }
  return result;
}

function basic(url: URL): string {
  return `Basic ${Buffer.from(`${unescaped(url.username)}:${unescaped(url.password)}`).toString("base64")}`;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
