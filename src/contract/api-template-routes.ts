import Type from "typebox";
import { ApiTemplate, ApiTemplateInput, ApiTemplateItem, ApiTemplateName } from "./api-template.ts";
import { BulkDeleted, BulkDeleteRequest, NamedOption, Usage } from "./configuration.ts";
import { Forced } from "./forced.ts";
import type { Route } from "./routes.ts";
import { FilterRequest, searchFields } from "./search.ts";
import { Id, Meta } from "./shapes.ts";

const byId = Type.Object({ id: Id });

/** API templates: requests written once, which http steps fill in. */
export const apiTemplateRoutes = {
  upsertApiTemplate: {
    method: "POST",
    path: "/api/upsert",
    access: "ConfigService:ApiTemplate:upsert",
    tag: "API templates",
    audits: "apiTemplate",
    summary: "Create an API template, or change the one of this name",
    description: "201 when it is created. What is left out is as in a new one.",
    query: Type.Object({
      expectedVersion: Type.Optional(
        Type.Integer({ minimum: 1, description: "Refuse (409) unless this is the current version." }),
      ),
    }),
    body: ApiTemplateInput,
    data: ApiTemplate,
    alsoAnswers: { 201: "Created" },
    errors: ["NOT_FOUND", "CONFLICT"],
  },
  listApiTemplateOptions: {
    method: "GET",
    path: "/api/options",
    access: "ConfigService:ApiTemplate:read",
    tag: "API templates",
    summary: "List API templates as choices, by name",
    data: Type.Array(NamedOption),
    bare: true,
    errors: [],
  },
  searchApiTemplates: {
    method: "POST",
    path: "/api/search",
    access: "ConfigService:ApiTemplate:read",
    tag: "API templates",
    summary: "Find API templates",
    description: `Fields to filter and sort by: ${searchFields.searchApiTemplates.join(", ")}.`,
    body: FilterRequest,
    data: Type.Array(ApiTemplateItem),
    meta: Meta,
    errors: [],
  },
  deleteApiTemplates: {
    method: "POST",
    path: "/api/bulk-delete",
    access: "ConfigService:ApiTemplate:delete",
    tag: "API templates",
    audits: "apiTemplate",
    summary: "Delete API templates, all or none",
    description: "409 when jobs refer to one of them, unless forced.",
    query: Forced,
    body: BulkDeleteRequest,
    data: BulkDeleted,
    errors: ["INVALID_STATE"],
  },
  getApiTemplateByName: {
    method: "GET",
    path: "/api/name/:templateName",
    access: "ConfigService:ApiTemplate:read",
    tag: "API templates",
    summary: "Read an API template by its name",
    params: Type.Object({ templateName: ApiTemplateName }),
    data: ApiTemplate,
    errors: ["NOT_FOUND"],
  },
  deleteApiTemplate: {
    method: "DELETE",
    path: "/api/delete/:id",
    access: "ConfigService:ApiTemplate:delete",
    tag: "API templates",
    audits: "apiTemplate",
    summary: "Delete an API template",
    description: "409 when jobs refer to it, unless forced.",
    params: byId,
    query: Forced,
    data: Type.Null(),
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  getApiTemplate: {
    method: "GET",
    path: "/api/:id",
    access: "ConfigService:ApiTemplate:read",
    tag: "API templates",
    summary: "Read an API template",
    params: byId,
    data: ApiTemplate,
    errors: ["NOT_FOUND"],
  },
  getApiTemplateUsage: {
    method: "GET",
    path: "/api/:id/usage",
    access: "ConfigService:ApiTemplate:read",
    tag: "API templates",
    summary: "List the jobs that refer to an API template",
    description: "By its id or its name, written out in the input of a step.",
    params: byId,
    data: Usage,
    errors: ["NOT_FOUND"],
  },
  apiTemplateExists: {
    method: "GET",
    path: "/api/:name/exists",
    access: "ConfigService:ApiTemplate:read",
    tag: "API templates",
    summary: "Tell whether there is an API template of this name",
    params: Type.Object({ name: ApiTemplateName }),
    query: Type.Object({
      id: Type.Optional(Type.String({ format: "uuid", description: "Leaves this template out." })),
    }),
    data: Type.Boolean(),
    errors: [],
  },
} as const satisfies Record<string, Route>;
