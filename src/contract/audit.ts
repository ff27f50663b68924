import Type, { type Static } from "typebox";
import { Id, Nullable, OneOf, patterns, Strict, Timestamp } from "./shapes.ts";

export const AuditRecord = Type.Object({
  id: Id,
  seq: Type.Integer({ description: "Its place in the chain." }),
  at: Timestamp,
  principalId: Nullable(Type.String()),
  principal: Type.String({ description: "Who did it; anybody or a link's holder where nobody had to say." }),
  tokenId: Nullable(Type.String()),
  action: Type.String({ description: "The operation, as in the API description." }),
  targetType: Type.String(),
  targetId: Nullable(Type.String()),
  targetName: Nullable(Type.String()),
  changed: Type.Array(Type.String(), {
    description: "Names of the fields that changed; never what they hold.",
  }),
  outcome: OneOf(["success", "forbidden", "failed"]),
  ip: Nullable(Type.String()),
  client: Nullable(Type.String({ description: "What it calls itself (User-Agent)." })),
  requestId: Nullable(Type.String()),
});
export type AuditRecord = Static<typeof AuditRecord>;

const AuditHead = Strict({
  seq: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  hash: Type.String({ pattern: patterns.hash }),
});

export const AuditVerification = Strict({
  expected: Type.Optional(
    Type.Object(AuditHead.properties, {
      additionalProperties: false,
      description: "A head that was noted before: it must be in the chain still.",
    }),
  ),
});
export type AuditVerification = Static<typeof AuditVerification>;

export const AuditVerdict = Type.Object({
  intact: Type.Boolean(),
  entries: Type.Integer(),
  head: Type.Object({ seq: Type.Integer(), hash: Type.String() }, { description: "Note it elsewhere." }),
  faults: Type.Array(Type.Object({ seq: Type.Integer(), message: Type.String() })),
  more: Type.Integer({ description: "Faults beyond those that are listed." }),
});
export type AuditVerdict = Static<typeof AuditVerdict>;
