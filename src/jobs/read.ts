import { ApiError } from "../contract/errors.ts";
import type { Principal } from "../http/principal.ts";
import { isHidden } from "./limits.ts";
import type { JobRow, VersionRow } from "./present.ts";
import type { JobStore } from "./store.ts";
import { noSuchJob } from "./write.ts";

/** @throws ApiError NOT_FOUND, also for a job outside the principal's limits */
export async function readJob(store: JobStore, principal: Principal, id: string): Promise<JobRow> {
  const job = await store.find(id, principal.jobs);
  if (!job || isHidden(principal, job.definition)) throw noSuchJob();
  return job;
}

/** @throws ApiError NOT_FOUND */
export async function readVersion(
  store: JobStore,
  principal: Principal,
  id: string,
  version: number,
): Promise<VersionRow> {
  const job = await readJob(store, principal, id);
  // Counted from 1 without a gap, and listed newest first.
  const [row] = version > job.version ? [] : await store.findVersions(id, job.version - version, 1);
  if (row?.version !== version) throw new ApiError("NOT_FOUND", `The job has no version ${version}.`);
  return row;
}

/** Newest first. */
export async function readVersions(
  store: JobStore,
  principal: Principal,
  id: string,
  { page = 0, size = 10 }: { page?: number; size?: number },
): Promise<{ rows: VersionRow[]; total: number; page: number; size: number }> {
  const job = await readJob(store, principal, id);
  // Versions are counted from 1 without a gap.
  return { rows: await store.findVersions(id, page, size), total: job.version, page, size };
}
