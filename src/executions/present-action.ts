import type { JobActionResponse } from "../contract/control.ts";
import type { ControlOutcome } from "../engine/engine.ts";

/** The seed's action response: the body itself, without an envelope. */
export function presentActionResponse(
  executionId: string,
  action: JobActionResponse["action"],
  { status, at }: ControlOutcome,
  message: string,
): JobActionResponse {
  return { executionId, action, status, message, timestamp: new Date(at).toISOString() };
}

export function pausedMessage(resumeAt: number | undefined): string {
  const until = resumeAt === undefined ? "" : `, at ${new Date(resumeAt).toISOString()} at the latest`;
  return `Paused. The step under way finishes, and nothing further starts until it is resumed${until}.`;
}

export const stoppedMessage = "Stopped. The step under way was ended, and no further step runs.";

export const resumedMessage = "Resumed. It goes on with the next pending step.";

/** Names the step, as people and as programs know it. */
export function restartedMessage({ step }: ControlOutcome): string {
  if (!step) return "Restarted.";
  const key = step.key === step.name ? "" : ` (${step.key})`;
  return `Restarted from step '${step.name}'${key}. The results before it are kept.`;
}

export function decidedMessage(approved: boolean): string {
  return approved ? "Approved. The execution goes on." : "Rejected. The execution is stopped.";
}
