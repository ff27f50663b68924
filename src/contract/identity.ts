import Type, { type Static } from "typebox";
import { McpScope } from "./bridge.ts";
import { Id, Nullable, OneOf, patterns, Strict, Timestamp } from "./shapes.ts";

/** Which jobs a principal may see and use: any that one of the lists names. Null: every job. */
export const JobLimits = Strict({
  ids: Type.Optional(Type.Array(Type.String({ format: "uuid" }), { maxItems: 1000 })),
  collections: Type.Optional(Type.Array(Type.String({ format: "uuid" }), { maxItems: 1000 })),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 1000 })),
});
export type JobLimits = Static<typeof JobLimits>;

const Grant = Type.String({
  pattern: patterns.grant,
  description: "<Area>:<Resource>:<action>; any segment may be *.",
});

export const PrincipalInput = Strict({
  name: Type.String({ minLength: 1, maxLength: 100, description: "Unique." }),
  kind: Type.Optional(OneOf(["user", "service"], { default: "user" })),
  authorities: Type.Array(Grant, { maxItems: 100 }),
  jobs: Type.Optional(Nullable(JobLimits)),
  externalId: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Unique. What the identity provider calls them: see PAWL_OIDC_PRINCIPAL_CLAIM.",
      }),
    ),
  ),
});
export type PrincipalInput = Static<typeof PrincipalInput>;

export const PrincipalRecord = Type.Object({
  id: Id,
  name: Type.String(),
  kind: OneOf(["user", "service"]),
  authorities: Type.Array(Type.String()),
  jobs: Nullable(JobLimits),
  externalId: Nullable(Type.String()),
  createdAt: Timestamp,
});
export type PrincipalRecord = Static<typeof PrincipalRecord>;

export const TokenInput = Strict({
  principalId: Type.String({ format: "uuid" }),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  expiresInDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3650, description: "Never, when left out." }),
  ),
  for: Type.Optional(
    OneOf(["api", "mcp"], {
      default: "api",
      description: "mcp: for an assistant, at /mcp only; api: for everything but /mcp.",
    }),
  ),
  scopes: Type.Optional(
    Type.Array(McpScope, {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: "Of a token for mcp, and required there: what it is good for at most.",
    }),
  ),
});
export type TokenInput = Static<typeof TokenInput>;

export const TokenRecord = Type.Object({
  id: Id,
  name: Type.String(),
  prefix: Type.String({ description: "The first characters of the token, to recognise it by." }),
  principalId: Id,
  principalName: Type.String(),
  for: OneOf(["api", "mcp"]),
  scopes: Nullable(Type.Array(McpScope)),
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
});
export type TokenRecord = Static<typeof TokenRecord>;

/** Answered once, when a token is made: the only time that the token itself is shown. */
export const CreatedToken = Type.Object({ ...TokenRecord.properties, token: Type.String() });
export type CreatedToken = Static<typeof CreatedToken>;

/** How a browser signs in: with an API token, or with the code of a sign-in link. */
export const SignInRequest = Strict({
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "Of a sign-in link; it serves once." }),
  ),
});
export type SignInRequest = Static<typeof SignInRequest>;

export const Session = Type.Object({
  expiresAt: Timestamp,
});
export type Session = Static<typeof Session>;

export const SignInMethods = Type.Object({
  token: Type.Boolean(),
  oidc: Nullable(
    Type.Object({ name: Type.String({ description: "Of the identity provider, for people." }) }),
  ),
});
export type SignInMethods = Static<typeof SignInMethods>;

export const WhoAmI = Type.Object({
  id: Id,
  name: Type.String(),
  authorities: Type.Array(Type.String()),
  jobs: Nullable(JobLimits),
});
export type WhoAmI = Static<typeof WhoAmI>;
