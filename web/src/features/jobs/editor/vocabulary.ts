import type { Job } from "@contract/job.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../../services/api.ts";
import { keys } from "../../../services/keys.ts";
import type { Can } from "../../../services/session.tsx";

export type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  required?: string[];
  $ref?: string;
} & Record<string, unknown>;

/** The shape of a job as the API describes it. */
export const jobSchemaQuery = queryOptions({
  queryKey: keys.openApi,
  queryFn: async ({ signal }): Promise<Schema> => {
    const answer = await fetch("/openapi.json", { signal });
    const { components } = (await answer.json()) as { components: { schemas: Record<string, Schema> } };
    return resolved(components.schemas.JobInput!, components.schemas);
  },
  staleTime: Number.POSITIVE_INFINITY,
});

function resolved(schema: Schema, all: Record<string, Schema>): Schema {
  if (schema.$ref) return resolved(all[schema.$ref.split("/").at(-1)!] ?? {}, all);
  const { properties, items } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, resolved(property, all)]),
      ),
    }),
    ...(items && { items: resolved(items, all) }),
  };
}

export function variablesQuery(can: Can) {
  return queryOptions({
    queryKey: ["variables", "options"],
    enabled: can("ConfigService:GlobalVariable:read"),
    queryFn: async ({ signal }) => (await api.listVariableOptions({ signal })).data,
  });
}

/** The job as its author would write it. */
export function jobTextQuery(job: Job) {
  return queryOptions({
    queryKey: [...keys.jobs.one(job.id), "yaml", job.version],
    queryFn: async ({ signal }) =>
      (await api.exportJob({ params: { id: job.id }, query: { format: "yaml" }, signal })).data as string,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export const firstText = `name: my-first-job
description: Says hello
parameters:
  type: object
  required: [who]
  properties:
    who: { type: string, title: Who, default: world }
steps:
  - key: hello
    name: Say hello
    type: log
    input:
      message: "Hello {{ params.who }}"
`;
