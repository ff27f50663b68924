import type pg from "pg";

/**
 * Reads back what a run left: so many executions of the job, all COMPLETED, each with its results, none still live, and the
 * counters of the summary in agreement. Throws otherwise: figures of work that was not done are worth nothing.
 */
export async function verifyExecutions(
  pool: pg.Pool,
  given: { jobId: string; executions: number; steps: number },
): Promise<string> {
  const { jobId, executions, steps } = given;
  const { rows } = await pool.query<Record<string, number>>(
    `with run as (select id, status from execution where job_id = $1)
     select (select count(*)::int from run) as executions,
            (select count(*)::int from run where status = 'COMPLETED') as completed,
            (select count(*)::int from step_execution s join run on run.id = s.execution_id where s.status = 'COMPLETED') as results,
            (select count(*)::int from (
               select from run left join step_execution s on s.execution_id = run.id group by run.id having count(s.id) <> $2
             ) as odd) as incomplete,
            (select count(*)::int from live_execution l join run on run.id = l.execution_id) as live,
            (select coalesce(sum(completed), 0)::int from job_counter where job_id = $1) as counted`,
    [jobId, steps],
  );
  const found = rows[0]!;
  const expected = {
    executions,
    completed: executions,
    results: executions * steps,
    incomplete: 0,
    live: 0,
    counted: executions,
  };
  for (const [name, value] of Object.entries(expected)) {
    if (found[name] !== value) {
      throw new Error(`The database holds ${found[name]} for '${name}', and the run made ${value}.`);
    }
  }
  return `verified: ${executions} COMPLETED, ${executions * steps} results, none live`;
}
