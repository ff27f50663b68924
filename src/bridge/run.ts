import type { ExecutionError, JobExecution, StepExecution } from "../contract/execution.ts";
import type { Caller } from "./platform.ts";
import { clean } from "./text.ts";

export const ended: ReadonlySet<string> = new Set(["COMPLETED", "FAILED", "STOPPED"]);
const over: ReadonlySet<string> = new Set(["COMPLETED", "FAILED", "SKIPPED", "STOPPED"]);

export const longestName = 200;

/** An execution with its steps, as its user may read it. */
export async function readRun({ platform }: Caller, id: string, signal: AbortSignal): Promise<JobExecution> {
  return (await platform.getExecution({ params: { id }, signal })).data;
}

export function failureOf(error: ExecutionError | null, steps: readonly StepExecution[]) {
  if (error === null) return undefined;
  const step = steps.find(({ stepId }) => stepId === error.stepId);
  return {
    ...(error.stepId === undefined ? {} : { stepId: error.stepId }),
    ...(step === undefined ? {} : { stepName: clean(step.stepName, longestName) }),
    code: error.code,
    message: clean(error.message, 2000),
  };
}

export function progressOf(steps: readonly Pick<StepExecution, "status" | "stepName">[]) {
  const current = steps.find(({ status }) => status === "RUNNING" || status === "WAITING");
  return {
    stepsDone: steps.filter(({ status }) => over.has(status)).length,
    stepsTotal: steps.length,
    ...(current === undefined ? {} : { currentStep: clean(current.stepName, longestName) }),
  };
}

/** The tools that the run's state and the caller's rights leave. */
export function allowedActions({ status, waitingFor }: JobExecution, { authorities }: Caller): string[] {
  if (ended.has(status)) return ["get_run_result"];
  if (!authorities.has("JobService:JobExecution:control")) return [];
  if (status === "RUNNING") return ["pause_run", "stop_run"];
  return waitingFor === null ? ["resume_run", "stop_run"] : ["stop_run"];
}

/** What a run that is PAUSED waits for: a person who decides, or anyone who resumes it. */
export function waitsFor({ status, waitingFor }: JobExecution): "approval" | "resume" | undefined {
  if (status !== "PAUSED") return undefined;
  return waitingFor === null ? "resume" : "approval";
}

/** When it is worth asking again: soon of what is young or just past a step, seldom of what waits for people. */
export function pollAfter(run: JobExecution, now: number): number {
  if (ended.has(run.status)) return 0;
  if (run.status === "PAUSED") return 60;
  const age = (now - Date.parse(run.startTime)) / 1000;
  return age < 10 ? 2 : age < 120 ? 5 : 15;
}
