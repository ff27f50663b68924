import type { JobExecution } from "../contract/execution.ts";
import { CliError } from "./exit.ts";
import { findJob } from "./find-job.ts";
import type { Session } from "./session.ts";

export interface Which {
  last?: string;
}

export const idOrLast = "id of an execution; left out with --last";

/** The execution that is meant: one by its id, or the most recent one of a job. */
export async function which(
  { client }: Session,
  id: string | undefined,
  { last }: Which,
): Promise<JobExecution> {
  if ((id === undefined) === (last === undefined)) {
    throw new CliError("usage", "Name an execution by its id, or a job with --last; one of the two.");
  }
  if (id !== undefined) return (await client.getExecution({ params: { id } })).data;
  const { id: jobId } = await findJob(client, last!);
  return (await client.getLastExecution({ params: { jobId } })).data;
}
