import type pg from "pg";
import type { ErrorCode, FaultDetail } from "../../contract/errors.ts";
import type { ExecutionError } from "../../contract/execution.ts";
import type { Ending } from "../../engine/engine.ts";

export const requestChannel = "pawl_request";
export const answerChannel = "pawl_answer";

export interface StoredRequest {
  id: string;
  kind: string;
  payload: unknown;
}

export type StoredAnswer =
  | { value: unknown }
  | {
      error: {
        code: ErrorCode;
        message: string;
        details?: FaultDetail[] | undefined;
        retryAfter?: number | undefined;
      };
    };

const noWait = "set_config('synchronous_commit', 'off', true)";
// A notification holds less than 8,000 bytes.
const idsPerNotice = 200;

/** Puts requests where the owner of the executions finds them; those that are there already are left alone. */
export async function putRequests(pool: pg.Pool, requests: readonly StoredRequest[]): Promise<void> {
  await pool.query(
    `with put as (
       insert into engine_request (id, kind, payload) select * from unnest($1::uuid[], $2::text[], $3::json[]) on conflict do nothing
     ) select ${noWait}, pg_notify('${requestChannel}', '')`,
    [
      requests.map(({ id }) => id),
      requests.map(({ kind }) => kind),
      requests.map(({ payload }) => JSON.stringify(payload)),
    ],
  );
}

/** Requests without an answer, oldest first, that somebody still waits for. */
export async function findRequests(
  pool: pg.Pool,
  given: { except: string[]; maxAgeMs: number; limit: number },
): Promise<StoredRequest[]> {
  const { rows } = await pool.query<StoredRequest>(
    `select id::text, kind, payload from engine_request
     where answered_at is null and id <> all($1::uuid[]) and created_at > now() - make_interval(secs => $2::float8 / 1000)
     order by engine_request.id limit $3`,
    [given.except, given.maxAgeMs, given.limit],
  );
  return rows;
}

/** Answers requests, as long as this process is the owner. */
export async function putAnswers(
  pool: pg.Pool,
  owner: string,
  answers: readonly { id: string; answer: StoredAnswer }[],
): Promise<void> {
  const ids = answers.map(({ id }) => id);
  await pool.query(
    `with put as (
       update engine_request r set answered_at = now(), answer = a.answer
       from unnest($1::uuid[], $2::json[]) as a(id, answer)
       where r.id = a.id and r.answered_at is null and exists (select from journal_lane where lane = 0 and owner = $3)
     ) select ${noWait}, pg_notify('${answerChannel}', ids) from unnest($4::text[]) as ids`,
    [ids, answers.map(({ answer }) => JSON.stringify(answer)), owner, notices(ids)],
  );
}

/** Reads answers, and with that removes their rows. */
export async function takeAnswers(
  pool: pg.Pool,
  ids: string[],
): Promise<{ id: string; answer: StoredAnswer }[]> {
  const { rows } = await pool.query<{ id: string; answer: StoredAnswer }>(
    `with taken as (
       delete from engine_request where id = any($1::uuid[]) and answered_at is not null returning id::text, answer
     ) select id, answer, ${noWait} from taken`,
    [ids],
  );
  return rows;
}

/** Takes back a request that nobody waits for any more. */
export async function removeRequest(pool: pg.Pool, id: string): Promise<void> {
  await pool.query("delete from engine_request where id = $1", [id]);
}

/** Removes what those who died have left. */
export async function removeOldRequests(pool: pg.Pool): Promise<void> {
  await pool.query("delete from engine_request where created_at < now() - interval '1 minute'");
}

/** Tells all who listen on a channel. */
export async function notify(pool: pg.Pool, channel: string, payloads: string[]): Promise<void> {
  await pool.query("select pg_notify($1, payload) from unnest($2::text[]) as payload", [channel, payloads]);
}

/** Ids as payloads of notifications. */
export function notices(ids: readonly string[]): string[] {
  const payloads: string[] = [];
  for (let i = 0; i < ids.length; i += idsPerNotice) payloads.push(ids.slice(i, i + idsPerNotice).join(","));
  return payloads;
}

/** Whether this very start was made, by whichever process: ids may be taken by another, the workflow's id is its own. */
export async function wasStarted(pool: pg.Pool, executionId: string, workflowId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from execution where id = $1 and workflow_id = $2
     union all select from execution_run where execution_id = $1 and workflow_id = $2`,
    [executionId, workflowId],
  );
  return rowCount !== 0;
}

/** How the executions among these that have ended did so. */
export async function findEndings(pool: pg.Pool, ids: string[]): Promise<Map<string, Ending>> {
  const { rows } = await pool.query<{
    id: string;
    status: Ending["status"];
    ended_at: Date;
    error: ExecutionError | null;
    output: unknown;
  }>(
    `select e.id::text, e.status, e.ended_at, e.error,
            case when e.status = 'COMPLETED' then
              (select s.output from step_execution s
               where s.execution_id = e.id and s.status = 'COMPLETED' and (s.run = e.run or s.position < e.from_position)
               order by s.position desc, s.run desc limit 1) end as output
     from execution e where e.id = any($1::uuid[]) and e.ended_at is not null`,
    [ids],
  );
  return new Map(
    rows.map(({ id, status, ended_at, error, output }) => [
      id,
      { status, endedAt: ended_at.getTime(), error: error ?? undefined, output: output ?? null },
    ]),
  );
}
