import Type from "typebox";
import { Usage } from "./configuration.ts";
import {
  Discovery,
  DiscoveryEvent,
  McpServer,
  McpServerInput,
  McpServerItem,
  McpTool,
} from "./mcp-server.ts";
import type { Route } from "./routes.ts";
import { FilterRequest, searchFields } from "./search.ts";
import { Id, Meta } from "./shapes.ts";

const byId = Type.Object({ id: Id });
const tag = "MCP servers";

/** The registry of external MCP servers. */
export const mcpServerRoutes = {
  registerMcpServer: {
    method: "POST",
    path: "/ai/mcp-servers",
    access: "AiService:McpServer:upsert",
    tag,
    audits: "mcpServer",
    summary: "Register an MCP server; nothing is asked of it yet",
    description:
      "Its status is UNKNOWN until a discovery. A name that is taken answers 409 with the id of that server.",
    body: McpServerInput,
    data: McpServer,
    status: 201,
    errors: ["CONFLICT"],
  },
  searchMcpServers: {
    method: "POST",
    path: "/ai/mcp-servers/search",
    access: "AiService:McpServer:read",
    tag,
    summary: "Find MCP servers",
    description: `Fields to filter and sort by: ${searchFields.searchMcpServers.join(", ")}.`,
    body: FilterRequest,
    data: Type.Array(McpServerItem),
    meta: Meta,
    errors: [],
  },
  getMcpServer: {
    method: "GET",
    path: "/ai/mcp-servers/:id",
    access: "AiService:McpServer:read",
    tag,
    summary: "Read an MCP server, its credentials masked",
    params: byId,
    data: McpServer,
    errors: ["NOT_FOUND"],
  },
  replaceMcpServer: {
    method: "PUT",
    path: "/ai/mcp-servers/:id",
    access: "AiService:McpServer:upsert",
    tag,
    audits: "mcpServer",
    summary: "Change an MCP server",
    description:
      "A credential that is sent back masked, or left out, stays; where the URL leads to another origin it must be entered again (422 SECRET_REENTRY_REQUIRED). Another URL, authType or authConfig sets the status to UNKNOWN; the tools stay.",
    params: byId,
    body: McpServerInput,
    data: McpServer,
    errors: ["NOT_FOUND", "CONFLICT", "SECRET_REENTRY_REQUIRED"],
  },
  deleteMcpServer: {
    method: "DELETE",
    path: "/ai/mcp-servers/:id",
    access: "AiService:McpServer:delete",
    tag,
    audits: "mcpServer",
    summary: "Delete an MCP server",
    description: "Refused (409) while a step of a job names it, unless `force=true`.",
    params: byId,
    query: Type.Object({ force: Type.Optional(Type.Boolean({ default: false })) }),
    data: Type.Null(),
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  listMcpServerTools: {
    method: "GET",
    path: "/ai/mcp-servers/:id/tools",
    access: "AiService:McpServer:read",
    tag,
    summary: "The tools that the last good discovery found, in the server's order",
    params: byId,
    query: Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    }),
    data: Type.Array(McpTool),
    meta: Meta,
    errors: ["NOT_FOUND"],
  },
  getMcpServerUsage: {
    method: "GET",
    path: "/ai/mcp-servers/:id/usage",
    access: "AiService:McpServer:read",
    tag,
    summary: "List the jobs whose steps name an MCP server",
    description: "By its id or its name.",
    params: byId,
    data: Usage,
    errors: ["NOT_FOUND"],
  },
  discoverMcpServer: {
    method: "POST",
    path: "/ai/mcp-servers/:id/discover",
    access: "AiService:McpServer:discover",
    tag,
    audits: "mcpServer",
    summary: "Connect to an MCP server and list its tools",
    description:
      "Calls initialize, then tools/list (server/discover where a server has no initialize). Answers 200 whenever the attempt was made: `data.status` says how it ended, `data.steps` where. On success the server is ONLINE with these tools; on failure OFFLINE, and the last good tools stay. One at a time a server (409).",
    params: byId,
    data: Discovery,
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  watchMcpServerDiscovery: {
    method: "POST",
    path: "/ai/mcp-servers/:id/discover/events",
    access: "AiService:McpServer:discover",
    tag,
    audits: "mcpServer",
    summary: "Discover an MCP server, and tell each step as it ends, as server-sent events",
    description:
      "Does what discover does: `step` events, then `end` with what discover answers; `fault` where nothing was kept, since the server was changed meanwhile or Pawl failed. Whoever goes away before the end ends the discovery, and nothing is kept of it.",
    params: byId,
    data: DiscoveryEvent,
    bare: true,
    stream: true,
    produces: ["text/event-stream"],
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
} as const satisfies Record<string, Route>;

/** Paths that were taken away, and what to say to those who still call them. */
export const removedPaths: readonly { pattern: RegExp; instead: string }[] = [
  {
    pattern: /^\/ai\/mcp-servers\/[^/]+\/test$/,
    instead: "It was replaced by POST /ai/mcp-servers/{id}/discover.",
  },
];
