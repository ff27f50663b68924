import type { TSchema } from "typebox";
import * as apiTemplate from "../contract/api-template.ts";
import * as audit from "../contract/audit.ts";
import * as certificate from "../contract/certificate.ts";
import * as configuration from "../contract/configuration.ts";
import * as connection from "../contract/connection.ts";
import * as control from "../contract/control.ts";
import * as dataset from "../contract/dataset.ts";
import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import * as execution from "../contract/execution.ts";
import * as file from "../contract/file.ts";
import * as identity from "../contract/identity.ts";
import * as job from "../contract/job.ts";
import * as mcpServer from "../contract/mcp-server.ts";
import * as overview from "../contract/overview.ts";
import type { Route } from "../contract/routes.ts";
import * as search from "../contract/search.ts";
import * as shapes from "../contract/shapes.ts";
import * as variable from "../contract/variable.ts";
import * as vault from "../contract/vault.ts";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of a route table. */
export function openApi(table: Record<string, Route>): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(table)) {
    const path = route.path.replace(/:([A-Za-z]+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Pawl",
      version: "1",
      description:
        "Runs jobs made of steps, durably. Answers come in an envelope, except where the route shows its body bare; every failure has the same shape.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(Object.values(table).map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "An API token: pawl_…" } },
      headers: {
        RequestId: { description: "Id of the request, as in the log.", schema: { type: "string" } },
        RetryAfter: { description: "Seconds to wait before trying again.", schema: { type: "integer" } },
        WwwAuthenticate: { description: "How to authenticate.", schema: { type: "string", const: "Bearer" } },
      },
      schemas: Object.fromEntries([...components].map(([text, name]) => [name, inner(JSON.parse(text))])),
    },
  };
}

function operation(name: string, route: Route): Json {
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    security: route.access === "public" ? [] : [{ bearer: [] }],
    "x-access": route.access,
    ...(parametersOf(route).length > 0 ? { parameters: parametersOf(route) } : {}),
    ...(route.body || route.takesBytes ? { requestBody: requestBody(route) } : {}),
    responses: { ...successes(route), ...failures(route) },
  };
}

function descriptionOf({ access, description }: Route): string {
  const needs =
    access === "public"
      ? "Anyone may call it."
      : access === "authenticated"
        ? "Needs a valid token."
        : `Needs the authority \`${access}\`.`;
  return description ? `${description}\n\n${needs}` : needs;
}

function parametersOf(route: Route): Json[] {
  return (["params", "query", "headers"] as const).flatMap((part) => {
    const schema = route[part] as { properties?: Record<string, Json>; required?: string[] } | undefined;
    return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
      name,
      in: { params: "path", query: "query", headers: "header" }[part],
      required: schema?.required?.includes(name) ?? false,
      ...(property.description ? { description: property.description } : {}),
      schema: refs(property),
    }));
  });
}

const bytes = { type: "string", format: "binary" };

function requestBody(route: Route): Json {
  if (route.takesBytes) {
    const content = Object.fromEntries(route.takesBytes.map((type) => [type, { schema: bytes }]));
    return { required: false, content };
  }
  const required = (route.body as { required?: string[] }).required ?? [];
  const content: Json = { "application/json": { schema: refs(route.body!) } };
  for (const type of route.textBody ?? []) content[type] = { schema: refs(route.body!) };
  return { required: required.length > 0, content };
}

function successes(route: Route): Json {
  const body = route.bare ? route.data : shapes.Envelope(route.data, route.meta);
  const schema = route.givesBytes ? bytes : refs(body);
  const types = route.givesBytes ? ["*/*"] : (route.produces ?? ["application/json"]);
  const answer = (description: string) => ({
    description,
    headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  });
  const others = Object.entries(route.alsoAnswers ?? {}).map(([status, description]) => [
    status,
    answer(description),
  ]);
  return { [route.status ?? 200]: answer("Done"), ...Object.fromEntries(others) };
}

/** What a route may refuse with: its own codes, and those that come with what it takes. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(["VALIDATION_FAILED", ...route.errors]);
  if (route.access !== "public") codes.add("UNAUTHENTICATED").add("RATE_LIMITED");
  if (route.access !== "public" && route.access !== "authenticated") codes.add("FORBIDDEN");
  if (route.method !== "GET") {
    for (const code of ["MALFORMED_JSON", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const)
      codes.add(code);
  }
  for (const code of ["INTERNAL", "STORE_UNAVAILABLE", "OVERLOADED"] as const) codes.add(code);
  return (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => codes.has(code));
}

function failures(route: Route): Json {
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => errorCatalogue[code].status);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(status, codes)]));
}

function failure(status: number, codes: ErrorCode[]): Json {
  return {
    description: codes.map((code) => `${code}: ${errorCatalogue[code].when}`).join(" "),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(status === 401 ? { "WWW-Authenticate": { $ref: "#/components/headers/WwwAuthenticate" } } : {}),
      ...(status === 429 || status === 503
        ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
        : {}),
    },
    content: {
      "application/json": {
        schema: refs(shapes.Failure),
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  };
}

function example(code: ErrorCode): Json {
  const details = [{ path: "/name", message: "is required." }];
  return {
    status: "error",
    message: errorCatalogue[code].when,
    data: null,
    error: {
      code,
      ...(code === "VALIDATION_FAILED" ? { details } : {}),
      requestId: "01890a5d-ac96-774b-bcce-b302099a8057",
    },
  };
}

/** Schemas that have a name of their own, by their text: TypeBox copies what it puts into another schema. */
const components: Map<string, string> = new Map(
  [
    apiTemplate,
    audit,
    certificate,
    configuration,
    connection,
    control,
    dataset,
    execution,
    file,
    identity,
    job,
    mcpServer,
    overview,
    search,
    variable,
    vault,
    { Failure: shapes.Failure, Meta: shapes.Meta },
  ].flatMap((part) =>
    Object.entries(part as Record<string, unknown>)
      .filter(([, schema]) => (schema as { type?: unknown }).type === "object")
      .map(([name, schema]): [string, string] => [JSON.stringify(schema), name]),
  ),
);

/** The schema, with `$ref` in place of every part that has a name. */
function refs(schema: TSchema | Json): unknown {
  const name = components.get(JSON.stringify(schema));
  return name === undefined ? inner(schema) : { $ref: `#/components/schemas/${name}` };
}

function inner(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => (isObject(item) ? refs(item) : item));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      Array.isArray(value) ? inner(value) : isObject(value) ? refs(value) : value,
    ]),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
