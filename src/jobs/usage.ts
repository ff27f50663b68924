import type pg from "pg";
import type { Usage } from "../contract/configuration.ts";
import { holds, type Principal } from "../http/principal.ts";
import { usageStore } from "./usage-store.ts";

/** The jobs that refer to one of these connections; those the principal may not see are counted only. */
export function connectionUsage(pool: pg.Pool) {
  const store = usageStore(pool);
  return async (principal: Principal, connectionIds: readonly string[]): Promise<Usage> => {
    const rows = await store.jobsWithConnections(connectionIds, principal.jobs);
    const maySee = holds(principal, "JobService:Job:read");
    return {
      jobs: rows
        .filter(({ visible }) => visible && maySee)
        .map(({ id, name, steps }) => ({ id, name, steps })),
      totalJobs: rows[0]?.total ?? 0,
    };
  };
}
