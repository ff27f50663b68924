import type { JobExecution, StepExecution } from "../contract/execution.ts";
import { progressOf } from "./run.ts";
import type { ToolCall } from "./tool.ts";

const heartbeatMs = 10_000;

export interface Wait {
  executionId: string;
  seconds: number;
  /** Whether this status is what is waited for. */
  until(status: JobExecution["status"]): boolean;
}

/**
 * Waits for a run to come to a status, for so many seconds at most, and tells the client how far it is. Resolves in every
 * case; how the run stands then is read anew. A client that goes away ends the wait and nothing else.
 */
export async function waitForRun(call: ToolCall, { executionId, seconds, until }: Wait): Promise<void> {
  const { caller, signal } = call;
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), seconds * 1000);
  const tell = teller(call);
  const heart = setInterval(tell, heartbeatMs);
  const steps = new Map<string, Pick<StepExecution, "status" | "stepName">>();
  try {
    const watching = { params: { id: executionId }, signal: AbortSignal.any([signal, enough.signal]) };
    for await (const { event, data } of caller.platform.watchExecution(watching)) {
      if (event === "snapshot") {
        for (const { stepId, stepName, status } of data.stepExecutions)
          steps.set(stepId, { stepName, status });
        if (until(data.status)) return;
      } else if (event === "step" && data.step) {
        const stepName = steps.get(data.step.id)?.stepName ?? data.step.key;
        steps.set(data.step.id, { stepName, status: data.status as StepExecution["status"] });
      } else if (event === "execution" && until(data.status as JobExecution["status"])) {
        return;
      }
      tell([...steps.values()]);
    }
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    clearInterval(heart);
  }
}

/** Sends progress, if the client asked for it. Its number has to grow each time, also when nothing has happened. */
function teller({ ctx }: ToolCall) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  let last: ReturnType<typeof progressOf> = { stepsDone: 0, stepsTotal: 0 };
  let sent = 0;
  return (steps?: Pick<StepExecution, "status" | "stepName">[]): void => {
    if (steps) last = progressOf(steps);
    if (progressToken === undefined) return;
    const { stepsDone, stepsTotal, currentStep } = last;
    const now = currentStep === undefined ? "" : `; now ${currentStep}`;
    const params = {
      progressToken,
      progress: stepsDone + ++sent / 10_000,
      ...(stepsTotal === 0 ? {} : { total: stepsTotal }),
      message: `${stepsDone} of ${stepsTotal} steps done${now}`,
    };
    // A client that has gone hears nothing; its request is ended elsewhere.
    ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
