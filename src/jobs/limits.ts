import { ApiError } from "../contract/errors.ts";
import type { JobInput } from "../contract/job.ts";
import { type LimitedJob, mayUseJob, type Principal } from "../http/principal.ts";

/** Whether the job is kept from assistants, and an assistant asks. */
export function isHidden({ assistant }: Principal, { mcp }: Pick<JobInput, "mcp">): boolean {
  return assistant !== undefined && mcp?.exposed === false;
}

/**
 * Keeps a principal that is limited to some jobs from making one outside, or from moving one out.
 * @throws ApiError FORBIDDEN
 */
export function requireWithinLimits(principal: Principal, job: LimitedJob): void {
  if (mayUseJob(principal, job)) return;
  const tags = principal.jobs?.tags ?? [];
  throw new ApiError(
    "FORBIDDEN",
    tags.length > 0
      ? `You are limited to some jobs, and this one would not be among them. Give it one of these tags: ${tags.join(", ")}.`
      : "You are limited to some jobs, and this one would not be among them. Ask an administrator for wider limits.",
  );
}
