import type pg from "pg";
import type { JobLimits } from "../contract/identity.ts";
import type { Definition } from "./definition.ts";
import { limitValues, within } from "./limits-store.ts";

export interface UsageRow {
  id: string;
  name: string;
  /** Keys, in their order. */
  steps: string[];
  /** Within the limits that were asked about. */
  visible: boolean;
  /** Of all the rows that there are. */
  total: number;
}

/** A step in which the words stand that may mean a variable. */
export interface CandidateStep extends Pick<UsageRow, "id" | "name" | "visible"> {
  definition: Definition["steps"][number];
}

export const mostShown = 100;

/** As the index has it. */
const named = `array_remove(array[
  step.definition #>> '{input,certificate}', step.definition #>> '{input,trust}', step.definition #>> '{input,dataset}',
  step.definition #>> '{input,file}', step.definition #>> '{input,apiTemplate}'], null)`;

/** As the index has it. */
const saysVars = "strpos(step.definition::text, 'vars') > 0";

export function usageStore(pool: pg.Pool) {
  return {
    /**
     * Jobs whose current version has a step that names one of these in one of these fields of its input; those within the
     * limits first. What a step writes anew is not used by it.
     */
    async jobsWithRecords(
      names: readonly string[],
      fields: readonly string[],
      limits: JobLimits | null,
    ): Promise<UsageRow[]> {
      const { rows } = await pool.query<UsageRow>(
        `select job.id::text, job.name, array_agg(step.definition ->> 'key' order by item.position) as steps,
           (${within(3)}) as visible, count(*) over () as total
         from step join search_item item on item.id = step.id join job on job.id = step.job_id and job.deleted_at is null
         where ${named} && $1::text[]
           and exists (select from unnest($2::text[]) field where step.definition #>> array['input', field] = any($1))
           and (step.definition #>> '{input,action}') is distinct from 'write'
         group by job.id order by visible desc, job.name limit ${mostShown}`,
        [names, fields, ...limitValues(limits)],
      );
      return rows;
    },

    /** Gives each step of a current version that says `vars` and one of these names, job after job; those within the limits first. */
    async stepsWithVariables(
      names: readonly string[],
      limits: JobLimits | null,
      give: (step: CandidateStep) => void,
    ): Promise<void> {
      const client = await pool.connect();
      try {
        // By a cursor: there may be more of them than memory should hold at a time.
        await client.query("begin read only");
        await client.query(
          `declare candidates no scroll cursor for
           select job.id::text, job.name, (${within(2)}) as visible, step.definition
           from step join search_item item on item.id = step.id join job on job.id = step.job_id and job.deleted_at is null
           where ${saysVars} and exists (select from unnest($1::text[]) as given (name) where strpos(step.definition::text, given.name) > 0)
           order by visible desc, job.name, job.id, item.position`,
          [names, ...limitValues(limits)],
        );
        for (;;) {
          const { rows } = await client.query<CandidateStep>("fetch 100 from candidates");
          rows.forEach(give);
          if (rows.length < 100) break;
        }
      } finally {
        await client.query("rollback").catch(() => {});
        client.release();
      }
    },

    /** Jobs whose current version has a step with one of these connections; those within the limits first. */
    async jobsWithConnections(ids: readonly string[], limits: JobLimits | null): Promise<UsageRow[]> {
      const { rows } = await pool.query<UsageRow>(
        `select job.id::text, job.name, array_agg(step.definition ->> 'key' order by item.position) as steps,
           (${within(2)}) as visible, count(*) over () as total
         from step join search_item item on item.id = step.id join job on job.id = step.job_id and job.deleted_at is null
         where step.definition ->> 'connectionId' = any($1::text[])
         group by job.id order by visible desc, job.name limit ${mostShown}`,
        [ids, ...limitValues(limits)],
      );
      return rows;
    },

    /**
     * Jobs whose current version has a step that names this MCP server: by its id anywhere in its input, for an agent keeps
     * a list; or, where one tool is called, by its name. An id or a name that an expression makes is not seen.
     */
    async jobsWithMcpServer(
      server: { id: string; name: string },
      limits: JobLimits | null,
    ): Promise<UsageRow[]> {
      const { rows } = await pool.query<UsageRow>(
        `select job.id::text, job.name, array_agg(step.definition ->> 'key' order by item.position) as steps,
           (${within(3)}) as visible, count(*) over () as total
         from search_item item join step on step.id = item.id join job on job.id = step.job_id and job.deleted_at is null
         where item.step_type in ('ai-agent', 'mcp-tool')
           and (strpos(lower(step.definition ->> 'input'), $1) > 0
             or lower(step.definition -> 'input' ->> 'server') = lower($2))
         group by job.id order by visible desc, job.name limit ${mostShown}`,
        [server.id, server.name, ...limitValues(limits)],
      );
      return rows;
    },
  };
}
