import Type, { type Static } from "typebox";
import type { Authority } from "./authorities.ts";
import { Id, Nullable, OneOf, Strict, Timestamp } from "./shapes.ts";

/** What a token for MCP, or one of an identity provider, may be good for at most. */
export const mcpScopes = ["jobs:read", "jobs:run", "jobs:control"] as const;
export type McpScope = (typeof mcpScopes)[number];

/** What a scope lets an assistant do, where its user may do it. */
export const scopeAuthorities: Record<McpScope, readonly Authority[]> = {
  "jobs:read": ["JobService:Job:read", "JobService:JobExecution:read"],
  "jobs:run": ["JobService:Job:execute"],
  "jobs:control": ["JobService:JobExecution:control"],
};

export const McpScope = OneOf([...mcpScopes]);

export const AssistantClient = Type.Object(
  {
    id: Type.String({
      description: "Of the credential: token:<id>, or the client id of the identity provider.",
    }),
    name: Nullable(Type.String({ description: "As the assistant calls itself." })),
    version: Nullable(Type.String()),
  },
  { description: "The assistant that started it through the MCP bridge." },
);
export type AssistantClient = Static<typeof AssistantClient>;

export const McpSessionRequest = Strict({
  token: Type.String({ maxLength: 16_384, description: "What the assistant sent as its bearer token." }),
  resource: Type.String({
    format: "uri",
    maxLength: 2048,
    description: "URL of the bridge: what a token of the identity provider must be meant for.",
  }),
});
export type McpSessionRequest = Static<typeof McpSessionRequest>;

/** Whether a token opens the bridge, and what the bridge calls the platform with for it. */
export const McpSession = Type.Union([
  Type.Object({
    active: Type.Literal(true),
    principalId: Id,
    principalName: Type.String(),
    clientId: Type.String(),
    scopes: Type.Array(McpScope),
    authorities: Type.Array(Type.String(), {
      description: "Of the scopes' authorities those that the user holds.",
    }),
    pawlUrl: Type.String({ description: "Where people reach Pawl." }),
    expiresAt: Timestamp,
    session: Type.String({
      description: "A bearer token for the routes that the bridge uses, for two minutes at most.",
    }),
  }),
  Type.Object({ active: Type.Literal(false), reason: Type.String() }),
]);
export type McpSession = Static<typeof McpSession>;

export const bridgeStates = ["Healthy", "Unavailable", "Misconfigured"] as const;
export type BridgeState = (typeof bridgeStates)[number];

export const BridgeCheck = Type.Object({
  name: Type.String(),
  status: OneOf(["PASS", "FAIL", "SKIPPED"]),
  latencyMs: Type.Optional(Type.Integer()),
  code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
});
export type BridgeCheck = Static<typeof BridgeCheck>;

export const BridgeHealth = Type.Object({
  status: OneOf([...bridgeStates]),
  message: Type.String(),
  checkedAt: Timestamp,
  latencyMs: Type.Integer(),
  version: Nullable(Type.String({ description: "Of the bridge; null when it doesn't answer." })),
  protocolVersions: Type.Array(Type.String()),
  checks: Type.Array(BridgeCheck),
});
export type BridgeHealth = Static<typeof BridgeHealth>;
