import { ApiError } from "../../contract/errors.ts";
import type { CompiledJob } from "../../engine/engine.ts";
import type { StepResult } from "../../engine/loop.ts";

/**
 * The position that a restart begins at: the step asked for by id or key, or else the failed step, or the first without a
 * result. Every step before it must have one that is kept.
 */
export function restartPoint(
  job: CompiledJob,
  results: ReadonlyMap<number, StepResult>,
  fromStep: string | undefined,
): number {
  const isDone = (position: number): boolean => {
    const result = results.get(position);
    if (!result) return false;
    if (result.status === "STOPPED" || result.error?.code === "EXECUTION_TIMEOUT") return false;
    return result.status !== "FAILED" || job.steps[position]!.onError === "continue";
  };
  const firstOpen = job.steps.findIndex((_, position) => !isDone(position));
  if (fromStep === undefined) return firstOpen === -1 ? job.steps.length - 1 : firstOpen;

  const wanted = job.steps.findIndex((step) => step.id === fromStep || step.key === fromStep);
  if (wanted === -1) {
    const known = job.steps.map(({ key }) => key).join(", ");
    throw new ApiError("VALIDATION_FAILED", `The job has no step '${fromStep}'. It has ${known}.`, {
      details: [{ path: "/fromStepId", message: "is no step of this job." }],
    });
  }
  if (firstOpen !== -1 && firstOpen < wanted) {
    const { key } = job.steps[firstOpen]!;
    throw new ApiError(
      "VALIDATION_FAILED",
      `Step '${job.steps[wanted]!.key}' needs the results of the steps before it, and '${key}' has none. Restart from '${key}' or an earlier step.`,
      { details: [{ path: "/fromStepId", message: `comes after '${key}', which is not finished.` }] },
    );
  }
  return wanted;
}
