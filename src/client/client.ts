import type { FaultDetail } from "../contract/errors.ts";
import {
  type BodyOf,
  type DataOf,
  type HeadersOf,
  type ParamsOf,
  type QueryOf,
  type Route,
  type RouteName,
  routes,
} from "../contract/routes.ts";
import type { Meta } from "../contract/shapes.ts";
import { ClientError } from "./error.ts";
import { readEvents } from "./events.ts";

type Routes = typeof routes;

/** A part of the request: absent where the route has none, optional where every field of it is. */
type Part<K extends string, T> = T extends undefined
  ? { [P in K]?: undefined }
  : Record<never, never> extends T
    ? { [P in K]?: T }
    : { [P in K]: T };

/** A body in one of the route's other media types (`textBody`), sent as it is instead of `body`. */
export interface TextBody {
  type: string;
  content: string;
}

/** What an upload is read from. A stream is sent as it comes. */
export interface Bytes {
  type: string;
  content: Blob | Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;
}

type BodyPart<R extends Route> = R extends { takesBytes: readonly string[] }
  ? { bytes: Bytes }
  : R extends { textBody: string[] }
    ? { body: BodyOf<R>; text?: undefined } | { body?: undefined; text: TextBody }
    : Part<"body", BodyOf<R>>;

export type RequestOf<R extends Route> = Part<"params", ParamsOf<R>> &
  Part<"query", QueryOf<R>> &
  Part<"headers", HeadersOf<R>> &
  BodyPart<R> & { signal?: AbortSignal };

export interface Answer<R extends Route> {
  data: R extends { givesBytes: true } ? ReadableStream<Uint8Array> : DataOf<R>;
  /** The envelope's sentence; empty where the route answers without an envelope. */
  message: string;
  meta: R extends { meta: unknown } ? Meta : undefined;
  status: number;
  headers: Headers;
}

type Call<R extends Route> = R extends { stream: true }
  ? (request: RequestOf<R>) => AsyncGenerator<DataOf<R>>
  : Record<never, never> extends RequestOf<R>
    ? (request?: RequestOf<R>) => Promise<Answer<R>>
    : (request: RequestOf<R>) => Promise<Answer<R>>;

export type Client = { readonly [N in RouteName]: Call<Routes[N]> };

export interface ClientOptions {
  /** Where Pawl answers, e.g. http://127.0.0.1:7295; a path in it is kept. */
  url: string;
  token?: string | undefined;
  fetch?: typeof fetch;
}

/**
 * A method per route of the contract, each with that route's types. Failures are thrown as ClientError; a call
 * aborted through its `signal` throws the signal's reason.
 *
 * A start with `async: false` may be silent for longer than the platform's fetch waits for the first byte (five minutes
 * in Node): for such jobs start asynchronously and read the execution until it has ended.
 */
export function createClient(options: ClientOptions): Client {
  const calls = Object.entries<Route>(routes).map(([name, route]) => [
    name,
    (request: LooseRequest = {}) =>
      route.stream ? stream(options, route, request) : send(options, route, request),
  ]);
  return Object.fromEntries(calls) as Client;
}

interface LooseRequest {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  text?: TextBody;
  bytes?: Bytes;
  signal?: AbortSignal;
}

/** The events as they come. Ends when Pawl ends the stream: ask again then, with the id of the last. */
async function* stream(options: ClientOptions, route: Route, request: LooseRequest) {
  const response = await call(options, route, request);
  if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
    throw failure(options, response, await readText(options, response, request.signal));
  }
  try {
    yield* readEvents(response.body!);
  } catch (cause) {
    throw request.signal?.aborted ? request.signal.reason : unreachable(options, cause);
  }
}

function call(options: ClientOptions, route: Route, request: LooseRequest): Promise<Response> {
  const address = options.url.replace(/\/+$/, "") + target(route, request);
  return reach(options, address, {
    method: route.method,
    headers: headersOf(options, route, request),
    body: bodyOf(route, request),
    ...(request.bytes?.content instanceof ReadableStream ? { duplex: "half" } : {}),
    // The token is for this address: following a redirect would show it to another.
    redirect: "manual",
    signal: request.signal,
  });
}

async function send(options: ClientOptions, route: Route, request: LooseRequest) {
  const response = await call(options, route, request);
  if (response.ok && route.givesBytes) {
    const data = response.body ?? new Blob([]).stream();
    return { data, message: "", meta: undefined, status: response.status, headers: response.headers };
  }
  const text = await readText(options, response, request.signal);
  if (!response.ok) throw failure(options, response, text);
  return { ...unwrap(options, route, response, text), status: response.status, headers: response.headers };
}

function target(route: Route, request: LooseRequest): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = request.params?.[name];
    // An empty segment would name another route, and "." and ".." would be resolved away.
    if (value === undefined || /^\.{0,2}$/.test(String(value))) {
      throw new TypeError(`${route.method} ${route.path} needs a value for "${name}".`);
    }
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    for (const item of [value].flat()) if (item !== undefined) query.append(name, String(item));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

function headersOf(options: ClientOptions, route: Route, request: LooseRequest): Record<string, string> {
  const accepted = route.givesBytes ? ["*/*"] : (route.produces ?? ["application/json"]);
  const headers: Record<string, string> = { accept: accepted.join(", ") };
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (value !== undefined) headers[name] = value;
  }
  if (options.token && route.access !== "public") headers.authorization = `Bearer ${options.token}`;
  if (request.bytes) headers["content-type"] = request.bytes.type;
  if (route.body) headers["content-type"] = request.text?.type ?? "application/json";
  return headers;
}

function bodyOf(route: Route, request: LooseRequest): Bytes["content"] | undefined {
  if (request.bytes) return request.bytes.content;
  if (!route.body) return undefined;
  return request.text ? request.text.content : JSON.stringify(request.body ?? {});
}

async function reach(options: ClientOptions, address: string, init: RequestInit): Promise<Response> {
  try {
    return await (options.fetch ?? fetch)(address, init);
  } catch (cause) {
    throw init.signal?.aborted ? init.signal.reason : unreachable(options, cause);
  }
}

async function readText(options: ClientOptions, response: Response, signal: AbortSignal | undefined) {
  try {
    return await response.text();
  } catch (cause) {
    throw signal?.aborted ? signal.reason : unreachable(options, cause);
  }
}

function unreachable({ url }: ClientOptions, cause: unknown): ClientError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = (inner as { code?: string } | null)?.code;
  const message = inner instanceof Error ? inner.message : String(inner);
  const says: Record<string, string> = {
    ECONNREFUSED: `Pawl does not answer at ${url}: is it running? Start it with \`npx pawl serve\`.`,
    ENOTFOUND: `The host name in ${url} is not known: check the address of Pawl.`,
    EAI_AGAIN: `The host name in ${url} could not be looked up just now: check the network, then try again.`,
    ECONNRESET: `Pawl at ${url} closed the connection before it answered: try again.`,
    UND_ERR_SOCKET: `Pawl at ${url} closed the connection before it answered: try again.`,
    UND_ERR_HEADERS_TIMEOUT: `Pawl at ${url} took too long to answer: the request may still be under way there.`,
  };
  if (message === "bad port") {
    return new ClientError("UNREACHABLE", `${url} has a port that fetch never talks to: give Pawl another.`, {
      cause,
    });
  }
  const sentence = (code && says[code]) || `Pawl can't be reached at ${url} (${code ?? message}).`;
  return new ClientError("UNREACHABLE", sentence, { cause });
}

function unwrap(options: ClientOptions, route: Route, response: Response, text: string) {
  if (route.produces) return { data: text, message: "", meta: undefined };
  const body = parse(text);
  if (route.bare) {
    if (body === undefined) throw foreign(options, response);
    return { data: body, message: "", meta: undefined };
  }
  if (!isRecord(body) || !("data" in body)) throw foreign(options, response);
  return { data: body.data, message: String(body.message ?? ""), meta: body.meta ?? undefined };
}

function failure(options: ClientOptions, response: Response, text: string): ClientError {
  const body = parse(text);
  const error = isRecord(body) && isRecord(body.error) ? body.error : undefined;
  if (!isRecord(body) || typeof error?.code !== "string") return foreign(options, response);
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ClientError(error.code as ClientError["code"], String(body.message), {
    status: response.status,
    details: Array.isArray(error.details) ? (error.details as FaultDetail[]) : [],
    requestId: typeof error.requestId === "string" ? error.requestId : undefined,
    retryAfter: Number.isFinite(after) ? after : undefined,
  });
}

/** Something answered, but not as Pawl does: another program on the port, or a proxy in between. */
function foreign({ url }: ClientOptions, response: Response): ClientError {
  const type = response.headers.get("content-type")?.split(";")[0] ?? "no content type";
  const location = response.headers.get("location");
  if (location !== null) {
    return new ClientError(
      "UNEXPECTED_ANSWER",
      `${url} redirects to ${location}: if that is your Pawl, use its address instead.`,
      { status: response.status },
    );
  }
  return new ClientError(
    "UNEXPECTED_ANSWER",
    `What answers at ${url} is not Pawl, or a proxy stands before it (HTTP ${response.status}, ${type}): check the address.`,
    { status: response.status },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
