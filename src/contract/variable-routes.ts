import Type from "typebox";
import { BulkDeleted, BulkDeleteRequest, NamedOption, Usage } from "./configuration.ts";
import { Forced } from "./forced.ts";
import type { Route } from "./routes.ts";
import { FilterRequest, searchFields } from "./search.ts";
import { Id, Meta } from "./shapes.ts";
import { DecryptedVariable, DecryptVariables, Variable, VariableInput, VariableItem } from "./variable.ts";

const byId = Type.Object({ id: Id });
// Of a name that no variable can have it is told that there is none.
const name = Type.String({ minLength: 1, maxLength: 200 });

/** Global variables: values that expressions of all jobs share, plain and secret. */
export const variableRoutes = {
  upsertVariable: {
    method: "POST",
    path: "/global-variable/upsert",
    access: "ConfigService:GlobalVariable:upsert",
    tag: "Global variables",
    audits: "variable",
    summary: "Create a global variable, or change the one of this name",
    description:
      "201 when it is created. A value that is left out, or a sealed one sent back, stays. What was secret becomes plain only with a new value (SECRET_REENTRY_REQUIRED).",
    query: Type.Object({
      expectedVersion: Type.Optional(
        Type.Integer({ minimum: 1, description: "Refuse (409) unless this is the current version." }),
      ),
    }),
    body: VariableInput,
    data: Variable,
    alsoAnswers: { 201: "Created" },
    errors: ["NOT_FOUND", "CONFLICT", "DECRYPT_FAILED", "SECRET_REENTRY_REQUIRED"],
  },
  listVariableOptions: {
    method: "GET",
    path: "/global-variable/options",
    access: "ConfigService:GlobalVariable:read",
    tag: "Global variables",
    summary: "List global variables as choices, by name",
    data: Type.Array(NamedOption),
    bare: true,
    errors: [],
  },
  searchVariables: {
    method: "POST",
    path: "/global-variable/search",
    access: "ConfigService:GlobalVariable:read",
    tag: "Global variables",
    summary: "Find global variables",
    description: `Fields to filter and sort by: ${searchFields.searchVariables.join(", ")}.`,
    body: FilterRequest,
    data: Type.Array(VariableItem),
    meta: Meta,
    errors: [],
  },
  deleteVariables: {
    method: "POST",
    path: "/global-variable/bulk-delete",
    access: "ConfigService:GlobalVariable:delete",
    tag: "Global variables",
    audits: "variable",
    summary: "Delete global variables, all or none",
    description: "409 when jobs use one of them, unless forced.",
    query: Forced,
    body: BulkDeleteRequest,
    data: BulkDeleted,
    errors: ["INVALID_STATE"],
  },
  decryptVariables: {
    method: "POST",
    path: "/global-variable/decrypted",
    access: "ConfigService:GlobalVariable:decrypt",
    tag: "Global variables",
    audits: "variable",
    limit: "decrypts",
    summary: "Read global variables by their names, secrets in the clear",
    description:
      "For the services that run steps. A name that is not there is left out. Each secret is recorded in the audit trail before it is answered; 503 when it can't be recorded.",
    body: DecryptVariables,
    data: Type.Array(DecryptedVariable),
    errors: ["DECRYPT_FAILED"],
  },
  getVariableByName: {
    method: "GET",
    path: "/global-variable/name/:name",
    access: "ConfigService:GlobalVariable:read",
    tag: "Global variables",
    summary: "Read a global variable by its name",
    params: Type.Object({ name }),
    data: Variable,
    errors: ["NOT_FOUND"],
  },
  deleteVariable: {
    method: "DELETE",
    path: "/global-variable/delete/:id",
    access: "ConfigService:GlobalVariable:delete",
    tag: "Global variables",
    audits: "variable",
    summary: "Delete a global variable",
    description: "409 when jobs use it, unless forced: their steps fail from then on.",
    params: byId,
    query: Forced,
    data: Type.Null(),
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  getVariable: {
    method: "GET",
    path: "/global-variable/:id",
    access: "ConfigService:GlobalVariable:read",
    tag: "Global variables",
    summary: "Read a global variable; a secret is sealed",
    params: byId,
    data: Variable,
    errors: ["NOT_FOUND"],
  },
  getVariableUsage: {
    method: "GET",
    path: "/global-variable/:id/usage",
    access: "ConfigService:GlobalVariable:read",
    tag: "Global variables",
    summary: "List the jobs that use a global variable",
    description: "Those whose expressions, or code, name it: vars.<name>.",
    params: byId,
    data: Usage,
    errors: ["NOT_FOUND"],
  },
  variableExists: {
    method: "GET",
    path: "/global-variable/:name/exists",
    access: "ConfigService:GlobalVariable:read",
    tag: "Global variables",
    summary: "Tell whether there is a global variable of this name",
    params: Type.Object({ name }),
    query: Type.Object({
      id: Type.Optional(Type.String({ format: "uuid", description: "Leaves this variable out." })),
    }),
    data: Type.Boolean(),
    errors: [],
  },
} as const satisfies Record<string, Route>;
