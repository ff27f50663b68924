import Type, { type Static } from "typebox";
import { Id, Nullable, OneOf, Strict, Timestamp } from "./shapes.ts";

export const ApiTemplateName = Type.String({ minLength: 1, maxLength: 200 });

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
/** Of the connections that an http step takes. */
const connectionTypes = ["rest-api"] as const;

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const Query = Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar), Type.Null()]), {
  description: "Added to that of the path. A list repeats its name; null leaves it out.",
});

/** One of them. */
export const ApiBody = Strict({
  json: Type.Optional(Type.Unknown({ description: "Any JSON." })),
  text: Type.Optional(Type.String({ description: "Sent as it is, in UTF-8." })),
  form: Type.Optional(
    Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar)]), {
      description: "Sent as application/x-www-form-urlencoded.",
    }),
  ),
});
export type ApiBody = Static<typeof ApiBody>;

const request = {
  connectionType: Type.Optional(
    Nullable(OneOf([...connectionTypes]), {
      default: "rest-api",
      description: "Of the connection that requests go through; null: through none, and path is a whole URL.",
    }),
  ),
  method: OneOf([...methods]),
  path: Type.String({
    minLength: 1,
    maxLength: 8192,
    description:
      "Below the base URL of the connection. {{ params.id }} is put in as one segment, or one value of the query: what it has of / ? # is encoded.",
  }),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "None with credentials: those are the connection's.",
    }),
  ),
  query: Type.Optional(Query),
  body: Type.Optional(ApiBody),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "JSON Schema (2020-12) of what a step fills in: the params that texts of the path, headers, query and body name in {{ … }}.",
    }),
  ),
};

/** The body of POST /api/upsert. */
export const ApiTemplateInput = Strict({
  id: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Changes this template, its name included. Left out, the name says which.",
    }),
  ),
  name: ApiTemplateName,
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  ...request,
});
export type ApiTemplateInput = Static<typeof ApiTemplateInput>;

const known = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  connectionType: Nullable(OneOf([...connectionTypes])),
  method: OneOf([...methods]),
  path: Type.String(),
};
const changes = {
  version: Type.Integer({ description: "Counts the changes, from 1." }),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
};

export const ApiTemplateItem = Type.Object({ ...known, ...changes });
export type ApiTemplateItem = Static<typeof ApiTemplateItem>;

export const ApiTemplate = Type.Object({
  ...known,
  headers: Type.Record(Type.String(), Type.String()),
  query: Query,
  body: Nullable(ApiBody),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  ...changes,
});
export type ApiTemplate = Static<typeof ApiTemplate>;

/** A request as a template gives it with its params filled in: fields of an http step's input. */
export interface FilledRequest {
  method: ApiTemplate["method"];
  /** Below the base URL of a connection. */
  path?: string;
  url?: string;
  headers?: Record<string, string>;
  query?: ApiTemplate["query"];
  json?: unknown;
  text?: string;
  form?: NonNullable<ApiBody["form"]>;
}
