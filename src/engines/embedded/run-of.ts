import type { CompiledJob, NewExecution } from "../../engine/engine.ts";
import type { Run } from "../../engine/loop.ts";
import type { Unfinished } from "./store.ts";

/** An execution as the run loop sees it. */
export function runOf(execution: Unfinished | NewExecution, job: CompiledJob, runNumber: number): Run {
  const { id, jobId, parameters, triggeredBy, triggerSource, startedAt } = execution;
  const fromStart = job.timeoutMs === undefined ? undefined : startedAt + job.timeoutMs;
  return {
    executionId: id,
    run: runNumber,
    startedAt: "runStartedAt" in execution ? execution.runStartedAt : startedAt,
    job,
    lastOutput: null,
    // Pauses and restarts have moved the one in the row.
    deadline: "deadline" in execution ? execution.deadline : fromStart,
    scope: {
      params: parameters,
      steps: {},
      vars: {},
      execution: { id, jobId, triggeredBy, triggerSource, startTime: new Date(startedAt).toISOString() },
      job: { id: jobId, name: job.name, version: job.version },
    },
  };
}
