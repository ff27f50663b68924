import {
  type AuthInfo,
  createMcpHandler,
  type McpServerFactory,
  type ServerNotifier,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { mostBody, readMessage } from "./body.ts";
import type { Gate } from "./gate.ts";

export interface MountOptions {
  factory: McpServerFactory;
  /** Left out: anyone may call. For tests of the protocol alone. */
  gate?: Gate;
  /** Names without ports that requests may be addressed to, and that pages may come from. */
  allowedHosts(): string[];
  allowedOrigins(): string[];
  onError(error: Error): void;
}

export interface Mounted {
  /** Tells clients that listen what has changed. */
  notify: ServerNotifier;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export const mcpPath = "/mcp";

/**
 * Streamable HTTP at /mcp, for both eras and without sessions. In a scope of its own, without the parsers of the API: what
 * can't be read is refused as JSON-RPC says.
 */
export async function mountMcp(app: FastifyInstance, options: MountOptions): Promise<Mounted> {
  const { factory, gate, onError } = options;
  const handler = createMcpHandler(factory, { onerror: onError, maxRequestBodySize: mostBody });

  async function serve(request: FastifyRequest, reply: FastifyReply) {
    let authInfo: AuthInfo | undefined;
    if (gate) {
      const admitted = await gate(request);
      if (admitted instanceof Response) return reply.send(admitted);
      authInfo = admitted;
    }
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) gone.abort(new Error("The client has gone."));
    });
    if (request.method !== "POST") return reply.send(await handler.fetch(asWeb(request, gone.signal)));
    const read = await readMessage(request.raw);
    if ("fault" in read) {
      const { status, code, message } = read.fault;
      if (status !== 400) reply.header("connection", "close");
      return reply.send(refusal(status, message, code));
    }
    const web = asWeb(request, gone.signal);
    const given = { parsedBody: read.message, ...(authInfo ? { authInfo } : {}) };
    return reply.send(await handler.fetch(web, given));
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    scope.addHook("onRequest", (request, reply, done) => {
      const { host, origin } = request.headers;
      const to = validateHostHeader(host, options.allowedHosts());
      const from = validateOriginHeader(origin, options.allowedOrigins());
      if (to.ok && from.ok) {
        if (origin !== undefined) reply.headers({ ...forPages, "access-control-allow-origin": origin });
        return void done();
      }
      const [what, setting] = to.ok
        ? [`pages of ${origin}`, "PAWL_MCP_ALLOWED_ORIGINS"]
        : [`requests to ${host}`, "PAWL_MCP_ALLOWED_HOSTS"];
      const message = `Pawl takes no ${what} here. An administrator can allow them with ${setting}.`;
      reply.send(refusal(403, message));
    });
    // A browser asks before it lets a page of another site call.
    scope.options(mcpPath, (_request, reply) => {
      reply.code(204).headers(preflight).send();
    });
    scope.route({ method: ["GET", "POST", "DELETE"], url: mcpPath, exposeHeadRoute: false, handler: serve });
  });
  return { notify: handler.notify, close: () => handler.close() };
}

const forPages = {
  vary: "Origin",
  "access-control-expose-headers": "WWW-Authenticate, Retry-After, X-Request-Id",
};
const preflight = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers":
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
  "access-control-max-age": "600",
};

/** Without its body, which is read already. */
function asWeb({ method, headers, url }: FastifyRequest, signal: AbortSignal): Request {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((it): [string, string] => [name, it]),
  );
  return new Request(new URL(url, "http://pawl.internal"), { method, headers: sent, signal });
}

function refusal(status: number, message: string, code = -32000): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
