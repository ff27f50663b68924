import type { Usage } from "../contract/configuration.ts";
import { ApiError } from "../contract/errors.ts";
import type { Principal } from "../http/principal.ts";

/** The jobs whose steps name one of these records; those the principal may not see are counted only. */
export type RecordUsage = (
  principal: Principal,
  records: readonly { id: string; name: string }[],
) => Promise<Usage>;

/**
 * @param asked how many were to be deleted
 * @throws ApiError INVALID_STATE: jobs refer to some
 */
export function requireUnused(noun: string, { jobs, totalJobs }: Usage, asked: number): void {
  if (totalJobs === 0) return;
  const names = jobs.slice(0, 5).map(({ name }) => `"${name}"`);
  const others = totalJobs - names.length;
  const listed = names.length === 0 ? countOf(others) : names.join(", ");
  const more = names.length > 0 && others > 0 ? ` and ${others} more` : "";
  throw new ApiError(
    "INVALID_STATE",
    `${asked === 1 ? `The ${noun} is` : `Some of these ${noun}s are`} used by ${listed}${more}. Take it out of them first, or delete it nevertheless with ?force=true.`,
  );
}

export function usageMessage(noun: string, { totalJobs }: Usage): string {
  return `Jobs that refer to the ${noun}: ${totalJobs}.`;
}

function countOf(jobs: number): string {
  return jobs === 1 ? "1 job" : `${jobs} jobs`;
}
