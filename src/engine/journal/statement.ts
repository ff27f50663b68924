import type { LogLine } from "../engine.ts";
import { plainArray, textArray } from "./array-literal.ts";
import type { JournalRecord, LogRows, RowRecord, StepRow } from "./records.ts";

/**
 * Everything that one batch writes, as one statement: one round trip, one commit. `fence` fails the whole batch (a division
 * by zero) unless this process still owns the executions and the batch has not been committed before.
 */
export const commitBatch = `
with fence as (
  update journal_lane set batch = $2 where lane = $1 and owner = $3 and batch = $2 - 1 returning 1
), checked as (
  select 1 / count(*) as owned from fence
), started as (
  insert into execution (id, job_id, job_version, job_name, workflow_id, status, triggered_by, trigger_source, started_by, parameters, started_at,
                         parent_id, depth, client)
  select s.id, s.job_id, s.job_version, s.job_name, s.workflow_id, 'RUNNING', s.triggered_by, s.trigger_source, s.started_by, s.parameters,
         to_timestamp(s.started_ms / 1000), s.parent_id, s.depth, s.client
  from unnest($4::uuid[], $5::uuid[], $6::int[], $7::text[], $8::uuid[], $9::text[], $10::text[], $11::text[], $12::json[], $13::float8[],
         $47::uuid[], $48::int2[], $49::json[])
         as s(id, job_id, job_version, job_name, workflow_id, triggered_by, trigger_source, started_by, parameters, started_ms, parent_id, depth, client)
  join job j on j.id = s.job_id and j.version = s.job_version and j.deleted_at is null
  on conflict do nothing
  returning id, job_id
), begun as (
  insert into live_execution (execution_id, job_id, deadline, waiting, priority)
  select s.id, s.job_id, to_timestamp(d.ms / 1000), d.waiting, d.priority
  from started s join unnest($4::uuid[], $14::float8[], $45::bool[], $46::int2[]) as d(id, ms, waiting, priority) on d.id = s.id
), results as (
  insert into step_execution (execution_id, run, position, id, step_id, step_key, status, attempts, started_at, ended_at, output, error)
  select s.execution_id, s.run, s.position, s.id, s.step_id, s.step_key, s.status, s.attempts, to_timestamp(s.started_ms / 1000),
         to_timestamp(s.ended_ms / 1000), s.output, s.error
  from unnest($15::uuid[], $16::int2[], $17::int2[], $18::uuid[], $19::uuid[], $20::text[], $21::text[], $22::int2[], $23::float8[],
         $24::float8[], $25::json[], $26::json[])
         as s(execution_id, run, position, id, step_id, step_key, status, attempts, started_ms, ended_ms, output, error)
), ended as (
  update execution e set status = x.status, ended_at = greatest(to_timestamp(x.ended_ms / 1000), e.run_started_at, e.started_at), error = x.error
  from unnest($27::uuid[], $28::text[], $29::float8[], $30::json[]) as x(id, status, ended_ms, error)
  where e.id = x.id and e.status = 'RUNNING'
  returning e.id, e.job_id, e.status, floor(extract(epoch from e.ended_at - e.started_at) * 1000)::bigint as ms
), finished as (
  delete from live_execution l using ended where l.execution_id = ended.id
), waits as (
  update live_execution l set position = w.position, attempts = w.attempts, parked = w.parked,
         step_started = coalesce(case when l.position = w.position then l.step_started end, to_timestamp(w.started_ms / 1000)),
         due_at = least(to_timestamp(w.due_ms / 1000), l.deadline)
  from unnest($31::uuid[], $32::int2[], $33::int2[], $34::float8[], $35::float8[], $36::json[])
         as w(execution_id, position, attempts, started_ms, due_ms, parked)
  where l.execution_id = w.execution_id
), logged as (
  insert into step_log (execution_id, run, position, attempt, seq, at, level, message)
  select g.execution_id, g.run, g.position, g.attempt, g.seq, to_timestamp(g.at_ms / 1000), g.level, g.message
  from unnest($37::uuid[], $38::int2[], $39::int2[], $40::int2[], $41::int[], $42::float8[], $43::text[], $44::text[])
         as g(execution_id, run, position, attempt, seq, at_ms, level, message)
), counted as (
  insert into job_counter as c (job_id, lane, started, completed, failed, stopped, duration_ms, min_ms, max_ms)
  select job_id, $1, sum(started), sum(completed), sum(failed), sum(stopped), coalesce(sum(ms), 0), min(ms), max(ms)
  from (
    select job_id, 1 as started, 0 as completed, 0 as failed, 0 as stopped, null::bigint as ms from started
    union all
    select job_id, 0, (status = 'COMPLETED')::int, (status = 'FAILED')::int, (status = 'STOPPED')::int, ms from ended
  ) as event
  group by job_id
  on conflict (job_id, lane) do update set
    started = c.started + excluded.started, completed = c.completed + excluded.completed, failed = c.failed + excluded.failed,
    stopped = c.stopped + excluded.stopped, duration_ms = c.duration_ms + excluded.duration_ms,
    min_ms = least(c.min_ms, excluded.min_ms), max_ms = greatest(c.max_ms, excluded.max_ms)
)
select array(select id::text from started) as started, owned from checked`;

/** The values of the statement above. A column is an array literal; a lane's records fill them in order. */
export function batchValues(
  lane: number,
  batch: number,
  owner: string,
  records: readonly JournalRecord[],
): (string | number)[] {
  const start = columns(11);
  const step = columns(12);
  const end = columns(4);
  const wait = columns(6);
  const log = columns(8);
  const place = columns(5);

  for (const record of records) {
    if (record.kind === "start") {
      const e = record.execution;
      push(start, [
        e.id,
        e.jobId,
        e.jobVersion,
        e.jobName,
        e.workflowId,
        e.triggeredBy,
        e.triggerSource,
        e.startedBy,
        record.parametersJson,
        e.startedAt,
        record.deadline ?? null,
      ]);
      push(place, [
        record.waiting ? "t" : "f",
        e.priority ?? usualPriority,
        e.parentId ?? null,
        e.depth ?? 0,
        e.client ? JSON.stringify(e.client) : null,
      ]);
      continue;
    }
    if (record.kind === "log") {
      pushLines(record, record.lines, record.from);
      continue;
    }
    const { executionId, run, position, attempt, record: made } = record;
    if (made.kind === "result") {
      const { result, ends } = made;
      push(step, [
        executionId,
        run,
        position,
        record.id,
        record.stepId,
        record.stepKey,
        result.status,
        result.attempts,
        result.startedAt,
        result.endedAt,
        result.outputJson ?? null,
        result.error ? JSON.stringify(result.error) : null,
      ]);
      if (ends) {
        push(end, [executionId, ends.status, ends.endedAt, ends.error ? JSON.stringify(ends.error) : null]);
      }
    } else {
      push(wait, [
        executionId,
        position,
        made.kind === "retry" ? attempt : attempt - 1,
        made.startedAt,
        made.kind === "child" ? null : made.until,
        JSON.stringify(parkedOf(made)),
      ]);
    }
    pushLines(record, made.logs ?? [], made.logsKept ?? 0);
  }

  function pushLines(
    { executionId, run, position, attempt }: StepRow | LogRows,
    lines: readonly LogLine[],
    from: number,
  ): void {
    for (const [i, { at, level, message }] of lines.entries()) {
      const text = message.replaceAll("\u0000", "\ufffd");
      push(log, [executionId, run, position, attempt, from + i, at, level, text]);
    }
  }

  return [
    lane,
    batch,
    owner,
    ...literals(start, [3, 5, 6, 7, 8]),
    ...literals(step, [5, 10, 11]),
    ...literals(end, [3]),
    ...literals(wait, [5]),
    ...literals(log, [7]),
    ...literals(place, [4]),
  ];
}

/** What the row of an execution keeps of the wait, so that any process can go on with it. */
function parkedOf(made: Exclude<RowRecord, { kind: "result" }>): object {
  const { logs, logsKept, startedAt, ...kept } = made;
  return kept;
}

const usualPriority = 5;

type Column = (string | number | null)[];

function columns(count: number): Column[] {
  return Array.from({ length: count }, () => []);
}

function push(into: Column[], values: (string | number | null)[]): void {
  for (let i = 0; i < values.length; i++) into[i]!.push(values[i]!);
}

/** `text` names the columns whose values need quoting. */
function literals(of: Column[], text: number[]): string[] {
  return of.map((column, i) =>
    column.length === 0
      ? "{}"
      : text.includes(i)
        ? textArray(column as (string | null)[])
        : plainArray(column),
  );
}
