import * as z from "zod/v4";
import { ClientError } from "../../client/error.ts";
import { ToolFault } from "../faults.ts";
import { mostBytes, sizeOf } from "../pages.ts";
import { longestName } from "../run.ts";
import { inputSchemaOf } from "../schema.ts";
import { jobId, status, timestamp } from "../shapes.ts";
import { clean } from "../text.ts";
import { reads, tool } from "../tool.ts";

const mostSteps = 100;

export const getJob = tool({
  name: "get_job",
  title: "Read one job and the inputs it needs",
  description:
    "Answers what a job does, the JSON Schema of the parameters that start_job takes for it, its steps and its last run.",
  scope: "jobs:read",
  subject: "job",
  annotations: reads,
  input: z.strictObject({ jobId }),
  output: z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    inputSchema: z.looseObject({}).describe("JSON Schema. writeOnly marks secrets: ask the user for those."),
    steps: z.array(z.object({ id: z.string(), name: z.string() })),
    stepsTotal: z.number().int(),
    canRun: z.boolean(),
    lastRun: z.object({ executionId: z.string(), status, startedAt: timestamp }).optional(),
    estimatedDurationMs: z.number().int().optional(),
  }),
  async run({ jobId }, { caller, signal }) {
    const { platform, authorities } = caller;
    const [job, runs, summary] = await Promise.all([
      platform.getJob({ params: { id: jobId }, signal }).then(({ data }) => data),
      ifAllowed(platform.listExecutions({ params: { jobId }, body: { size: 1 }, signal })),
      ifAllowed(platform.getExecutionSummary({ params: { jobId }, signal })),
    ]);
    const last = runs?.data[0];
    const duration = summary?.data.avgDurationMs ?? undefined;
    const answer = {
      id: job.id,
      name: clean(job.name, longestName),
      description: clean(job.description, 4000),
      inputSchema: inputSchemaOf(job.parameters),
      steps: job.steps
        .slice(0, mostSteps)
        .map(({ id, key, name }) => ({ id, name: clean(name ?? key, 100) })),
      stepsTotal: job.steps.length,
      canRun: authorities.has("JobService:Job:execute"),
      ...(last ? { lastRun: { executionId: last.id, status: last.status, startedAt: last.startTime } } : {}),
      ...(duration === undefined ? {} : { estimatedDurationMs: duration }),
    };
    if (sizeOf(answer) > mostBytes) {
      throw new ToolFault(
        "RESULT_TOO_LARGE",
        "The schema of this job's parameters doesn't fit into an answer. Its user can start it in Pawl itself.",
      );
    }
    return answer;
  },
});

/** Who may read jobs and not runs still reads the job. */
async function ifAllowed<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ClientError && error.code === "FORBIDDEN") return undefined;
    throw error;
  }
}
