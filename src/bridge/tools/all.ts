import type { Tool } from "../tool.ts";
import { pauseRun, resumeRun, stopRun } from "./control.ts";
import { getJob } from "./get-job.ts";
import { getRun } from "./get-run.ts";
import { getRunResult } from "./get-run-result.ts";
import { listRuns } from "./list-runs.ts";
import { searchJobs } from "./search-jobs.ts";
import { startJob } from "./start-job.ts";

/**
 * All that an assistant can do, in the order of the alphabet. Never a tool a job: the list would grow without end, and names and
 * descriptions of users would be read as instructions. Restart and decisions are left out: an assistant that approves what it
 * started makes the approval worthless.
 */
export const tools: readonly Tool[] = [
  getJob,
  getRun,
  getRunResult,
  listRuns,
  pauseRun,
  resumeRun,
  searchJobs,
  startJob,
  stopRun,
];
