import type pg from "pg";
import { inForce } from "../engine/in-force.ts";
import type { DefinedStep, ExecutionRow, LiveRow, RunRow, StepResultRow, TryRow } from "./rows.ts";

interface Wanted {
  execution: ExecutionRow;
  earlier: RunRow[];
  steps: DefinedStep[];
  /** Without them only those are read that name the execution which a step started. */
  outputs: boolean;
}

/** The results that count for the attempt. Superseded ones may be large, and are not loaded. */
export async function findResults(
  client: pg.ClientBase,
  { execution, earlier, steps, outputs }: Wanted,
): Promise<StepResultRow[]> {
  const points = new Map([...earlier, execution].map((row) => [row.run, row.from_position]));
  const recorded = await client.query<{ run: number; position: number }>(
    "select run, position from step_execution where execution_id = $1",
    [execution.id],
  );
  const counting = inForce(recorded.rows, execution.run, points);
  const withOutput = counting.filter(({ position }) => outputs || steps[position]?.type === "job");
  const { rows } = await client.query<StepResultRow>(
    `select id::text, run, position, status, attempts, started_at, ended_at,
            case when position = any($4::int2[]) then output end as output, error
     from step_execution join unnest($2::int2[], $3::int2[]) as counting (run, position) using (run, position)
     where execution_id = $1 order by position`,
    [
      execution.id,
      counting.map(({ run }) => run),
      counting.map(({ position }) => position),
      withOutput.map(({ position }) => position),
    ],
  );
  return rows;
}

/** The tries of what was tried more than once: when each first and last said something, and its last words. */
export async function findTries(
  client: pg.ClientBase,
  execution: ExecutionRow,
  results: StepResultRow[],
  live: LiveRow | undefined,
): Promise<TryRow[]> {
  const tried = results
    .filter(({ attempts }) => attempts > 1)
    .map(({ run, position, attempts }) => ({ run, position, most: attempts }));
  // The try that asked for a decision is not over.
  const over = (live?.attempts ?? 0) - (live?.parked?.kind === "decision" ? 1 : 0);
  if (live && live.position !== null && over > 0) {
    tried.push({ run: execution.run, position: live.position, most: over });
  }
  if (tried.length === 0) return [];
  const { rows } = await client.query<TryRow>(
    `select position, attempt, min(at) as first_at, max(at) as last_at,
            (array_agg(message order by at desc, seq desc))[1] as message
     from step_log join unnest($2::int2[], $3::int2[], $4::int2[]) as tried (run, position, most) using (run, position)
     where execution_id = $1 and attempt <= most group by position, attempt order by position, attempt`,
    [
      execution.id,
      tried.map(({ run }) => run),
      tried.map(({ position }) => position),
      tried.map(({ most }) => most),
    ],
  );
  return rows;
}
