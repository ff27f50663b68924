import { isDeepStrictEqual } from "node:util";
import { ApiError } from "../contract/errors.ts";
import type { JobInput } from "../contract/job.ts";
import { isUniqueViolation } from "../db/faults.ts";
import type { Principal } from "../http/principal.ts";
import { newId } from "../lib/ids.ts";
import { type Definition, requireValid } from "./definition.ts";
import { requireWithinLimits } from "./limits.ts";
import type { JobRow } from "./present.ts";
import { withStepIds } from "./step-ids.ts";
import type { StepTypes } from "./step-type.ts";
import type { JobStore } from "./store.ts";
import { requireSubJobs } from "./sub-jobs.ts";

export interface WriteDeps {
  store: JobStore;
  types: StepTypes;
  /** Called after a change is durable. */
  invalidate(jobId: string): void;
}

/** @throws ApiError VALIDATION_FAILED, FORBIDDEN (outside the principal's limits), CONFLICT (the name is taken) */
export async function createJob(deps: WriteDeps, principal: Principal, input: JobInput): Promise<JobRow> {
  const id = newId();
  requireWithinLimits(principal, { id, tags: input.tags ?? [] });
  await requireValid(input, deps.types);
  await requireSubJobs(deps.store, principal, undefined, input);
  const definition = withStepIds(input, undefined);
  const made = { definition, version: 1, by: principal.name, at: new Date() };
  await refusingTakenNames(input.name, () =>
    deps.store.transaction((client) => deps.store.insert(client, id, made)),
  );
  return {
    id,
    version: 1,
    tags: input.tags ?? [],
    collectionId: null,
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
  await requireValid(input, deps.types);
  await requireSubJobs(deps.store, principal, id, input);
  return change(deps, principal, id, expectedVersion, (job) => ({
    definition: withStepIds(input, job.definition),
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
  return change(deps, principal, id, undefined, () => ({ definition, restoredFrom: version }));
}

/** Its executions stay readable, and those that run go on. */
export async function deleteJob(deps: WriteDeps, principal: Principal, id: string): Promise<void> {
  await deps.store.transaction(async (client) => {
    if (!(await deps.store.lock(client, id, principal.jobs))) throw noSuchJob();
    await deps.store.remove(client, id, principal.name, new Date());
  });
  deps.invalidate(id);
}

async function change(
  { store, invalidate }: WriteDeps,
  principal: Principal,
  id: string,
  expectedVersion: number | undefined,
  next: (job: JobRow) => { definition: Definition; restoredFrom?: number },
): Promise<JobRow> {
  let name = "";
  const changed = await refusingTakenNames(
    () => name,
    () =>
      store.transaction(async (client) => {
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
        requireWithinLimits(principal, { id, collectionId: job.collectionId, tags: definition.tags ?? [] });
        if (isDeepStrictEqual(stored(definition), job.definition)) return job;
        const made = {
          definition,
          version: job.version + 1,
          by: principal.name,
          at: new Date(),
          restoredFrom,
        };
        await store.update(client, id, made);
        return {
          ...job,
          version: made.version,
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
