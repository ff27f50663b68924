import * as z from "zod/v4";
import type { JobExecution } from "../../contract/execution.ts";
import { mostBytes, sizeOf } from "../pages.ts";
import type { Caller } from "../platform.ts";
import { ended, failureOf, readRun } from "../run.ts";
import { failure, jobId, status, timestamp, waitSeconds } from "../shapes.ts";
import { cleanJson } from "../text.ts";
import { tool } from "../tool.ts";
import { waitForRun } from "../wait.ts";

export const startedRun = z.object({
  executionId: z.string(),
  jobId: z.string(),
  status,
  workflowId: z.string(),
  startedAt: timestamp,
  finished: z.boolean(),
  result: z
    .unknown()
    .optional()
    .describe("Output of the last step, if the run ended within the wait and it is small."),
  failure: failure.optional(),
  runUrl: z.string(),
});

export const startJob = tool({
  name: "start_job",
  title: "Start a run of a job",
  description:
    "Starts a job and answers the run's id at once; it goes on by itself. With waitSeconds it waits for the end as long, then check with get_run. Give an idempotencyKey, so that a repeated call doesn't start it twice.",
  scope: "jobs:run",
  subject: "job",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    jobId,
    parameters: z.looseObject({}).optional().describe("As the inputSchema of get_job says."),
    waitSeconds,
    idempotencyKey: z
      .string()
      .min(1)
      .max(128)
      .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters without spaces")
      .optional()
      .describe("The same key, job and parameters within 24 hours start once."),
  }),
  output: startedRun,
  async run({ jobId, parameters, waitSeconds, idempotencyKey }, call) {
    const { caller, signal, deps } = call;
    // Before the start: a run that is started is not answered with a refusal.
    const done = waitSeconds > 0 ? deps.limits.wait(caller.userId) : undefined;
    try {
      const started = await begin(caller, { jobId, parameters, idempotencyKey, signal });
      const answer = {
        executionId: started.executionId,
        jobId: started.jobId,
        workflowId: started.workflowId,
        startedAt: started.startedAt,
        runUrl: caller.runUrl(started.executionId),
      };
      if (waitSeconds === 0)
        return { ...answer, status: started.status, finished: ended.has(started.status) };
      const until = (status: string) => status !== "RUNNING";
      await waitForRun(call, { executionId: started.executionId, seconds: waitSeconds, until });
      return { ...answer, ...outcomeOf(await readRun(caller, started.executionId, signal)) };
    } finally {
      done?.();
    }
  },
});

interface Start {
  jobId: string;
  parameters: Record<string, unknown> | undefined;
  idempotencyKey: string | undefined;
  signal: AbortSignal;
}

async function begin({ platform, client }: Caller, { jobId, parameters, idempotencyKey, signal }: Start) {
  const { name, version } = client;
  const { data } = await platform.startJob({
    // The platform tells a repeated start by its bytes, and a client may order the names anew.
    body: {
      jobId,
      ...(parameters === undefined ? {} : { parameters: ordered(parameters) as typeof parameters }),
    },
    headers: {
      "pawl-mcp-client": encodeURIComponent(JSON.stringify({ name, version })),
      // A key of the same user's programs is another one.
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": `mcp:${idempotencyKey}` }),
    },
    signal,
  });
  return data;
}

/** How a run stands, with what came of it if it has ended. */
export function outcomeOf({ status, error, stepExecutions }: JobExecution) {
  const last = stepExecutions.findLast((step) => step.status === "COMPLETED");
  const result = status === "COMPLETED" ? cleanJson(last?.output ?? null) : undefined;
  const failure = failureOf(error, stepExecutions);
  return {
    status,
    finished: ended.has(status),
    ...(result === undefined || sizeOf(result) > mostBytes - 8192 ? {} : { result }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, ordered(inner)]));
}
