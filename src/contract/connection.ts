import Type, { type Static } from "typebox";
import { Id, OneOf, Strict, Timestamp } from "./shapes.ts";

export const connectionTypes = [
  "email-smtp",
  "database-relational1",
  "database-document",
  "database-relational2",
  "ssh",
  "sftp",
  "ftp",
  "object-storage",
  "chat-workspace",
  "crm-suite",
  "office-suite-graph",
  "rest-api",
] as const;
export const ConnectionType = OneOf([...connectionTypes]);
export type ConnectionType = Static<typeof ConnectionType>;

export const ConnectionName = Type.String({ minLength: 1, maxLength: 200 });
const variables = Type.Record(Type.String(), Type.String({ maxLength: 65_536 }));

/** The body of POST /connection/upsert. */
export const ConnectionInput = Strict({
  id: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Changes this connection, its name included. Left out, name and connectionType say which.",
    }),
  ),
  name: ConnectionName,
  connectionType: ConnectionType,
  category: Type.Optional(
    Type.String({ maxLength: 100, description: "Defaults to the category of the type." }),
  ),
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  variables: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 65_536 }), {
      description:
        "See GET /connection/types. A sealed value sent back, or a sensitive one left out, stays as it is; an empty text removes it.",
    }),
  ),
});
export type ConnectionInput = Static<typeof ConnectionInput>;

const connectionFields = {
  id: Id,
  name: Type.String(),
  connectionType: ConnectionType,
  category: Type.String(),
  description: Type.String(),
};
const changes = {
  version: Type.Integer({ description: "Counts the changes, from 1." }),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
};

export const Connection = Type.Object({
  ...connectionFields,
  variables: Type.Record(Type.String(), Type.String(), {
    description: "Sensitive ones as ENC(…): sealed for this connection and this variable.",
  }),
  ...changes,
});
export type Connection = Static<typeof Connection>;

/** What a step is given: the only answer with secrets in the clear. */
export const DecryptedConnection = Type.Object({
  ...connectionFields,
  variables,
  sensitiveVariables: Type.Array(Type.String(), { description: "Those of variables that must be masked." }),
  ...changes,
});
export type DecryptedConnection = Static<typeof DecryptedConnection>;

/** A connection as a step uses it. It is never recorded. */
export type StepConnection = Pick<
  DecryptedConnection,
  "id" | "name" | "connectionType" | "variables" | "sensitiveVariables"
>;

export const ConnectionItem = Type.Object({
  id: Id,
  name: Type.String(),
  connectionType: ConnectionType,
  category: Type.String(),
});
export type ConnectionItem = Static<typeof ConnectionItem>;

export const ConnectionIdentity = Strict({ name: ConnectionName, connectionType: ConnectionType });
export const ConnectionPresence = Type.Object({
  isPresent: Type.Boolean(),
  existingConnectionId: Type.Union([Type.String({ format: "uuid" }), Type.Null()]),
});
export type ConnectionPresence = Static<typeof ConnectionPresence>;

export const DecryptRequest = Strict({
  encryptedValue: Type.String({ maxLength: 200_000, description: "As it was answered: ENC(…)." }),
});
export const DecryptedValue = Type.Object({ decryptedValue: Type.String() });

export const fieldKinds = ["text", "number", "boolean", "url", "multiline", "enum"] as const;

export const ConnectionField = Type.Object({
  name: Type.String(),
  label: Type.String(),
  help: Type.String(),
  kind: OneOf([...fieldKinds], { description: "Of the text: variables are texts, whatever they hold." }),
  required: Type.Boolean(),
  sensitive: Type.Boolean({ description: "Sealed, and never answered in the clear." }),
  values: Type.Optional(Type.Array(Type.String(), { description: "Of an enum." })),
  default: Type.Optional(Type.String({ description: "To begin a form with; it is not filled in at save." })),
  min: Type.Optional(Type.Integer()),
  max: Type.Optional(Type.Integer()),
});
export type ConnectionField = Static<typeof ConnectionField>;

/** What a form for connections of a type is made from, and what they are checked by. */
export const ConnectionTypeInfo = Type.Object({
  connectionType: ConnectionType,
  label: Type.String(),
  description: Type.String(),
  category: Type.String(),
  fields: Type.Array(ConnectionField),
  anyOfRequired: Type.Array(Type.Array(Type.String()), {
    description: "Of each list one is needed at least.",
  }),
  destination: Type.Array(Type.String(), {
    description: "Fields that say where the secrets go: when one changes, the secrets must be entered again.",
  }),
  extraPrefix: Type.String({ description: "Further variables may have names that begin with this." }),
  testable: Type.Boolean({ description: "POST /connection/{id}/test has a test for it." }),
});
export type ConnectionTypeInfo = Static<typeof ConnectionTypeInfo>;

export const connectionTestStatuses = ["SUCCESS", "FAILED", "SKIPPED"] as const;

/** What came of a test of a connection. */
export const ConnectionTest = Type.Object({
  status: OneOf(["success", "failure"]),
  steps: Type.Array(
    Type.Object({
      name: Type.String({ description: "What was tried: Settings, Connect, Sign in, Request, Query." }),
      status: OneOf([...connectionTestStatuses], { description: "SKIPPED: one before it failed." }),
      durationMs: Type.Integer(),
      message: Type.Optional(Type.String({ description: "A sentence, without secrets." })),
    }),
  ),
  durationMs: Type.Integer(),
});
export type ConnectionTest = Static<typeof ConnectionTest>;
