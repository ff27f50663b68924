import { ApiError, type FaultDetail } from "../../contract/errors.ts";
import type { CompiledJob } from "../../engine/engine.ts";
import type { StepResult } from "../../engine/loop.ts";

/**
 * The position that a restart begins at: the step asked for by id or key, or else the failed step, or the first without a
 * result. Every step before it must have one that is kept.
 * @param job the version to run from there on
 * @param before the version that the results are of
 */
export function restartPoint(
  job: CompiledJob,
  before: CompiledJob,
  results: ReadonlyMap<number, StepResult>,
  fromStep: string | undefined,
): number {
  const isDone = (position: number): boolean => {
    const result = results.get(position);
    if (!result) return false;
    if (result.status === "STOPPED" || result.error?.code === "EXECUTION_TIMEOUT") return false;
    return result.status !== "FAILED" || before.steps[position]!.onError === "continue";
  };
  const firstOpen = before.steps.findIndex((_, position) => !isDone(position));
  const wanted =
    fromStep === undefined
      ? positionIn(job, before, firstOpen === -1 ? before.steps.length - 1 : firstOpen)
      : find(job, fromStep);
  const faults = unlike(job, before, wanted);
  if (faults.length > 0) throw cannotKeep(job, before, faults);
  if (firstOpen !== -1 && firstOpen < wanted) {
    const { key } = before.steps[firstOpen]!;
    throw new ApiError(
      "VALIDATION_FAILED",
      `Step '${job.steps[wanted]!.key}' needs the results of the steps before it, and '${key}' has none. Restart from '${key}' or an earlier step.`,
      { details: [{ path: "/fromStepId", message: `comes after '${key}', which is not finished.` }] },
    );
  }
  return wanted;
}

function find(job: CompiledJob, fromStep: string): number {
  const wanted = job.steps.findIndex((step) => step.id === fromStep || step.key === fromStep);
  if (wanted !== -1) return wanted;
  const known = job.steps.map(({ key }) => key).join(", ");
  throw new ApiError("VALIDATION_FAILED", `The job has no step '${fromStep}'. It has ${known}.`, {
    details: [{ path: "/fromStepId", message: "is no step of this job." }],
  });
}

/** Where the step of the version before is in the version to run. */
function positionIn(job: CompiledJob, before: CompiledJob, position: number): number {
  if (job === before) return position;
  const { key } = before.steps[position]!;
  const found = job.steps.findIndex((step) => step.key === key);
  if (found !== -1) return found;
  const known = job.steps.map((step) => step.key).join(", ");
  throw new ApiError(
    "CONFLICT",
    `Version ${job.version} of the job has no step '${key}', where version ${before.version} would go on. Name the step to begin with: ${known}.`,
    {
      details: [
        { path: "/fromStepId", message: `must be named: '${key}' is not part of version ${job.version}.` },
      ],
    },
  );
}

/** Why results before a position can't be kept: a step that is not the same in both versions, by key and type, in its place. */
function unlike(job: CompiledJob, before: CompiledJob, wanted: number): FaultDetail[] {
  if (job === before) return [];
  return job.steps.slice(0, wanted).flatMap(({ key, type }, position) => {
    const was = before.steps.findIndex((step) => step.key === key);
    const path = `/steps/${key}`;
    if (was === -1) return [{ path, message: `is new in version ${job.version}, and has no result.` }];
    const { type: wasType } = before.steps[was]!;
    if (wasType !== type) return [{ path, message: `was of type ${wasType}, and is of type ${type} now.` }];
    if (was === position) return [];
    return [{ path, message: `was step ${was + 1}, and is step ${position + 1} now.` }];
  });
}

function cannotKeep(job: CompiledJob, before: CompiledJob, details: FaultDetail[]): ApiError {
  const keys = details.map(({ path }) => `'${path.slice("/steps/".length)}'`).join(", ");
  const first = details[0]!.path.slice("/steps/".length);
  return new ApiError(
    "CONFLICT",
    `Results of version ${before.version} can't be kept in version ${job.version}: ${keys} no longer match. Restart from '${first}' or an earlier step, or without the newest version.`,
    { details },
  );
}
