import helmet from "@fastify/helmet";
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
} from "fastify";
import { ApiError } from "../contract/errors.ts";
import { removedPaths } from "../contract/mcp-server-routes.ts";
import { type Authenticate, guard } from "./access.ts";
import { type Audit, auditRequests, noAudit } from "./audit.ts";
import { addBodyParsers, bodyLimit } from "./body.ts";
import { answerBrokenHttp } from "./broken-http.ts";
import { type IsStoreUnavailable, refusalOf } from "./failure.ts";
import { RequestLog } from "./log.ts";
import { limitRates, type RateLimits } from "./rate-limit.ts";
import { addReference } from "./reference.ts";
import { requestIdOf } from "./request-id.ts";
import { sessionCookies } from "./session-cookie.ts";
import { drainable } from "./shutdown.ts";
import { refuseSlowBodies } from "./slow-bodies.ts";
import { addUi } from "./ui.ts";

export interface AppOptions {
  /** A pino logger; make it with `redact` of log.ts. None: nothing is logged. */
  logger?: FastifyBaseLogger;
  authenticate: Authenticate;
  /** Tells a database that is away (503) from a fault of ours (500). */
  isStoreUnavailable: IsStoreUnavailable;
  /** Addresses of proxies whose X-Forwarded-* headers are believed. */
  trustProxy?: string[];
  /** Where people reach Pawl, when that is known. */
  publicUrl?: () => string | undefined;
  /** Folder of the built web interface. */
  ui?: string;
  /** Where requests that change something are recorded. */
  audit?: Audit;
  /** None: nothing is counted. */
  limits?: RateLimits;
  /** Whether it describes the API at /docs; it does unless told otherwise. */
  describe?: boolean;
}

/** The HTTP app without routes of its own but the description of the API. Add the others with `route`. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { logger, isStoreUnavailable } = options;
  const app = fastify({
    ...(logger ? { loggerInstance: logger, logController: new RequestLog() } : {}),
    bodyLimit,
    genReqId: requestIdOf,
    requestIdHeader: false,
    trustProxy: options.trustProxy?.length ? options.trustProxy : false,
    exposeHeadRoutes: false,
    // The hook of shutdown.ts answers instead, in the envelope.
    return503OnClosing: false,
    // refuseSlowBodies stands in for it: uploads may take longer.
    requestTimeout: 0,
    // Longer than the 60 s of common load balancers: the end that gives up second never sends into a closed connection.
    keepAliveTimeout: 65_000,
    // Headers that trickle in do not hold a socket for long.
    http: { headersTimeout: 15_000 },
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      // Names of connections and the like are path segments; %-encoded they are three times as long.
      maxParamLength: 2000,
    },
    frameworkErrors: (error, request, reply) => refuse(error, request, reply as unknown as FastifyReply),
    clientErrorHandler: answerBrokenHttp,
  }) as unknown as FastifyInstance;

  function refuse(
    error: unknown,
    request: { id: string; log: FastifyBaseLogger },
    reply: FastifyReply,
  ): void {
    const refusal = refusalOf(error, request.id, isStoreUnavailable);
    if (refusal.unexpected) request.log.error({ err: error }, "A request failed for an unknown reason.");
    else if (refusal.status === 503) request.log.warn({ err: error }, "A request was refused with 503.");
    reply
      .code(refusal.status)
      .headers(refusal.headers)
      .header("x-request-id", request.id)
      .header("cache-control", "no-store")
      .header("content-type", "application/json; charset=utf-8")
      .send(JSON.stringify(refusal.body));
  }

  // Node would answer other expectations than 100-continue by itself, outside the envelope; they may be ignored.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  addBodyParsers(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id).header("cache-control", "no-store");
    done();
  });
  drainable(app);
  await app.register(helmet, helmetOptions);
  // After the headers, so that refusals have them too; before any route, so that it sees each.
  guard(app, options.authenticate, sessionCookies(options.publicUrl ?? (() => undefined)));
  const limited = await limitRates(app, options.limits ?? {});
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    refuse(await limited(error, request), request, reply);
    return reply;
  });
  auditRequests(app, options.audit ?? noAudit);
  refuseSlowBodies(app);
  answerUnknownPaths(app);
  if (options.describe !== false) await addReference(app);
  if (options.ui !== undefined) await addUi(app, options.ui);
  return app;
}

const helmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
  },
  // Whoever ends TLS knows whether it will stay on; we don't.
  strictTransportSecurity: false,
};

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

const noUi = "The web interface is not built: run `npm run build`. The API reference is at /docs.";

/** 404 for an unknown path, 405 with Allow for a known one. */
function answerUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    const path = request.raw.url!.split("?", 1)[0]!;
    const allowed = methods.filter(
      (method) => app.findRoute({ method: method as "GET", url: path }) !== null,
    );
    if (allowed.length === 0) {
      const removed = removedPaths.find(({ pattern }) => pattern.test(path));
      const hint = removed ? ` ${removed.instead}` : /^\/(ui(\/|$)|$)/.test(path) ? ` ${noUi}` : "";
      throw new ApiError("NOT_FOUND", `There is nothing at ${path.slice(0, 200)}.${hint}`);
    }
    reply.header("allow", allowed.join(", "));
    throw new ApiError(
      "METHOD_NOT_ALLOWED",
      `${request.method} is not possible here; ${allowed.join(", ")} is.`,
    );
  });
}
