import type { CollectionInput } from "../contract/collection.ts";
import { ApiError } from "../contract/errors.ts";
import { isUniqueViolation } from "../db/faults.ts";
import type { Principal } from "../http/principal.ts";
import { newId } from "../lib/ids.ts";
import type { CollectionRow, CollectionStore, CollectionTexts } from "./collection-store.ts";

export interface CollectionDeps {
  collections: CollectionStore;
  /** Called after a change of a job is durable. */
  invalidate(jobId: string): void;
}

/** @throws ApiError NOT_FOUND, also for one that holds nothing the principal may see */
export async function readCollection(
  store: CollectionStore,
  principal: Principal,
  id: string,
): Promise<CollectionRow> {
  const found = await store.find(id, principal.jobs);
  if (!found) throw noSuchCollection();
  return found;
}

/** @throws ApiError FORBIDDEN (a principal that is limited to some jobs), CONFLICT (the name is taken) */
export async function createCollection(
  { collections: store }: CollectionDeps,
  principal: Principal,
  input: CollectionInput,
): Promise<CollectionRow> {
  if (principal.jobs !== null) {
    throw new ApiError(
      "FORBIDDEN",
      "You are limited to some jobs, and a new collection would not be among them. Ask an administrator to make it.",
    );
  }
  const made = textsOf(newId(), principal, input);
  await refusingTakenNames(input.name, () => store.transaction((client) => store.insert(client, made)));
  return readCollection(store, principal, made.id);
}

/** @throws ApiError NOT_FOUND, FORBIDDEN, CONFLICT (the name is taken) */
export async function replaceCollection(
  { collections: store }: CollectionDeps,
  principal: Principal,
  id: string,
  input: CollectionInput,
): Promise<CollectionRow> {
  await refusingTakenNames(input.name, () =>
    store.transaction(async (client) => {
      if ((await store.lock(client, [id], principal.jobs)).length === 0) throw noSuchCollection();
      requireWhole(principal, id);
      await store.update(client, textsOf(id.toLowerCase(), principal, input));
    }),
  );
  return readCollection(store, principal, id);
}

/**
 * Deletes a collection; answers how many jobs it moved.
 * @param moveTo where its jobs go: another collection, "none", or nowhere (then it must be empty)
 * @throws ApiError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, INVALID_STATE (it holds jobs)
 */
export async function deleteCollection(
  { collections: store, invalidate }: CollectionDeps,
  principal: Principal,
  givenId: string,
  moveTo: string | undefined,
): Promise<number> {
  const id = givenId.toLowerCase();
  const target = moveTo === undefined || moveTo === "none" ? null : moveTo.toLowerCase();
  let held = 0;
  const moved = await store.transaction(async (client) => {
    const locked = await store.lock(client, target === null ? [id] : [id, target], principal.jobs);
    if (!locked.includes(id)) throw noSuchCollection();
    requireWhole(principal, id);
    if (target === id) throw badTarget("is the collection that is to be deleted.");
    if (target !== null && !locked.includes(target)) throw badTarget("is not the id of a collection.");
    const { jobs, bound } = await store.countJobs(client, id, principal.jobs);
    held = jobs;
    if (jobs > 0 && moveTo === undefined) throw holdsJobs(jobs);
    if (bound > 0 && !principal.jobs?.collections?.includes(target ?? "")) {
      throw new ApiError(
        "FORBIDDEN",
        `You are limited to some jobs, and ${bound} of this collection would no longer be among them. Move them to a collection that you are limited to.`,
      );
    }
    return store.remove(client, id, target, principal.name, new Date());
  });
  for (const job of moved) invalidate(job);
  return held;
}

/** Who is limited to some jobs, this collection's not by its name, does not see all that is in it. */
function requireWhole(principal: Principal, id: string): void {
  if (principal.jobs === null || principal.jobs.collections?.includes(id.toLowerCase())) return;
  throw new ApiError(
    "FORBIDDEN",
    "You are limited to some jobs of this collection: only those who may see all of it can change or delete it.",
  );
}

function textsOf(
  id: string,
  principal: Principal,
  { name, description = "", category = "", tags = [] }: CollectionInput,
): CollectionTexts {
  return { id, name, description, category, tags, by: principal.name, at: new Date() };
}

async function refusingTakenNames(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error, "collection_name_key")) throw error;
    throw new ApiError("CONFLICT", `There is a collection named "${name}" already. Choose another name.`);
  }
}

function holdsJobs(count: number): ApiError {
  const jobs = count === 1 ? "1 job" : `${count} jobs`;
  return new ApiError(
    "INVALID_STATE",
    `The collection holds ${jobs}. Say where to: ?moveTo=<id of a collection>, or ?moveTo=none.`,
  );
}

function badTarget(fault: string): ApiError {
  return new ApiError("VALIDATION_FAILED", `The request is not valid: query/moveTo ${fault}`, {
    details: [{ path: "query/moveTo", message: fault }],
  });
}

function noSuchCollection(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such collection.");
}
