import type pg from "pg";
import type { Span, SupervisedServer } from "./faults.ts";
import type { Load, Story } from "./load.ts";

/** How late a call may reach the ledger that was sent before a stop or a pause was answered: the machine is busy. */
const underwayMs = 2_000;
const hangsMs = 5_000;

interface Row {
  id: string;
  job: string;
  source: string;
  status: string;
  run: number;
  restarts: number;
  ended: boolean;
  live: boolean;
  timely: boolean;
  actions: { action: string; from: string; to: string; at: number; run: number }[];
  results: {
    run: number;
    position: number;
    status: string;
    attempts: number;
    key: string;
    endedAt: number;
    called: boolean;
  }[];
  earlier: { run: number; status: string; from: number }[];
  from: number;
}

/** All that is wrong, a line each. Nothing is, when nothing was lost, doubled, forgotten or told untruly. */
export async function findWrongs(given: {
  pool: pg.Pool;
  load: Load;
  server: SupervisedServer;
  outages: readonly Span[];
  calls: Map<string, number[]>;
}): Promise<string[]> {
  const { pool, load, server, calls } = given;
  const rows = await readAll(pool);
  const bySource = Map.groupBy(rows, ({ source }) => source);
  const wrongs: string[] = [];
  const callsOf = Map.groupBy(calls, ([key]) => key.split("/")[0]!);

  for (const story of load.stories) {
    const found = bySource.get(`story ${story.number}`) ?? [];
    const say = (what: string): void => {
      wrongs.push(`story ${story.number} (${story.executionId}): ${what}`);
    };
    if (found.length !== 1) {
      say(found.length === 0 ? "is lost" : `was started ${found.length} times`);
      continue;
    }
    const row = found[0]!;
    if (row.id !== story.executionId) say(`was answered ${story.executionId} and is ${row.id}`);
    checkEnd(row, story, load.steps.get(row.job)!, say);
    checkHistory(row, story, say);
    const asOf = new Map((callsOf.get(row.id) ?? []).map(([key, times]) => [key, times]));
    checkEffects(row, asOf, server.deaths, say);
  }
  if (rows.length !== load.stories.length) {
    wrongs.push(`${rows.length} executions, and ${load.stories.length} starts were asked for`);
  }
  wrongs.push(...(await checkCounters(pool)), ...checkAnswers(load));
  return wrongs;
}

type Say = (what: string) => void;

/** Exactly one end each run, the one that its job and what was done to it lead to. */
function checkEnd(row: Row, story: Story, steps: number, say: Say): void {
  if (!row.ended || row.live) say(`is ${row.status}, ${row.live ? "still live" : "without an end"}`);
  if (!row.timely) say("ended before it began");
  if (row.run !== row.earlier.length + 1 || row.restarts !== row.earlier.length) {
    say(`is at run ${row.run} after ${row.earlier.length} that are over`);
  }
  for (const { run, status } of row.earlier) {
    if (status !== "FAILED" && status !== "STOPPED") say(`run ${run} is over as ${status}`);
  }
  const stopped = row.actions.at(-1)?.to === "STOPPED";
  const natural = story.job === "fails" ? "FAILED" : "COMPLETED";
  const expected = stopped ? "STOPPED" : natural;
  if (row.status !== expected) say(`ended ${row.status} and should have ended ${expected}`);

  const froms = new Map([...row.earlier.map(({ run, from }) => [run, from] as const), [row.run, row.from]]);
  const inForce = row.results.filter((result) => {
    for (let later = result.run + 1; later <= row.run; later++) {
      if (froms.get(later)! <= result.position) return false;
    }
    return true;
  });
  const positions = inForce.map(({ position }) => position).toSorted((a, b) => a - b);
  if (positions.some((position, i) => position !== i)) say(`has results in force at ${positions}`);
  if (row.status === "COMPLETED") {
    if (positions.length !== steps) say(`is COMPLETED with ${positions.length} of ${steps} results`);
    if (inForce.some(({ status }) => status !== "COMPLETED")) say("is COMPLETED with a step that is not");
  }
}

/** What was answered happened, once; what was refused did not; and each action follows from the one before. */
function checkHistory(row: Row, story: Story, say: Say): void {
  for (const action of ["pause", "resume", "stop", "restart"] as const) {
    const asked = story.asked.filter(
      (one) => one.action === action || (one.action === "decide" && action === "resume"),
    );
    const done = asked.filter(({ answer }) => answer === "done").length;
    const perhaps = asked.filter(({ unanswered }) => unanswered > 0).length;
    const kept = row.actions.filter((one) => kindOf(one.action) === action).length;
    if (kept < done) say(`${done} ${action} were answered, ${kept} are in the history: ${told(row)}`);
    // Of the tries of one asking at most one can be done: the next is refused in the state it led to. Not so a restart
    // or a stop, between which the state comes round again, but nobody else asks meanwhile.
    if (kept > done + perhaps)
      say(`${kept} ${action} in the history, ${done} + ${perhaps} asked for: ${told(row)}`);
  }
  let status = "RUNNING";
  for (const { from, to, action } of row.actions) {
    const byItself = status === "RUNNING" && ["FAILED", "PAUSED"].includes(from);
    if (from !== status && !byItself) say(`${action} from ${from}, and it was ${status}: ${told(row)}`);
    status = to;
  }
}

function kindOf(action: string): string {
  const kind = action.toLowerCase();
  return kind === "approve" ? "resume" : kind;
}

/** The world saw each step once, and again only where the process died in the middle of it, or it is retried. */
function checkEffects(row: Row, calls: Map<string, number[]>, deaths: readonly number[], say: Say): void {
  const results = new Map(row.results.map((result) => [result.key, result]));
  for (const [key, times] of calls) {
    const result = results.get(key);
    const recorded = result?.attempts ?? 0;
    const died = deaths.filter((at) => at >= times[0]! - underwayMs && at <= times.at(-1)!).length;
    const run = Number(key.split("/")[2]);
    // The first tries of a flaky step that are not recorded were its last before a stop.
    const tries = result?.status === "STOPPED" || !result ? Math.max(recorded, 3) : recorded;
    if (times.length > tries + died) {
      say(
        `${key} was called ${times.length} times, ${recorded} tries and ${died} deaths explain it: ${times}`,
      );
    }
    if (result && result.status !== "STOPPED" && times.at(-1)! > result.endedAt) {
      say(`${key} was called after its result was recorded: ${times.at(-1)! - result.endedAt} ms`);
    }
    for (const [i, { to, at, run: acted }] of row.actions.entries()) {
      if (acted !== run || (to !== "STOPPED" && to !== "PAUSED")) continue;
      const until = to === "STOPPED" ? Number.POSITIVE_INFINITY : (row.actions[i + 1]?.at ?? at);
      const late = times.find((time) => time > at + underwayMs && time < until);
      if (late !== undefined) say(`${key} was called ${late - at} ms after it was ${to}`);
    }
  }
  for (const { key, status, called } of row.results) {
    if (called && status === "COMPLETED" && !calls.has(key)) say(`${key} has a result and was never called`);
  }
}

async function checkCounters(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query(
    `with kept as (
       select job_id, sum(started)::int as started, sum(completed)::int as completed, sum(failed)::int as failed,
              sum(stopped)::int as stopped, sum(duration_ms)::float8 as ms from job_counter group by job_id
     ), recount as (
       select job_id, count(*)::int as started, count(*) filter (where status = 'COMPLETED')::int as completed,
              count(*) filter (where status = 'FAILED')::int as failed, count(*) filter (where status = 'STOPPED')::int as stopped,
              coalesce(sum(floor(extract(epoch from ended_at - started_at) * 1000)), 0)::float8 as ms
       from execution group by job_id
     )
     select to_json(kept.*)::text as kept, to_json(recount.*)::text as recount from kept full join recount using (job_id)`,
  );
  return rows
    .filter(({ kept, recount }) => kept !== recount)
    .map(({ kept, recount }) => `the counters say ${kept}, the rows ${recount}`);
}

/** Known answers only, in time; a store that is away says when to come again. */
function checkAnswers({ requests }: Load): string[] {
  const known = ["OK", "INVALID_STATE", "STORE_UNAVAILABLE", "OVERLOADED", "UNREACHABLE"];
  return requests.flatMap(({ what, code, status, retryAfter, tookMs }) => {
    const found: string[] = [];
    if (!known.includes(code)) found.push(`${what} was answered ${status} ${code}`);
    if (status === 503 && !(retryAfter! > 0)) found.push(`${what} was answered 503 without Retry-After`);
    if (tookMs > hangsMs) found.push(`${what} took ${tookMs} ms (${code})`);
    return found;
  });
}

function told(row: Row): string {
  return row.actions.map(({ action, from, to }) => `${action} ${from}>${to}`).join(", ");
}

async function readAll(pool: pg.Pool): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select e.id::text, e.job_name as job, e.trigger_source as source, e.status, e.run, e.restarts, e.from_position as "from",
            e.ended_at is not null as ended, l.execution_id is not null as live, coalesce(e.ended_at >= e.started_at, true) as timely,
            (select coalesce(json_agg(json_build_object('action', a.action, 'from', a.from_status, 'to', a.to_status, 'run', a.run,
                      'at', extract(epoch from a.at) * 1000) order by a.at, a.id), '[]')
             from execution_action a where a.execution_id = e.id) as actions,
            (select coalesce(json_agg(json_build_object('run', s.run, 'position', s.position, 'status', s.status, 'attempts', s.attempts,
                      'key', concat_ws('/', s.execution_id, s.step_id, s.run), 'endedAt', extract(epoch from s.ended_at) * 1000,
                      'called', coalesce(s.output::jsonb ? 'headers', false))), '[]')
             from step_execution s where s.execution_id = e.id) as results,
            (select coalesce(json_agg(json_build_object('run', r.run, 'status', r.status, 'from', r.from_position) order by r.run), '[]')
             from execution_run r where r.execution_id = e.id) as earlier
     from execution e left join live_execution l on l.execution_id = e.id`,
  );
  return rows;
}
