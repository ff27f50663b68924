import Type, { type Static } from "typebox";
import { Id, OneOf, Strict, Timestamp } from "./shapes.ts";

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
  sortBy: Type.Optional(
    Type.String({ default: "id", description: "A field of the search, or relevance: the best match first." }),
  ),
  sortOrder: Type.Optional(OneOf(["asc", "desc"], { default: "desc" })),
  searchText: Type.Optional(
    Type.Union([Type.String({ maxLength: 256 }), Type.Null()], {
      description: "Every word must be in the name or the description, whatever its case.",
    }),
  ),
  filters: Type.Optional(Type.Union([Type.Record(Type.String(), Group), Type.Null()])),
});
export type FilterRequest = Static<typeof FilterRequest>;

export const itemTypes = ["job", "step", "collection"] as const;
export type ItemType = (typeof itemTypes)[number];

/** One hit of the search over everything. */
export const SearchItem = Type.Object({
  id: Id,
  type: OneOf([...itemTypes]),
  name: Type.String(),
  description: Type.String(),
  category: Type.String({ description: "Of a step: that of its job." }),
  tags: Type.Array(Type.String(), { description: "Of a step: those of its job." }),
  updatedAt: Timestamp,
});
export type SearchItem = Static<typeof SearchItem>;

/** What each search may filter and sort by (lists cannot be sorted by). Where it looks for `searchText` is name and description. */
export const searchFields = {
  searchAll: ["id", "type", "name", "description", "category", "tags", "updatedAt"],
  searchJobs: [
    "id",
    "name",
    "description",
    "category",
    "tags",
    "collectionId",
    "version",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
  ],
  searchSteps: [
    "id",
    "jobId",
    "jobName",
    "collectionId",
    "position",
    "key",
    "name",
    "description",
    "type",
    "category",
    "tags",
    "updatedAt",
  ],
  searchCollections: [
    "id",
    "name",
    "description",
    "category",
    "tags",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
  ],
  searchConnections: [
    "id",
    "name",
    "connectionType",
    "category",
    "description",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
  ],
  searchVariables: [
    "id",
    "name",
    "description",
    "secret",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
  ],
  searchCertificates: [
    "id",
    "name",
    "description",
    "version",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
    "subject",
    "issuer",
    "serialNumber",
    "subjectAltNames",
    "fingerprint",
    "notBefore",
    "expiresAt",
    "hasPrivateKey",
  ],
  searchFiles: [
    "id",
    "name",
    "description",
    "version",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
    "contentType",
    "size",
    "sha256",
  ],
  searchAudit: [
    "id",
    "seq",
    "at",
    "principalId",
    "principal",
    "tokenId",
    "action",
    "targetType",
    "targetId",
    "targetName",
    "changed",
    "outcome",
    "ip",
    "client",
    "requestId",
  ],
  searchDatasets: [
    "id",
    "name",
    "description",
    "version",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
    "rowCount",
    "size",
  ],
  searchApiTemplates: [
    "id",
    "name",
    "description",
    "version",
    "createdAt",
    "createdBy",
    "updatedAt",
    "updatedBy",
    "category",
    "connectionType",
    "method",
    "path",
  ],
  searchExecutions: [
    "id",
    "jobId",
    "jobName",
    "jobVersion",
    "status",
    "triggeredBy",
    "triggerSource",
    "startedBy",
    "startTime",
    "endTime",
    "durationMs",
    "error",
    "errorCode",
  ],
} as const;
