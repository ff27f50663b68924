import Type, { type Static } from "typebox";
import { OneOf, Strict } from "./shapes.ts";

export const matchModes = [
  "equals",
  "notEquals",
  "contains",
  "notContains",
  "startsWith",
  "endsWith",
  "in",
  "gt",
  "lt",
  "gte",
  "lte",
  "between",
] as const;
export type MatchMode = (typeof matchModes)[number];

const Constraint = Strict({ value: Type.Unknown(), matchMode: OneOf([...matchModes]) });
const Group = Strict({
  operator: OneOf(["and", "or"]),
  constraints: Type.Array(Constraint, { minItems: 1, maxItems: 50 }),
});

/** The filter that every search of Pawl takes. */
export const FilterRequest = Strict({
  page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
  sortBy: Type.Optional(Type.String({ default: "id" })),
  sortOrder: Type.Optional(OneOf(["asc", "desc"], { default: "desc" })),
  searchText: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Null()])),
  filters: Type.Optional(Type.Union([Type.Record(Type.String(), Group), Type.Null()])),
});
export type FilterRequest = Static<typeof FilterRequest>;
