import type { Ending } from "./engine.ts";
import type { Run, StepResult } from "./loop.ts";

/** The end of the execution that a result brings, if it does. */
export function endingAfter(run: Run, position: number, result: StepResult): Ending | undefined {
  // Its last step may have begun after the clock was set back.
  const endedAt = Math.max(result.endedAt, run.startedAt);
  const step = run.job.steps[position]!;
  if (result.status === "FAILED" && (step.onError === "fail" || result.error?.code === "EXECUTION_TIMEOUT")) {
    return { status: "FAILED", endedAt, error: result.error, output: null };
  }
  if (position < run.job.steps.length - 1) return undefined;
  const output = result.status === "COMPLETED" ? result.output : run.lastOutput;
  return { status: "COMPLETED", endedAt, output };
}
