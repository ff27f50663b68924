import { ApiError } from "../contract/errors.ts";
import { JobInput } from "../contract/job.ts";
import type { Principal } from "../http/principal.ts";
import { validate } from "../http/validate.ts";
import { type Definition, requireValid } from "./definition.ts";
import type { JobRow } from "./present.ts";
import { type KnownReferences, requireReferences } from "./references.ts";
import { requireSubJobs } from "./sub-jobs.ts";
import { createJob, nameTaken, replaceJob, type WriteDeps } from "./write.ts";
import { formatYaml, parseYaml } from "./yaml.ts";

/**
 * Creates the job of this name, or replaces it. A name that only jobs outside the principal's limits have is taken.
 * @throws ApiError as createJob and replaceJob; MALFORMED_JSON, VALIDATION_FAILED for the text
 */
export async function importJob(
  deps: WriteDeps,
  principal: Principal,
  body: JobInput | string,
  onExisting: "replace" | "fail",
): Promise<{ job: JobRow; created: boolean }> {
  const input = withoutIds(typeof body === "string" ? validate(JobInput, parseYaml(body)) : body);
  // Between the look and the write someone may make or delete a job of that name: then look again.
  for (let look = 1; ; look++) {
    const id = await deps.store.findIdByName(input.name);
    try {
      if (id === undefined) return { job: await createJob(deps, principal, input), created: true };
      if (onExisting === "fail") throw nameTaken(input.name);
      return { job: await replaceJob(deps, principal, id, input), created: false };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const moved = id === undefined ? error.code === "CONFLICT" : error.code === "NOT_FOUND";
      if (!moved) throw error;
      if (look === 3) throw nameTaken(input.name);
    }
  }
}

/**
 * Refuses what a save would be refused for, and saves nothing.
 * @throws ApiError MALFORMED_JSON, VALIDATION_FAILED
 */
export async function checkJob(
  deps: WriteDeps,
  principal: Principal,
  body: JobInput | string,
): Promise<void> {
  const input = withoutIds(typeof body === "string" ? validate(JobInput, parseYaml(body)) : body);
  const { collectionId: _, ...described } = input;
  await requireValid(described, deps.types);
  await requireSubJobs(deps.store, principal, undefined, described);
  await requireReferences(deps, principal, described);
}

/** Ids of steps belong to one server; a job that comes from elsewhere is known by its keys. */
function withoutIds(input: JobInput): JobInput {
  return { ...input, steps: input.steps.map(({ id: _, ...step }) => step) };
}

/** A job as text that `importJob` takes, here or elsewhere: without ids, and without what is so by default. */
export function exportJob(
  definition: Definition,
  format: "yaml" | "json",
  connections: ConnectionNames = new Map(),
): { body: string; type: string } {
  const value = portable(definition, connections);
  return format === "yaml"
    ? { body: formatYaml(value), type: "application/yaml" }
    : { body: `${JSON.stringify(value, null, 2)}\n`, type: "application/json" };
}

const RETRY_DEFAULTS: Record<string, unknown> = { initialDelayMs: 500, factor: 2, maxDelayMs: 30_000 };

/** Connections by id; elsewhere they are known by name and type. */
type ConnectionNames = ReadonlyMap<string, { name: string; connectionType: string }>;

/** The names of the connections that a job uses; those that are gone are left out. */
export async function namesOfConnections(
  { findConnection }: KnownReferences,
  { steps }: Definition,
): Promise<ConnectionNames> {
  const ids = new Set(steps.flatMap(({ connectionId }) => connectionId ?? []));
  const found = await Promise.all([...ids].map((id) => findConnection({ id })));
  return new Map(
    found.flatMap((each) =>
      each ? [[each.id, { name: each.name, connectionType: each.connectionType }]] : [],
    ),
  );
}

function portable(definition: Definition, connections: ConnectionNames): Record<string, unknown> {
  const { name, description, category, tags, parameters, timeoutMs, concurrency, mcp, steps } = definition;
  return withoutUndefined({
    name,
    description,
    category,
    tags,
    parameters,
    steps: steps.map(
      ({ key, name, description, type, when, connectionId = "", input, retry, timeoutMs, onError }) =>
        withoutUndefined({
          key,
          name,
          description,
          type,
          when,
          connection: connections.get(connectionId),
          // One that is gone: the import says so.
          connectionId: connections.has(connectionId) ? undefined : connectionId || undefined,
          input,
          retry: retry && without(retry, RETRY_DEFAULTS),
          timeoutMs,
          onError: onError === "fail" ? undefined : onError,
        }),
    ),
    timeoutMs,
    concurrency,
    mcp,
  });
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return without(value, {});
}

function without(value: Record<string, unknown>, defaults: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([key, item]) => item !== undefined && item !== defaults[key]),
  );
}
