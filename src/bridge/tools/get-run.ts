import * as z from "zod/v4";
import { stepStatuses } from "../../contract/execution.ts";
import { mostBytes, sizeOf } from "../pages.ts";
import {
  allowedActions,
  ended,
  failureOf,
  longestName,
  pollAfter,
  progressOf,
  readRun,
  waitsFor,
} from "../run.ts";
import { executionId, failure, status, timestamp, waitSeconds } from "../shapes.ts";
import { clean } from "../text.ts";
import { reads, tool } from "../tool.ts";
import { waitForRun } from "../wait.ts";

const step = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(stepStatuses),
  durationMs: z.number().int().nullable(),
});

export const getRun = tool({
  name: "get_run",
  title: "Check how a run goes",
  description:
    "Answers the state of a run, its steps, why it failed, what it waits for and what can be done about it. With waitSeconds it waits so long for the run to end or to pause; with sinceStatus, for any other state than that.",
  scope: "jobs:read",
  subject: "run",
  annotations: reads,
  input: z.strictObject({
    executionId,
    waitSeconds,
    sinceStatus: status.optional().describe("The state that you know of: the wait ends when it is another."),
  }),
  output: z.object({
    executionId: z.string(),
    jobId: z.string(),
    jobName: z.string(),
    status,
    startTime: timestamp,
    endTime: timestamp.optional(),
    durationMs: z.number().int().optional(),
    progress: z.object({
      stepsDone: z.number().int(),
      stepsTotal: z.number().int(),
      currentStep: z.string().optional(),
    }),
    steps: z.array(step),
    stepsLeftOut: z.number().int().optional().describe("Of the first ones, where all would not fit."),
    failure: failure.optional(),
    waitingFor: z.enum(["approval", "resume"]).optional(),
    allowedActions: z.array(z.string()),
    pollAfterSeconds: z.number().int(),
  }),
  async run({ executionId, waitSeconds, sinceStatus }, call) {
    const { caller, signal, deps } = call;
    if (waitSeconds > 0) {
      const done = deps.limits.wait(caller.userId);
      const until = (status: string) =>
        ended.has(status) || (sinceStatus === undefined ? status === "PAUSED" : status !== sinceStatus);
      try {
        await waitForRun(call, { executionId, seconds: waitSeconds, until });
      } finally {
        done();
      }
    }
    const run = await readRun(caller, executionId, signal);
    const waitingFor = waitsFor(run);
    const failure = failureOf(run.error, run.stepExecutions);
    const answer = {
      executionId: run.id,
      jobId: run.jobId,
      jobName: clean(run.jobName, longestName),
      status: run.status,
      startTime: run.startTime,
      ...(run.endTime === null ? {} : { endTime: run.endTime }),
      ...(run.durationMs === null ? {} : { durationMs: run.durationMs }),
      progress: progressOf(run.stepExecutions),
      ...(failure === undefined ? {} : { failure }),
      ...(waitingFor === undefined ? {} : { waitingFor }),
      allowedActions: allowedActions(run, caller),
      pollAfterSeconds: pollAfter(run, Date.now()),
    };
    const steps = run.stepExecutions.map(({ stepId, stepName, status, durationMs }) => ({
      id: stepId,
      name: clean(stepName, 100),
      status,
      durationMs,
    }));
    const leftOut = tooMany(steps, mostBytes - 2048 - sizeOf(answer));
    return { ...answer, steps: steps.slice(leftOut), ...(leftOut > 0 ? { stepsLeftOut: leftOut } : {}) };
  },
});

/** How many of the first have to go for the rest to fit. */
function tooMany(items: unknown[], room: number): number {
  let used = 0;
  for (let i = items.length - 1; i >= 0; i--) {
    used += sizeOf(items[i]) + 1;
    if (used > room) return i + 1;
  }
  return 0;
}
