import type { Readable } from "node:stream";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authorities } from "../contract/authorities.ts";
import { ApiError, type FaultDetail } from "../contract/errors.ts";
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
import { type AuditNote, entryOf } from "./audit.ts";
import { TextBody } from "./body.ts";
import { type Download, discardRest, sendBytes, type Upload, uploadOf } from "./bytes.ts";
import type { Principal } from "./principal.ts";
import { compileStrings } from "./query.ts";
import type { SessionCookie } from "./session-cookie.ts";
import { checker, throwFaults } from "./validate.ts";

/** What a handler is given: everything checked, converted and typed by the route's schemas. */
export interface Call<R extends Route> {
  params: ParamsOf<R>;
  query: QueryOf<R>;
  headers: HeadersOf<R>;
  /** A string where the route takes text (`textBody`) and text was sent: unchecked, its handler checks it. */
  body: R extends { takesBytes: readonly string[] }
    ? Upload
    : R extends { textBody: readonly string[] }
      ? BodyOf<R> | string
      : BodyOf<R>;
  /** Who is calling. Reading it on a public route throws. */
  readonly principal: Principal;
  /** Aborted when the client has gone before it was answered. */
  readonly signal: AbortSignal;
  /** The session cookie that came with the request, whoever calls. */
  readonly session: string | undefined;
  /** What was kept while the browser was at an identity provider. */
  readonly flow: string | undefined;
  /** Refuses a browser that was sent here by a page of another site. */
  requireOwnPage(): void;
  /** Who the credential belongs to by now, for an answer that takes long. Throws as the route itself would. */
  readmit(): Promise<Principal>;
  /** What the audit record is to say of this request when it succeeds; more than once for more than one line. */
  audit(note: AuditNote): void;
  /** Records it now, before what must not happen unseen. @throws ApiError STORE_UNAVAILABLE: then it must not happen */
  mustAudit(note: AuditNote): Promise<void>;
  requestId: string;
  log: FastifyBaseLogger;
}

/** What a handler answers: data for the envelope, or, on a `bare` route, the body itself. */
export type Answer<R extends Route> = R extends { stream: true }
  ? { stream: Readable }
  : R extends { givesBytes: true }
    ? { download: Download }
    : R extends { bare: true }
      ? { body: DataOf<R>; status?: number; type?: string; headers?: Record<string, string> } & Cookies
      : { data: DataOf<R>; message?: string; meta?: Meta; status?: number } & Cookies;

interface Cookies {
  session?: SessionCookie;
  /** What a sign-in that goes by way of an identity provider keeps meanwhile. */
  flow?: SessionCookie;
}

export type Handler<R extends Route> = (call: Call<R>) => Answer<R> | Promise<Answer<R>>;

/** Registers the handler of a route of the contract's table. */
export function route<N extends RouteName>(
  app: FastifyInstance,
  name: N,
  handler: Handler<(typeof routes)[N]>,
): void {
  addRoute(app, name, routes[name], handler as Handler<Route>);
}

const accesses: ReadonlySet<string> = new Set([...authorities, "authenticated", "public"]);

/** As `route`, for a route that is not in the table (tests; the bridge). Refuses one that doesn't say who may call it. */
export function addRoute<R extends Route>(
  app: FastifyInstance,
  name: string,
  table: R,
  handler: Handler<R>,
): void {
  if (!accesses.has(table.access)) {
    throw new Error(
      `The route ${name} (${table.method} ${table.path}) has no access of the contract: name its authority.`,
    );
  }
  const read = reader(table);
  const status = table.status ?? 200;
  const handle = (request: FastifyRequest, reply: FastifyReply) =>
    handler(new RouteCall(request, reply, read(request)) as unknown as Call<R>);

  app.route({
    method: table.method,
    url: table.path,
    // Load balancers ask with HEAD; nothing that acts answers it.
    exposeHeadRoute: table.method === "GET" && table.access === "public",
    config: { pawl: { name, route: table } },
    async handler(request, reply) {
      const answer = (await (table.takesBytes
        ? refusingUploads(() => handle(request, reply), request, reply)
        : handle(request, reply))) as AnyAnswer;
      reply.code(answer.download?.status ?? answer.status ?? status);
      if (answer.session !== undefined) app.cookies.write(request, reply, "session", answer.session);
      if (answer.flow !== undefined) app.cookies.write(request, reply, "flow", answer.flow);
      if (answer.stream) return sendEvents(reply, answer.stream);
      if (answer.download) return sendBytes(reply, answer.download);
      if (table.bare) return sendBare(reply, answer);
      reply.header("content-type", "application/json; charset=utf-8");
      return JSON.stringify({
        status: "success",
        message: answer.message ?? "Done.",
        data: answer.data ?? null,
        error: null,
        ...(answer.meta ? { meta: answer.meta } : {}),
      });
    },
  });
}

async function refusingUploads<T>(
  handle: () => Promise<T> | T,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<T> {
  try {
    return await handle();
  } catch (error) {
    await discardRest(request, reply);
    throw error;
  }
}

interface AnyAnswer extends Cookies {
  body?: unknown;
  data?: unknown;
  message?: string;
  meta?: Meta;
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  stream?: Readable;
  download?: Download;
}

function sendEvents(reply: FastifyReply, stream: Readable): Readable {
  reply.header("content-type", "text/event-stream; charset=utf-8");
  // nginx would keep events back until it has enough of them.
  reply.header("x-accel-buffering", "no");
  // Idle after its end, the connection would hold a shutdown up.
  reply.header("connection", "close");
  return stream;
}

function sendBare(reply: FastifyReply, { body, type, headers }: AnyAnswer): unknown {
  if (headers) reply.headers(headers);
  if (type !== undefined && typeof body === "string") {
    reply.header("content-type", /charset/i.test(type) ? type : `${type}; charset=utf-8`);
    return body;
  }
  reply.header("content-type", "application/json; charset=utf-8");
  return JSON.stringify(body ?? null);
}

interface Parts {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
}

/** Accessors for what few handlers ask for: an AbortController costs as much as the rest of the call. */
class RouteCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly requestId: string;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply, parts: Parts) {
    this.params = parts.params;
    this.query = parts.query;
    this.headers = parts.headers;
    this.body = parts.body;
    this.requestId = request.id;
    this.#request = request;
    this.#reply = reply;
  }

  get log(): FastifyBaseLogger {
    return this.#request.log;
  }

  get principal(): Principal {
    const { principal } = this.#request;
    if (principal === null) throw new Error("A public route has no principal.");
    return principal;
  }

  get session(): string | undefined {
    return this.#request.server.cookies.read(this.#request, "session");
  }

  get flow(): string | undefined {
    return this.#request.server.cookies.read(this.#request, "flow");
  }

  requireOwnPage(): void {
    this.#request.server.cookies.requireOwnPage(this.#request, { mayBeSilent: true });
  }

  get signal(): AbortSignal {
    return clientGone(this.#reply);
  }

  audit(note: AuditNote): void {
    this.#request.auditNotes ??= [];
    this.#request.auditNotes.push(note);
  }

  async mustAudit(note: AuditNote): Promise<void> {
    await this.#request.server.audit.mustRecord(entryOf(this.#request, note));
    this.#request.audited = true;
  }

  readmit(): Promise<Principal> {
    const { server, routeOptions } = this.#request;
    return server.admit(this.#request, routeOptions.config.pawl!.route.access);
  }
}

function clientGone(reply: FastifyReply): AbortSignal {
  const { raw } = reply;
  const controller = new AbortController();
  const abort = () => {
    if (!raw.writableFinished) controller.abort(new Error("The client has gone."));
  };
  if (raw.destroyed) abort();
  else raw.once("close", abort);
  return controller.signal;
}

/** Compiles what is done to a request before its handler runs; every fault of every part is in the one refusal. */
function reader(table: Route): (request: FastifyRequest) => Parts {
  const readParams = compileStrings(table.params, "params");
  const readQuery = compileStrings(table.query, "query");
  const params = table.params && checker(table.params);
  const query = table.query && checker(table.query);
  const headers = table.headers && checker(table.headers);
  const body = table.body && checker(table.body);
  const required = (table.body as { required?: string[] } | undefined)?.required ?? [];
  const defaulted = (table.body as { properties?: Record<string, { default?: unknown }> } | undefined)
    ?.properties;
  const mustSend = required.filter((name) => defaulted?.[name]?.default === undefined);

  return (request) => {
    const faults: FaultDetail[] = [];
    const givenParams = readParams(request.params as Record<string, unknown>);
    const givenQuery = readQuery(request.query as Record<string, unknown>);
    faults.push(...givenParams.faults, ...givenQuery.faults);
    if (params) faults.push(...params.faults(givenParams.value, "params"));
    if (query) faults.push(...query.faults(givenQuery.value, "query"));
    if (headers) faults.push(...headers.faults(request.headers, "headers"));
    const given = table.takesBytes ? uploadOf(request) : bodyOf(request, table, mustSend);
    const isText = given instanceof TextBody;
    if (body && !isText) faults.push(...body.faults(given));
    if (faults.length > 0) throwFaults(faults);
    return {
      params: givenParams.value,
      query: givenQuery.value,
      headers: request.headers,
      body: isText ? given.text : given,
    };
  };
}

function bodyOf(request: FastifyRequest, table: Route, mustSend: string[]): unknown {
  const { body } = request;
  if (table.body) {
    if (body !== undefined && !(body instanceof TextBody && body.text === "")) return body;
    if (mustSend.length === 0) return {};
    throw new ApiError(
      "VALIDATION_FAILED",
      `The request has no body. Send a JSON object with ${mustSend.join(", ")} and Content-Type: application/json.`,
      { details: mustSend.map((name) => ({ path: `/${name}`, message: "is required." })) },
    );
  }
  if (body === undefined || isEmptyObject(body)) return undefined;
  throw new ApiError("VALIDATION_FAILED", "This request takes no body: send it without one.");
}

function isEmptyObject(body: unknown): boolean {
  return typeof body === "object" && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}
