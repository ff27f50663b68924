import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { JobInput } from "../contract/job.ts";
import type { Principal } from "../http/principal.ts";
import type { JobStore } from "./store.ts";

type Steps = Pick<JobInput, "steps">;

// A graph of jobs is followed so far at a save; the depth of what really runs is bounded by the engine.
const mostJobs = 1_000;

/**
 * Checks the jobs that steps of a job run: each must exist for the principal, and none may lead back to the job itself.
 * @throws ApiError VALIDATION_FAILED
 */
export async function requireSubJobs(
  store: JobStore,
  principal: Principal,
  id: string | undefined,
  input: Steps,
): Promise<void> {
  const faults: FaultDetail[] = [];
  for (const { jobId, position } of subJobsOf(input)) {
    const path = `/steps/${position}/input/jobId`;
    const found = await store.find(jobId, principal.jobs);
    if (!found) {
      faults.push({ path, message: "there is no such job, or you may not use it." });
      continue;
    }
    const way = id === undefined ? undefined : await wayBack(store, jobId, found.definition, id);
    if (way)
      faults.push({
        path,
        message: `would make the job run itself: ${[...way, "this job"].join(" runs ")}.`,
      });
  }
  if (faults.length > 0) {
    throw new ApiError("VALIDATION_FAILED", "The jobs that its steps run are not right.", {
      details: faults,
    });
  }
}

/** Names of the jobs on the way from one to another, the first included; undefined when there is none. */
async function wayBack(
  store: JobStore,
  from: string,
  definition: Steps & { name: string },
  to: string,
): Promise<string[] | undefined> {
  if (from === to) return [];
  const seen = new Set([from]);
  const open = [{ definition, way: [`'${definition.name}'`] }];
  for (let at = open.shift(); at && seen.size < mostJobs; at = open.shift()) {
    for (const { jobId } of subJobsOf(at.definition)) {
      if (jobId === to) return at.way;
      if (seen.has(jobId)) continue;
      seen.add(jobId);
      const next = await store.find(jobId, null);
      if (next) open.push({ definition: next.definition, way: [...at.way, `'${next.definition.name}'`] });
    }
  }
  return undefined;
}

function subJobsOf({ steps }: Steps): { jobId: string; position: number }[] {
  return steps.flatMap(({ type, input }, position) =>
    type === "job" && typeof input?.jobId === "string" ? [{ jobId: input.jobId, position }] : [],
  );
}
