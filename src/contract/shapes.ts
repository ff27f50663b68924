import Type, { type Static, type TSchema } from "typebox";

export const Id = Type.String({ format: "uuid", description: "UUIDv7" });
export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601, UTC, milliseconds" });

/** The patterns of the contract, and what to say to someone whose text does not match. */
export const patterns = {
  key: "^[A-Za-z][A-Za-z0-9_]{0,63}$",
  hash: "^[0-9a-f]{64}$",
  grant: "^(\\*|[A-Za-z]+):(\\*|[A-Za-z]+):(\\*|[A-Za-z]+)$",
} as const;
export const patternWords: Record<string, string> = {
  [patterns.key]: "must begin with a letter and have only letters, digits and _, 64 at most.",
  [patterns.hash]: "must be 64 hex digits in lower case.",
  [patterns.grant]: "must look like JobService:Job:read, where any of the three parts may be *.",
};

/** A value or null. */
export function Nullable<T extends TSchema>(schema: T, options: Record<string, unknown> = {}) {
  return Type.Union([schema, Type.Null()], options);
}

/** A fixed set of strings, shown as `enum` in OpenAPI. */
export function OneOf<const T extends string[]>(values: [...T], options: Record<string, unknown> = {}) {
  return Type.Enum(values, options);
}

/** An object that refuses unknown fields: every request body is one. */
export function Strict<T extends Record<string, TSchema>>(
  properties: T,
  options: Record<string, unknown> = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const Meta = Type.Object({
  totalElements: Type.Integer(),
  page: Type.Integer(),
  size: Type.Integer(),
});
export type Meta = Static<typeof Meta>;

/** The envelope around `data` that every answer has, except those the seed shows bare. */
export function Envelope<T extends TSchema>(data: T, meta?: TSchema) {
  return Type.Object({
    status: Type.Literal("success"),
    message: Type.String(),
    data,
    error: Type.Null(),
    ...(meta ? { meta } : {}),
  });
}

export const Failure = Type.Object({
  status: Type.Literal("error"),
  message: Type.String(),
  data: Type.Null(),
  error: Type.Object({
    code: Type.String(),
    details: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
    requestId: Type.String(),
  }),
});
export type Failure = Static<typeof Failure>;
