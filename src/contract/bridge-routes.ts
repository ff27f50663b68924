import { BridgeHealth, McpSession, McpSessionRequest } from "./bridge.ts";
import type { Route } from "./routes.ts";

/** What the MCP bridge asks of the platform, and what the platform says of the bridge. `POST /mcp` itself speaks JSON-RPC. */
export const bridgeRoutes = {
  mcpBridgeHealth: {
    method: "GET",
    path: "/ai/mcp-bridge/health",
    access: "AiService:McpBridge:read",
    tag: "MCP",
    summary: "Whether assistants can run and monitor jobs",
    description:
      "200 in every state. Healthy; Unavailable: the bridge doesn't answer; Misconfigured: it runs, and can't reach the platform or isn't let in.",
    data: BridgeHealth,
    errors: [],
  },
  createMcpSession: {
    method: "POST",
    path: "/identity/mcp-session",
    access: "IdentityService:McpSession:create",
    // A look at a token, several a second: what is done with it is recorded where it is done.
    audits: false,
    tag: "MCP",
    summary: "For a bridge that runs apart: what a token of an assistant is good for",
    description:
      "Answers whether the token opens the bridge and, if so, a short-lived credential that acts as its user within its scopes.",
    body: McpSessionRequest,
    data: McpSession,
    errors: [],
  },
} as const satisfies Record<string, Route>;
