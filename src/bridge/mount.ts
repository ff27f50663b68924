import { toWebRequest } from "@modelcontextprotocol/node";
import {
  type AuthInfo,
  createMcpHandler,
  type McpServerFactory,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
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
  /** Ends what is under way. */
  close(): Promise<void>;
}

export const mcpPath = "/mcp";
const mostBody = 1024 * 1024;

/**
 * Streamable HTTP at /mcp, for both eras and without sessions. In a scope of its own: the SDK reads the body itself, so
 * that what is not JSON is refused as JSON-RPC says.
 */
export async function mountMcp(app: FastifyInstance, options: MountOptions): Promise<Mounted> {
  const { factory, gate, onError } = options;
  const handler = createMcpHandler(factory, { onerror: onError, maxRequestBodySize: mostBody });

  async function serve(request: FastifyRequest, reply: FastifyReply) {
    let authInfo: AuthInfo | undefined;
    if (gate) {
      const admitted = await gate(request.headers.authorization);
      if (admitted instanceof Response) return reply.send(admitted);
      authInfo = admitted;
    }
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) gone.abort(new Error("The client has gone."));
    });
    try {
      const web = await toWebRequest(request.raw, undefined, {
        signal: gone.signal,
        maxRequestBodySize: mostBody,
      });
      return reply.send(await handler.fetch(web, authInfo ? { authInfo } : {}));
    } catch (error) {
      if ((error as { status?: unknown }).status !== 413) throw error;
      return reply.header("connection", "close").send(refusal(413, "The body is larger than 1 MiB."));
    }
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    scope.addHook("onRequest", (request, reply, done) => {
      const { host, origin } = request.headers;
      const to = validateHostHeader(host, options.allowedHosts());
      const from = validateOriginHeader(origin, options.allowedOrigins());
      if (to.ok && from.ok) return void done();
      const [what, setting] = to.ok
        ? [`pages of ${origin}`, "PAWL_MCP_ALLOWED_ORIGINS"]
        : [`requests to ${host}`, "PAWL_MCP_ALLOWED_HOSTS"];
      const message = `Pawl takes no ${what} here. An administrator can allow them with ${setting}.`;
      reply.send(refusal(403, message));
    });
    scope.route({ method: ["GET", "POST", "DELETE"], url: mcpPath, exposeHeadRoute: false, handler: serve });
  });
  return { close: () => handler.close() };
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }, { status });
}
