import Type, { type Static } from "typebox";
import { Id, Nullable, OneOf, Strict, Timestamp } from "./shapes.ts";

export const mcpAuthTypes = ["NONE", "BEARER", "API_KEY", "BASIC", "CUSTOM"] as const;
export type McpAuthType = (typeof mcpAuthTypes)[number];

export const mcpServerStatuses = ["ONLINE", "OFFLINE", "UNKNOWN"] as const;
export type McpServerStatus = (typeof mcpServerStatuses)[number];

/** Stands for a credential in answers. Sent back, it keeps the one that is there. */
export const secretMask = "********";

const AuthConfig = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "BEARER: token. API_KEY: apiKey, name (X-API-Key unless said), placement (header or query). BASIC: username, password. CUSTOM: headers, query, or other fields, which are kept and not sent. Credentials are sealed before they are stored and answered as ********; sent back so, they stay as they are.",
});

/** The body of POST and PUT /ai/mcp-servers. */
export const McpServerInput = Strict({
  name: Type.String({ minLength: 1, maxLength: 100, description: "Unique, whatever its case." }),
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: "Where the server takes Streamable HTTP: http or https, without user, password or fragment.",
  }),
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  authType: Type.Optional(
    OneOf([...mcpAuthTypes], { description: "NONE unless said. A PUT without it keeps what is there." }),
  ),
  authConfig: Type.Optional(AuthConfig),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50, uniqueItems: true }),
  ),
});
export type McpServerInput = Static<typeof McpServerInput>;

export const McpTool = Type.Object({
  name: Type.String(),
  title: Type.Optional(Type.String()),
  description: Type.String(),
  inputSchema: Type.Record(Type.String(), Type.Unknown()),
  outputSchema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  annotations: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "What the server says of it. Only a hint." }),
  ),
  hash: Type.String({
    description:
      "SHA-256 of the tool as the server gave it. A step does not call a tool whose hash is another by now.",
  }),
});
export type McpTool = Static<typeof McpTool>;

export const discoverySteps = [
  "VALIDATE_URL",
  "RESOLVE_ADDRESS",
  "AUTHENTICATE",
  "INITIALIZE",
  "INITIALIZED",
  "DISCOVER",
  "LIST_TOOLS",
  "CLOSE_SESSION",
] as const;
export type DiscoveryStepName = (typeof discoverySteps)[number];

/** Why a step of a discovery failed. A status of HTTP and an error of JSON-RPC carry their number: HTTP_503, RPC_-32603. */
export const discoveryCodes = {
  INVALID_URL: "The URL is not one that can be called.",
  BLOCKED_ADDRESS: "PAWL_EGRESS does not allow connections to that address.",
  DNS_FAILED: "The host name does not resolve.",
  CONNECTION_REFUSED: "Nothing listens there.",
  CONNECTION_FAILED: "The connection was not made, or broke off.",
  TLS_FAILED: "The certificate is not trusted, or it is no TLS.",
  TIMEOUT: "The server did not answer in time.",
  REDIRECT_NOT_ALLOWED: "The server redirects. Register the address that it redirects to, if it is right.",
  DECRYPT_FAILED: "A credential can't be opened. Enter it again.",
  AUTH_REQUIRED: "The server wants a credential, or another one (401).",
  FORBIDDEN: "The server knows the credential and refuses it (403).",
  NOT_MCP: "What answers there does not speak MCP over Streamable HTTP.",
  UNSUPPORTED_VERSION: "The server speaks no version of MCP that Pawl speaks.",
  INVALID_TOOL_LIST: "The list of tools is not one: duplicate names, endless pages, no list.",
  TOO_LARGE: "The answer, or the number of tools, passes the limit.",
} as const;

const DiscoveryStep = Type.Object({
  name: OneOf([...discoverySteps]),
  status: OneOf(["SUCCESS", "WARNING", "FAILED", "SKIPPED"]),
  code: Type.Optional(Type.String({ description: "Of a FAILED step: why." })),
  message: Type.String(),
  durationMs: Type.Integer(),
});
export type DiscoveryStep = Static<typeof DiscoveryStep>;

const DiscoveryError = Type.Object({
  step: OneOf([...discoverySteps]),
  code: Type.String(),
  message: Type.String(),
});
export type DiscoveryError = Static<typeof DiscoveryError>;

const ServerInfo = Type.Object({
  name: Type.String(),
  version: Type.String(),
  title: Type.Optional(Type.String()),
});
export type McpServerInfo = Static<typeof ServerInfo>;

const Era = OneOf(["legacy", "modern"], {
  description: "Whether the server was spoken to with initialize, or without sessions as of 2026-07-28.",
});

export const Discovery = Type.Object({
  serverId: Id,
  status: OneOf(["success", "failure"]),
  serverStatus: OneOf([...mcpServerStatuses]),
  toolCount: Type.Integer(),
  protocolVersion: Nullable(Type.String()),
  era: Nullable(Era),
  serverInfo: Nullable(ServerInfo),
  lastCheckedAt: Timestamp,
  durationMs: Type.Integer(),
  steps: Type.Array(DiscoveryStep),
  changes: Type.Object(
    {
      added: Type.Array(Type.String()),
      removed: Type.Array(Type.String()),
      changed: Type.Array(Type.String()),
    },
    { description: "Names of tools, compared with the last good discovery." },
  ),
  error: Nullable(DiscoveryError),
});
export type Discovery = Static<typeof Discovery>;

/** What a discovery tells while it goes on. */
export const DiscoveryEvent = Type.Union([
  Type.Object({ event: Type.Literal("step"), data: DiscoveryStep }),
  Type.Object({ event: Type.Literal("end"), data: Discovery }),
  Type.Object({
    event: Type.Literal("fault"),
    data: Type.Object({ code: Type.String(), message: Type.String() }),
  }),
]);
export type DiscoveryEvent = Static<typeof DiscoveryEvent>;

const shared = {
  id: Id,
  name: Type.String(),
  url: Type.String(),
  description: Type.String(),
  authType: OneOf([...mcpAuthTypes]),
  status: OneOf([...mcpServerStatuses], { description: "Of the last discovery; UNKNOWN before the first." }),
  toolCount: Type.Integer(),
  tags: Type.Array(Type.String()),
  lastCheckedAt: Nullable(Timestamp),
  lastError: Nullable(DiscoveryError),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
};

/** One hit of a search. */
export const McpServerItem = Type.Object(shared);
export type McpServerItem = Static<typeof McpServerItem>;

export const McpServer = Type.Object({
  ...shared,
  authConfig: Type.Record(Type.String(), Type.Unknown(), { description: "Credentials are masked." }),
  discoveredTools: Type.Array(McpTool),
  protocolVersion: Nullable(Type.String()),
  era: Nullable(Era),
  serverInfo: Nullable(ServerInfo),
});
export type McpServer = Static<typeof McpServer>;
