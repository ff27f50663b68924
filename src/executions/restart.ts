import type { JobActionResponse, RestartRequest } from "../contract/control.ts";
import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { RestartRequest as EngineRequest } from "../engine/engine.ts";
import { holds, type Principal } from "../http/principal.ts";
import type { ControlDeps } from "./control.ts";
import { presentActionResponse, restartedMessage } from "./present-action.ts";
import { requireVisible } from "./read.ts";

/** A version of a job, as far as a restart needs it. */
interface Version {
  version: number;
  name: string;
  /** Checks parameters against the version's schema and fills in defaults. */
  readParameters(given: Record<string, unknown>): { value: Record<string, unknown>; faults: FaultDetail[] };
}

export interface RestartDeps extends ControlDeps {
  /** @throws ApiError NOT_FOUND when there is no such job for this principal */
  findJob(principal: Principal, jobId: string): Promise<Version>;
  /** What `findJob` answers next is read anew. */
  forgetJob(jobId: string): void;
  /** A version of a job, be it deleted since; undefined if it can't be had any more. */
  findVersion(jobId: string, version: number): Promise<Version | undefined>;
}

/**
 * Runs a FAILED or STOPPED execution again from a step on; if asked, with the job's newest version or other parameters.
 * @throws ApiError NOT_FOUND, INVALID_STATE, FORBIDDEN, CONFLICT where results can't be kept, VALIDATION_FAILED for a step that
 * it can't be restarted from and for parameters that don't fit
 */
export async function restartExecution(
  deps: RestartDeps,
  principal: Principal,
  request: RestartRequest,
): Promise<JobActionResponse> {
  const { jobExecutionId: executionId, reason, fromStepId: fromStep } = request;
  const jobId = await requireVisible(deps.store, principal, executionId);
  const changed = await changes(deps, principal, jobId, request);
  const outcome = await deps.engine.restart({
    executionId,
    actor: principal.name,
    reason,
    fromStep,
    ...changed,
  });
  return presentActionResponse(executionId, "RESTART", outcome, restartedMessage(outcome));
}

/** What is to be different in the next attempt. */
async function changes(
  deps: RestartDeps,
  principal: Principal,
  jobId: string,
  { jobExecutionId, version: wanted, parameters: given }: RestartRequest,
): Promise<Pick<EngineRequest, "jobVersion" | "parameters">> {
  if (wanted === undefined && given === undefined) return {};
  if (!holds(principal, "JobService:Job:execute")) {
    throw new ApiError(
      "FORBIDDEN",
      "Another version or other parameters make it a run of its own: that takes the authority JobService:Job:execute.",
    );
  }
  const present = await deps.control.findStarted(jobExecutionId);
  if (!present) throw new ApiError("NOT_FOUND", `There is no execution ${jobExecutionId}.`);
  const job =
    wanted === "latest"
      ? await newest(deps, principal, jobId)
      : await deps.findVersion(jobId, present.jobVersion);
  if (!job) throw new ApiError("CONFLICT", "The definition that this execution started with is gone.");
  const { value, faults } = job.readParameters(given ?? present.parameters);
  if (faults.length > 0) throw unfit(job, faults, given !== undefined);
  return { jobVersion: job.version, parameters: value };
}

async function newest(deps: RestartDeps, principal: Principal, jobId: string): Promise<Version> {
  // Another process may have changed it.
  deps.forgetJob(jobId);
  return deps.findJob(principal, jobId).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === "NOT_FOUND")) throw error;
    throw new ApiError("CONFLICT", "The job was deleted, so it has no newest version. Restart without it.");
  });
}

function unfit({ name, version }: Version, faults: FaultDetail[], given: boolean): ApiError {
  const details = faults.map(({ path, message }) => ({ path: `/parameters${path}`, message }));
  const message = given
    ? `The parameters don't fit the job '${name}'.`
    : `The parameters of the execution don't fit version ${version} of the job '${name}'. Send others with the restart.`;
  return new ApiError("VALIDATION_FAILED", message, { details });
}
