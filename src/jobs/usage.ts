import type pg from "pg";
import type { Usage } from "../contract/configuration.ts";
import { holds, type Principal } from "../http/principal.ts";
import type { ResourceKind } from "./step-type.ts";
import { type UsageRow, usageStore } from "./usage-store.ts";

/** What steps name in a field of their input. */
export type RecordKind = Exclude<ResourceKind, "mcpServer">;

/** The fields of the inputs of steps that name a record. */
const fieldsOf: Record<RecordKind, readonly string[]> = {
  certificate: ["certificate", "trust"],
  dataset: ["dataset"],
  file: ["file"],
  apiTemplate: ["apiTemplate"],
};

/** The jobs that name one of these records, by its id or its name; those the principal may not see are counted only. */
export function recordUsage(pool: pg.Pool) {
  const store = usageStore(pool);
  return async (
    kind: RecordKind,
    principal: Principal,
    records: readonly { id: string; name: string }[],
  ): Promise<Usage> => {
    const names = records.flatMap(({ id, name }) => [id, id.toUpperCase(), name]);
    return seenBy(principal, await store.jobsWithRecords(names, fieldsOf[kind], principal.jobs));
  };
}

/** The jobs that refer to one of these connections; those the principal may not see are counted only. */
export function connectionUsage(pool: pg.Pool) {
  const store = usageStore(pool);
  return async (principal: Principal, connectionIds: readonly string[]): Promise<Usage> => {
    return seenBy(principal, await store.jobsWithConnections(connectionIds, principal.jobs));
  };
}

/** The jobs whose steps name this MCP server, by its id or its name; those the principal may not see are counted only. */
export function mcpServerUsage(pool: pg.Pool) {
  const store = usageStore(pool);
  return async (principal: Principal, server: { id: string; name: string }): Promise<Usage> =>
    seenBy(principal, await store.jobsWithMcpServer(server, principal.jobs));
}

function seenBy(principal: Principal, rows: readonly UsageRow[]): Usage {
  const maySee = holds(principal, "JobService:Job:read");
  return {
    jobs: rows.filter(({ visible }) => visible && maySee).map(({ id, name, steps }) => ({ id, name, steps })),
    totalJobs: rows[0]?.total ?? 0,
  };
}
