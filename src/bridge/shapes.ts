import * as z from "zod/v4";
import { executionStatuses } from "../contract/execution.ts";

export const id = (what: string) => z.uuid().describe(what);
export const jobId = id("Id of the job, as search_jobs gives it.");
export const executionId = id("Id of the run, as start_job or list_runs gives it.");
export const status = z.enum(executionStatuses);
export const timestamp = z.string().describe("ISO 8601, UTC");
export const cursor = z
  .string()
  .max(1000)
  .describe("nextCursor of the call before; the same arguments with it.");
export const limit = z.number().int().min(1).max(50).default(20);
export const waitSeconds = z
  .number()
  .int()
  .min(0)
  .max(45)
  .default(0)
  .describe("Wait so long at most for it to end; 0 answers at once.");
export const reason = z.string().min(1).max(500).describe("Kept in the history.");

export const failure = z.object({
  stepId: z.string().optional(),
  stepName: z.string().optional(),
  code: z.string(),
  message: z.string(),
});

export const action = (name: "PAUSE" | "RESUME" | "STOP") =>
  z.object({
    executionId: z.string(),
    action: z.literal(name),
    status,
    message: z.string(),
    timestamp,
  });
