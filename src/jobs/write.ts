import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import { ApiError } from "../contract/errors.ts";
import type { JobInput } from "../contract/job.ts";
import { isUniqueViolation } from "../db/faults.ts";
import type { Principal } from "../http/principal.ts";
import { newId } from "../lib/ids.ts";
import { type Definition, requireValid } from "./definition.ts";
import { requireWithinLimits } from "./limits.ts";
import type { JobRow } from "./present.ts";
import { type KnownReferences, requireReferences } from "./references.ts";
import { withStepIds } from "./step-ids.ts";
import type { StepTypes } from "./step-type.ts";
import type { JobStore } from "./store.ts";
import { requireSubJobs } from "./sub-jobs.ts";

export interface WriteDeps {
  store: JobStore;
  types: StepTypes;
  references: KnownReferences;
  /** Called after a change is durable. */
  invalidate(jobId: string): void;
}

/** @throws ApiError VALIDATION_FAILED, FORBIDDEN (outside the principal's limits), CONFLICT (the name is taken) */
export async function createJob(deps: WriteDeps, principal: Principal, input: JobInput): Promise<JobRow> {
  const id = newId();
  const { collectionId = null, ...described } = input;
  requireWithinLimits(principal, { id, collectionId, tags: input.tags ?? [] });
  await requireValid(described, deps.types);
  await requireSubJobs(deps.store, principal, undefined, described);
  const definition = withStepIds(await requireReferences(deps, principal, described), undefined);
  const made = { definition, version: 1, collectionId, by: principal.name, at: new Date() };
  await refusingTakenNames(input.name, () =>
    deps.store.transaction(async (client) => {
      await requireCollection(deps.store, client, principal, collectionId);
      await deps.store.insert(client, id, made);
    }),
  );
  return {
    id,
    version: 1,
    tags: input.tags ?? [],
    collectionId,
    createdAt: made.at,
    createdBy: made.by,
    updatedAt: made.at,
    updatedBy: made.by,
    definition: stored(definition),
  };
}

/**
 * Makes a new version of a job; a body that says what the current one says changes nothing and makes none. Those who
 * replace at once take turns.
 * @throws ApiError NOT_FOUND, VALIDATION_FAILED, FORBIDDEN, CONFLICT (the name is taken, or `expectedVersion` was passed)
 */
export async function replaceJob(
  deps: WriteDeps,
  principal: Principal,
  id: string,
  input: JobInput,
  expectedVersion?: number,
): Promise<JobRow> {
  if (!(await deps.store.find(id, principal.jobs))) throw noSuchJob();
  const { collectionId, ...described } = input;
  await requireValid(described, deps.types);
  await requireSubJobs(deps.store, principal, id, described);
  const resolved = await requireReferences(deps, principal, described);
  return change(deps, principal, id, { expectedVersion, collectionId }, (job) => ({
    definition: withStepIds(resolved, job.definition),
  }));
}

/** Makes an earlier version the newest again, as a new one. It must still be valid: step types may have changed. */
export async function restoreVersion(
  deps: WriteDeps,
  principal: Principal,
  id: string,
  version: number,
): Promise<JobRow> {
  if (!(await deps.store.find(id, principal.jobs))) throw noSuchJob();
  const definition = await deps.store.findDefinition(id, version);
  if (!definition) throw new ApiError("NOT_FOUND", `The job has no version ${version}.`);
  await requireValid(definition, deps.types);
  await requireSubJobs(deps.store, principal, id, definition);
  await requireReferences(deps, principal, definition);
  return change(deps, principal, id, {}, () => ({ definition, restoredFrom: version }));
}

/** Its executions stay readable, and those that run go on. Answers its name. */
export async function deleteJob(deps: WriteDeps, principal: Principal, id: string): Promise<string> {
  const name = await deps.store.transaction(async (client) => {
    const job = await deps.store.lock(client, id, principal.jobs);
    if (!job) throw noSuchJob();
    await deps.store.remove(client, id, principal.name, new Date());
    return job.definition.name;
  });
  deps.invalidate(id);
  return name;
}

async function change(
  { store, invalidate }: WriteDeps,
  principal: Principal,
  id: string,
  { expectedVersion, collectionId: wanted }: { expectedVersion?: number; collectionId?: string | null },
  next: (job: JobRow) => { definition: Definition; restoredFrom?: number },
): Promise<JobRow> {
  let name = "";
  const changed = await refusingTakenNames(
    () => name,
    () =>
      store.transaction(async (client) => {
        // The collection before the job: who deletes a collection locks them in this order too.
        await requireCollection(store, client, principal, wanted ?? null);
        const job = await store.lock(client, id, principal.jobs);
        if (!job) throw noSuchJob();
        if (expectedVersion !== undefined && expectedVersion !== job.version) {
          throw new ApiError(
            "CONFLICT",
            `The job was changed meanwhile: it is at version ${job.version}, and ${expectedVersion} was expected. Read it again.`,
          );
        }
        const { definition, restoredFrom } = next(job);
        name = definition.name;
        const collectionId = wanted === undefined ? job.collectionId : wanted;
        requireWithinLimits(principal, { id, collectionId, tags: definition.tags ?? [] });
        const [by, at] = [principal.name, new Date()];
        if (isDeepStrictEqual(stored(definition), job.definition)) {
          if (collectionId === job.collectionId) return job;
          await store.move(client, id, collectionId, by, at);
          return { ...job, collectionId, updatedAt: at, updatedBy: by };
        }
        const made = { definition, version: job.version + 1, collectionId, by, at, restoredFrom };
        await store.update(client, id, made);
        return {
          ...job,
          version: made.version,
          collectionId,
          tags: definition.tags ?? [],
          updatedAt: made.at,
          updatedBy: made.by,
          definition: stored(definition),
        };
      }),
  );
  invalidate(id);
  return changed;
}

/** @throws ApiError VALIDATION_FAILED, also for a collection that the principal may not know of */
async function requireCollection(
  store: JobStore,
  client: pg.PoolClient,
  principal: Principal,
  id: string | null,
): Promise<void> {
  if (id === null || (await store.keepCollection(client, id, principal.jobs))) return;
  throw new ApiError("VALIDATION_FAILED", "There is no such collection: see /collection/search.", {
    details: [{ path: "/collectionId", message: "is not the id of a collection." }],
  });
}

/** As it comes back from the database: without what JSON leaves out. */
function stored(definition: Definition): Definition {
  return JSON.parse(JSON.stringify(definition)) as Definition;
}

async function refusingTakenNames<Result>(
  name: string | (() => string),
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, "job_name")) throw error;
    throw nameTaken(typeof name === "string" ? name : name());
  }
}

export function nameTaken(name: string): ApiError {
  return new ApiError(
    "CONFLICT",
    `There is a job named "${name}" already. Choose another name, or change that job.`,
  );
}

export function noSuchJob(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such job.");
}
