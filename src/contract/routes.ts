import Type, { type Static, type TSchema } from "typebox";
import { adminRoutes } from "./admin-routes.ts";
import { apiTemplateRoutes } from "./api-template-routes.ts";
import type { Access } from "./authorities.ts";
import { bridgeRoutes } from "./bridge-routes.ts";
import { certificateRoutes } from "./certificate-routes.ts";
import { Collection, CollectionInput } from "./collection.ts";
import { connectionRoutes } from "./connection-routes.ts";
import { controlRoutes } from "./control-routes.ts";
import { datasetRoutes } from "./dataset-routes.ts";
import type { ErrorCode } from "./errors.ts";
import {
  ExecutionSummary,
  FoundExecution,
  HistoryItem,
  HistoryRequest,
  JobExecution,
  StartRequest,
  StartResponse,
  StepExecutionDetail,
  StepLogLine,
  withOutputs,
} from "./execution.ts";
import { fileRoutes } from "./file-routes.ts";
import {
  CreatedToken,
  PrincipalInput,
  PrincipalRecord,
  TokenInput,
  TokenRecord,
  WhoAmI,
} from "./identity.ts";
import { Job, JobInput, JobVersion, StepRecord, StepTypeInfo } from "./job.ts";
import { mcpServerRoutes } from "./mcp-server-routes.ts";
import { overviewRoutes } from "./overview-routes.ts";
import { FilterRequest, itemTypes, SearchItem, searchFields } from "./search.ts";
import { sessionRoutes } from "./session-routes.ts";
import { Id, Meta, OneOf } from "./shapes.ts";
import { variableRoutes } from "./variable-routes.ts";

/** What is counted for each principal: secrets in the clear, attempts to reach another server. */
export type RouteLimit = "decrypts" | "probes";

/** One route: everything that the server, the client and the documentation need to know of it. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  access: Access;
  /** The MCP bridge may call it for an assistant; without it an assistant's session is refused, whatever its scopes. */
  assistants?: boolean;
  tag: string;
  summary: string;
  description?: string;
  params?: TSchema;
  query?: TSchema;
  headers?: TSchema;
  body?: TSchema;
  /** Media types taken besides application/json; the handler gets the text. */
  textBody?: string[];
  /** Takes bytes of these media types (or of any) instead of JSON: the handler reads them as they come. */
  takesBytes?: readonly string[];
  /** Answers bytes as a file to save, with whatever media type they have. */
  givesBytes?: true;
  /** `data` of the envelope; or, where `bare`, the whole body. */
  data: TSchema;
  bare?: boolean;
  /** Media types answered instead of JSON. */
  produces?: string[];
  /** Answers server-sent events without end; `data` is one of them. */
  stream?: boolean;
  meta?: TSchema;
  /** The status of success; 200 unless said. */
  status?: number;
  /** Other successes, by status, with the same body. */
  alsoAnswers?: Record<number, string>;
  /**
   * The type of record that it acts on, for the audit record, which keeps every route but GETs and those that ask for a
   * `:read` authority. A string on one of these keeps it too; false: it changes nothing.
   */
  audits?: string | false;
  /** What it does is kept with its author elsewhere: the audit record has only those who were forbidden. */
  ownHistory?: true;
  /** Refused with 429 when one principal calls it too often. */
  limit?: RouteLimit;
  /** Failures besides those that every route may answer (400, 401, 403, 413, 415, 429, 500, 503). */
  errors: ErrorCode[];
}

const byId = Type.Object({ id: Id });
const byJobId = Type.Object({ jobId: Id });

function fieldsOf(search: keyof typeof searchFields): string {
  return `Fields to filter and sort by: ${searchFields[search].join(", ")}.`;
}

export const routes = {
  live: {
    method: "GET",
    path: "/health/live",
    access: "public",
    tag: "Health",
    summary: "Whether the process runs",
    data: Type.Object({ status: Type.Literal("ok") }),
    bare: true,
    errors: [],
  },
  ready: {
    method: "GET",
    path: "/health/ready",
    access: "public",
    tag: "Health",
    summary: "Whether it can take work: database reached, engine recovered, not shutting down",
    data: Type.Object({ status: Type.Literal("ok"), checks: Type.Record(Type.String(), Type.String()) }),
    bare: true,
    errors: ["STORE_UNAVAILABLE"],
  },

  createJob: {
    method: "POST",
    path: "/jobs",
    access: "JobService:Job:upsert",
    tag: "Jobs",
    audits: "job",
    summary: "Create a job",
    body: JobInput,
    data: Job,
    status: 201,
    errors: ["CONFLICT"],
  },
  searchJobs: {
    method: "POST",
    path: "/jobs/search",
    access: "JobService:Job:read",
    assistants: true,
    tag: "Jobs",
    summary: "Find jobs",
    description: fieldsOf("searchJobs"),
    body: FilterRequest,
    data: Type.Array(Job),
    meta: Meta,
    errors: [],
  },
  importJob: {
    method: "POST",
    path: "/jobs/import",
    access: "JobService:Job:upsert",
    tag: "Jobs",
    audits: "job",
    summary: "Create a job from YAML or JSON, or replace the one of the same name",
    query: Type.Object({
      onExisting: Type.Optional(
        OneOf(["replace", "fail"], { default: "replace", description: "What to do when the name is taken." }),
      ),
    }),
    body: JobInput,
    textBody: ["application/yaml"],
    data: Job,
    alsoAnswers: { 201: "Created" },
    errors: ["CONFLICT"],
  },
  checkJob: {
    method: "POST",
    path: "/jobs/check",
    access: "JobService:Job:upsert",
    tag: "Jobs",
    audits: false,
    summary: "Check a definition without saving it",
    description:
      "Refuses with every fault that a save would be refused for, but a name that is taken. Ids of steps do not count.",
    body: JobInput,
    textBody: ["application/yaml"],
    data: Type.Null(),
    errors: [],
  },
  getJob: {
    method: "GET",
    path: "/jobs/:id",
    access: "JobService:Job:read",
    assistants: true,
    tag: "Jobs",
    summary: "Read a job",
    params: byId,
    data: Job,
    errors: ["NOT_FOUND"],
  },
  replaceJob: {
    method: "PUT",
    path: "/jobs/:id",
    access: "JobService:Job:upsert",
    tag: "Jobs",
    audits: "job",
    summary: "Replace a job by a new version",
    description: "Executions that already run keep the version they started with.",
    params: byId,
    query: Type.Object({
      expectedVersion: Type.Optional(
        Type.Integer({ minimum: 1, description: "Refuse (409) unless this is the current version." }),
      ),
    }),
    body: JobInput,
    data: Job,
    errors: ["NOT_FOUND", "CONFLICT"],
  },
  deleteJob: {
    method: "DELETE",
    path: "/jobs/:id",
    access: "JobService:Job:delete",
    tag: "Jobs",
    audits: "job",
    summary: "Delete a job",
    description: "Its executions stay readable; those that run go on to their end.",
    params: byId,
    data: Type.Null(),
    errors: ["NOT_FOUND"],
  },
  listJobVersions: {
    method: "GET",
    path: "/jobs/:id/versions",
    access: "JobService:Job:read",
    tag: "Jobs",
    summary: "List a job's versions, newest first",
    params: byId,
    query: Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    }),
    data: Type.Array(JobVersion),
    meta: Meta,
    errors: ["NOT_FOUND"],
  },
  getJobVersion: {
    method: "GET",
    path: "/jobs/:id/versions/:version",
    access: "JobService:Job:read",
    tag: "Jobs",
    summary: "Read one version of a job",
    params: Type.Object({ id: Id, version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
    data: JobVersion,
    errors: ["NOT_FOUND"],
  },
  restoreJobVersion: {
    method: "POST",
    path: "/jobs/:id/versions/:version/restore",
    access: "JobService:Job:upsert",
    tag: "Jobs",
    audits: "job",
    summary: "Make an earlier version the newest again",
    params: Type.Object({ id: Id, version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
    data: Job,
    errors: ["NOT_FOUND", "CONFLICT"],
  },
  exportJob: {
    method: "GET",
    path: "/jobs/:id/export",
    access: "JobService:Job:read",
    tag: "Jobs",
    summary: "Export a job as YAML or JSON that import takes",
    params: byId,
    query: Type.Object({ format: Type.Optional(OneOf(["yaml", "json"], { default: "yaml" })) }),
    data: Type.String(),
    bare: true,
    produces: ["application/yaml", "application/json"],
    errors: ["NOT_FOUND"],
  },
  listStepTypes: {
    method: "GET",
    path: "/step-types",
    access: "JobService:Job:read",
    tag: "Jobs",
    summary: "List the step types with the schemas of their inputs and outputs",
    data: Type.Array(StepTypeInfo),
    errors: [],
  },

  searchAll: {
    method: "POST",
    path: "/search",
    access: "authenticated",
    tag: "Search",
    audits: false,
    summary: "Find jobs, steps and collections",
    description: `Covers the types that the caller may read (JobService:Job:read, JobService:Step:read, JobService:Collection:read); without any of them, or without that of the type asked for, 403. ${fieldsOf("searchAll")}`,
    query: Type.Object({ type: Type.Optional(OneOf(["all", ...itemTypes], { default: "all" })) }),
    body: FilterRequest,
    data: Type.Array(SearchItem),
    meta: Meta,
    errors: [],
  },
  getStep: {
    method: "GET",
    path: "/step/:id",
    access: "JobService:Step:read",
    tag: "Steps",
    summary: "Read a step of a job's current version",
    params: byId,
    data: StepRecord,
    errors: ["NOT_FOUND"],
  },
  searchSteps: {
    method: "POST",
    path: "/step/search",
    access: "JobService:Step:read",
    tag: "Steps",
    summary: "Find steps",
    description: `\`category\` and \`tags\` are those of the job. ${fieldsOf("searchSteps")}`,
    body: FilterRequest,
    data: Type.Array(StepRecord),
    meta: Meta,
    errors: [],
  },
  createCollection: {
    method: "POST",
    path: "/collection",
    access: "JobService:Collection:upsert",
    tag: "Collections",
    audits: "collection",
    summary: "Create a collection",
    body: CollectionInput,
    data: Collection,
    status: 201,
    errors: ["CONFLICT"],
  },
  searchCollections: {
    method: "POST",
    path: "/collection/search",
    access: "JobService:Collection:read",
    tag: "Collections",
    summary: "Find collections",
    description: fieldsOf("searchCollections"),
    body: FilterRequest,
    data: Type.Array(Collection),
    meta: Meta,
    errors: [],
  },
  getCollection: {
    method: "GET",
    path: "/collection/:id",
    access: "JobService:Collection:read",
    tag: "Collections",
    summary: "Read a collection",
    params: byId,
    data: Collection,
    errors: ["NOT_FOUND"],
  },
  replaceCollection: {
    method: "PUT",
    path: "/collection/:id",
    access: "JobService:Collection:upsert",
    tag: "Collections",
    audits: "collection",
    summary: "Change a collection",
    params: byId,
    body: CollectionInput,
    data: Collection,
    errors: ["NOT_FOUND", "CONFLICT"],
  },
  deleteCollection: {
    method: "DELETE",
    path: "/collection/:id",
    access: "JobService:Collection:delete",
    tag: "Collections",
    audits: "collection",
    summary: "Delete a collection",
    description: "One that holds jobs is kept (409), unless moveTo says where they go.",
    params: byId,
    query: Type.Object({
      moveTo: Type.Optional(
        Type.String({
          pattern: "^(none|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
          description: "Id of the collection that its jobs go to, or none.",
        }),
      ),
    }),
    data: Type.Null(),
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },

  startJob: {
    method: "POST",
    path: "/api/v2/job/start",
    access: "JobService:Job:execute",
    assistants: true,
    tag: "Execution control",
    audits: "job",
    ownHistory: true,
    summary: "Start a job",
    description:
      "Answers once the start is durable; with `async: false` once the execution has ended, or 202 when that takes longer than PAWL_SYNC_WAIT_LIMIT.",
    headers: Type.Object({
      "idempotency-key": Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: "The same key and body within 24 h start once.",
        }),
      ),
      "pawl-mcp-client": Type.Optional(
        Type.String({
          maxLength: 1000,
          description:
            "Sent by the MCP bridge: what the assistant calls itself. Of anyone else it is ignored.",
        }),
      ),
    }),
    body: StartRequest,
    data: StartResponse,
    bare: true,
    alsoAnswers: { 202: "Still running when the wait ended" },
    errors: ["NOT_FOUND", "CONFLICT", "IDEMPOTENCY_CONFLICT", "OVERLOADED"],
  },
  ...controlRoutes,
  ...overviewRoutes,

  searchExecutions: {
    method: "POST",
    path: "/jobExecution/search",
    access: "JobService:JobExecution:read",
    assistants: true,
    tag: "Execution queries",
    summary: "Find executions of all jobs",
    description: `searchText is looked for in jobName and error. ${fieldsOf("searchExecutions")}`,
    body: FilterRequest,
    data: Type.Array(FoundExecution),
    meta: Meta,
    errors: [],
  },
  getExecution: {
    method: "GET",
    path: "/jobExecution/:id",
    access: "JobService:JobExecution:read",
    assistants: true,
    tag: "Execution queries",
    summary: "Read an execution with its steps",
    params: byId,
    query: Type.Object({
      run: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 32_767,
          description: "As this attempt left it; the latest when left out.",
        }),
      ),
      outputs: withOutputs,
    }),
    data: JobExecution,
    errors: ["NOT_FOUND"],
  },
  getStepExecution: {
    method: "GET",
    path: "/jobExecution/:id/steps/:step",
    access: "JobService:JobExecution:read",
    tag: "Execution queries",
    summary: "Read one step of an execution, with its input and its output",
    description:
      "The input is computed anew. Secret parameters and variables are masked in it; variables have the value of now, and are shown to those who hold `ConfigService:GlobalVariable:read`.",
    params: Type.Object({
      id: Id,
      step: Type.String({ minLength: 1, maxLength: 64, description: "Its key or its id." }),
    }),
    query: Type.Object({
      run: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 32_767,
          description: "As this attempt left it; the latest when left out.",
        }),
      ),
    }),
    data: StepExecutionDetail,
    errors: ["NOT_FOUND"],
  },
  getLastExecution: {
    method: "GET",
    path: "/jobExecution/last/:jobId",
    access: "JobService:JobExecution:read",
    tag: "Execution queries",
    summary: "Read the most recent execution of a job",
    params: byJobId,
    data: JobExecution,
    errors: ["NOT_FOUND"],
  },
  listExecutions: {
    method: "POST",
    path: "/jobExecution/job/:jobId",
    access: "JobService:JobExecution:read",
    assistants: true,
    tag: "Execution queries",
    summary: "List the executions of a job",
    params: byJobId,
    body: HistoryRequest,
    data: Type.Array(HistoryItem),
    meta: Meta,
    errors: ["NOT_FOUND"],
  },
  getExecutionSummary: {
    method: "GET",
    path: "/jobExecution/jobs/:jobId/execution-summary",
    access: "JobService:JobExecution:read",
    assistants: true,
    tag: "Execution queries",
    summary: "Summarise the executions of a job",
    params: byJobId,
    data: ExecutionSummary,
    errors: ["NOT_FOUND"],
  },
  getExecutionLogs: {
    method: "GET",
    path: "/jobExecution/:id/logs",
    access: "JobService:JobExecution:read",
    tag: "Execution queries",
    summary: "Read what the steps of an execution logged",
    params: byId,
    query: Type.Object({
      step: Type.Optional(
        Type.String({ maxLength: 64, description: "Key of a step; all of them when left out." }),
      ),
      run: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 32_767, description: "Attempt; the latest when left out." }),
      ),
      try: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 32_767, description: "Try of each step; all when left out." }),
      ),
      page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    }),
    data: Type.Array(StepLogLine),
    meta: Meta,
    errors: ["NOT_FOUND"],
  },

  ...mcpServerRoutes,

  ...bridgeRoutes,

  ...connectionRoutes,
  ...variableRoutes,
  ...certificateRoutes,
  ...datasetRoutes,
  ...fileRoutes,
  ...apiTemplateRoutes,

  ...adminRoutes,

  ...sessionRoutes,

  whoAmI: {
    method: "GET",
    path: "/me",
    access: "authenticated",
    tag: "Identity",
    summary: "Who the credential belongs to, and what it may do",
    data: WhoAmI,
    errors: [],
  },
  createPrincipal: {
    method: "POST",
    path: "/principal",
    access: "IdentityService:Principal:upsert",
    tag: "Identity",
    audits: "principal",
    summary: "Create a principal",
    description:
      "Nobody grants what they don't hold: authorities and job limits must lie within the caller's own.",
    body: PrincipalInput,
    data: PrincipalRecord,
    status: 201,
    errors: ["CONFLICT"],
  },
  listPrincipals: {
    method: "GET",
    path: "/principal",
    access: "IdentityService:Principal:read",
    tag: "Identity",
    summary: "List principals",
    query: Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    }),
    data: Type.Array(PrincipalRecord),
    meta: Meta,
    errors: [],
  },
  getPrincipal: {
    method: "GET",
    path: "/principal/:id",
    access: "IdentityService:Principal:read",
    tag: "Identity",
    summary: "Read a principal",
    params: byId,
    data: PrincipalRecord,
    errors: ["NOT_FOUND"],
  },
  replacePrincipal: {
    method: "PUT",
    path: "/principal/:id",
    access: "IdentityService:Principal:upsert",
    tag: "Identity",
    audits: "principal",
    summary: "Change a principal's name, authorities or job limits",
    params: byId,
    body: PrincipalInput,
    data: PrincipalRecord,
    errors: ["NOT_FOUND", "CONFLICT"],
  },
  deletePrincipal: {
    method: "DELETE",
    path: "/principal/:id",
    access: "IdentityService:Principal:delete",
    tag: "Identity",
    audits: "principal",
    summary: "Delete a principal and revoke its tokens",
    params: byId,
    data: Type.Null(),
    errors: ["NOT_FOUND", "CONFLICT"],
  },
  createToken: {
    method: "POST",
    path: "/token",
    access: "IdentityService:Token:create",
    tag: "Identity",
    audits: "token",
    summary: "Create an API token for a principal; the token is shown this once",
    body: TokenInput,
    data: CreatedToken,
    status: 201,
    errors: ["NOT_FOUND"],
  },
  listTokens: {
    method: "GET",
    path: "/token",
    access: "IdentityService:Token:read",
    tag: "Identity",
    summary: "List API tokens, newest first",
    query: Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    }),
    data: Type.Array(TokenRecord),
    meta: Meta,
    errors: [],
  },
  revokeToken: {
    method: "DELETE",
    path: "/token/:id",
    access: "IdentityService:Token:revoke",
    tag: "Identity",
    audits: "token",
    summary: "Revoke an API token",
    description: "Refused (409) for the last one that holds everything and doesn't expire.",
    params: byId,
    data: TokenRecord,
    errors: ["NOT_FOUND", "CONFLICT"],
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

type Shape<R, K extends string> = R extends { [P in K]: infer S extends TSchema } ? Static<S> : undefined;

/** What a handler of a route is given, and a client sends, as types. */
export type ParamsOf<R extends Route> = Shape<R, "params">;
export type QueryOf<R extends Route> = Shape<R, "query">;
export type HeadersOf<R extends Route> = Shape<R, "headers">;
export type BodyOf<R extends Route> = Shape<R, "body">;
export type DataOf<R extends Route> = Static<R["data"]>;
