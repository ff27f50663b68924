import type pg from "pg";
import type { Usage } from "../contract/configuration.ts";
import { holds, type Principal } from "../http/principal.ts";
import type { ResourceKind, StepTypes } from "./step-type.ts";
import { mostShown, type UsageRow, usageStore } from "./usage-store.ts";
import { variablesOf } from "./variables.ts";

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

/**
 * The jobs whose expressions or code name one of these global variables; those the principal may not see are counted only. Where
 * the words stand the database finds, whether they mean the variable the step types know.
 */
export function variableUsage(pool: pg.Pool, types: StepTypes) {
  const store = usageStore(pool);
  return async (principal: Principal, variables: readonly { name: string }[]): Promise<Usage> => {
    const names = new Set(variables.map(({ name }) => name));
    const rows: UsageRow[] = [];
    let last: UsageRow | undefined;
    let total = 0;
    await store.stepsWithVariables([...names], principal.jobs, ({ id, name, visible, definition }) => {
      if (!variablesOf(definition, types).some((found) => names.has(found.name))) return;
      if (last?.id !== id) {
        last = { id, name, visible, steps: [], total: 0 };
        total++;
        if (rows.length < mostShown) rows.push(last);
      }
      last.steps.push(definition.key);
    });
    return seenBy(
      principal,
      rows.map((row) => ({ ...row, total })),
    );
  };
}

function seenBy(principal: Principal, rows: readonly UsageRow[]): Usage {
  const maySee = holds(principal, "JobService:Job:read");
  return {
    jobs: rows.filter(({ visible }) => visible && maySee).map(({ id, name, steps }) => ({ id, name, steps })),
    totalJobs: rows[0]?.total ?? 0,
  };
}
