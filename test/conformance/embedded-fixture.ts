import { engineFixture } from "../helpers/engine-fixture.ts";
import type { Counts, EngineFixture } from "./fixture.ts";

type OpenOptions = Parameters<Awaited<ReturnType<typeof engineFixture>>["open"]>[0];

/** The embedded engine on a PostgreSQL database of its own. */
export async function embeddedFixture(options: OpenOptions = {}) {
  const on = await engineFixture();

  const fixture: EngineFixture = {
    open: () => on.open(options),
    close: on.close,
    jobOf: (...steps) => on.jobOf(...(steps as Parameters<typeof on.jobOf>)),
    executionOf: on.executionOf,
    async find(id) {
      const { rows } = await on.pool.query(
        `select e.status, e.run, e.workflow_id::text as "workflowId", e.ended_at is not null as ended, e.error ->> 'code' as error,
                l.execution_id is not null as live, coalesce(l.due_at is not null, false) as parked, coalesce(l.draining, false) as draining,
                coalesce((select json_agg(json_build_object('run', r.run, 'workflowId', r.workflow_id, 'status', r.status) order by r.run)
                          from execution_run r where r.execution_id = e.id), '[]') as earlier
         from execution e left join live_execution l on l.execution_id = e.id where e.id = $1`,
        [id],
      );
      return rows[0];
    },
    async resultsOf(id) {
      const { rows } = await on.pool.query(
        `select run, position, status, attempts, output::text, error ->> 'code' as error
         from step_execution where execution_id = $1 order by run, position`,
        [id],
      );
      return rows;
    },
    async actionsOf(id) {
      const { rows } = await on.pool.query(
        `select action, actor, reason, from_status as "from", to_status as "to"
         from execution_action where execution_id = $1 order by at, id`,
        [id],
      );
      return rows;
    },
    async countsOf(jobId) {
      const kept = await on.pool.query<Counts>(
        `select sum(started)::int as started, sum(completed)::int as completed, sum(failed)::int as failed, sum(stopped)::int as stopped
         from job_counter where job_id = $1`,
        [jobId],
      );
      const recount = await on.pool.query<Counts>(
        `select count(*)::int as started, count(*) filter (where status = 'COMPLETED')::int as completed,
                count(*) filter (where status = 'FAILED')::int as failed, count(*) filter (where status = 'STOPPED')::int as stopped
         from execution where job_id = $1`,
        [jobId],
      );
      return { kept: kept.rows[0]!, recount: recount.rows[0]! };
    },
    dispose: on.dispose,
  };
  return { ...fixture, on };
}
