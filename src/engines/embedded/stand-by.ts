import type pg from "pg";
import {
  assumeOwnership,
  connectOwner,
  lockKeys,
  lookAgainMs,
  type Ownership,
  ownerSession,
  tryLock,
} from "./ownership.ts";

export interface StandByOptions {
  url: string;
  /** Ends the wait. */
  signal: AbortSignal;
  /** Called when another process has become the owner, later on. */
  onLost: (error: Error) => void;
  log: { warn(o: object, m: string): void };
  /** Resolves after so long, or sooner when there is reason to look. */
  pause(ms: number): Promise<void>;
}

// Three beats of the owner: a process that does nothing for so long is frozen, or cut off.
const frozenMs = 3_000;
// After an outage of the database the owner of before comes first: what it runs need not run again then.
const courtesyMs = 2_500;

/** Waits until the executions have no living owner, and becomes it. Undefined when the wait was ended. */
export async function standBy(options: StandByOptions): Promise<Ownership | undefined> {
  const { url, signal, log, pause } = options;
  for (let outages = 0; !signal.aborted; outages++) {
    let client: pg.Client | undefined;
    try {
      client = await connectOwner(url);
      const ownership = await waitForLock(client, options, outages > 0 ? courtesyMs : 0);
      if (ownership) return ownership;
    } catch (error) {
      log.warn({ err: error }, "The owner of the executions could not be looked at; it is tried again.");
    }
    await client?.end().catch(() => {});
    if (!signal.aborted) await pause(lookAgainMs);
  }
  return undefined;
}

async function waitForLock(
  client: pg.Client,
  { url, signal, onLost, log, pause }: StandByOptions,
  courtesy: number,
): Promise<Ownership | undefined> {
  const since = performance.now();
  let seen: { beat: string; at: number } | undefined;
  while (!signal.aborted) {
    if (performance.now() - since >= courtesy && (await tryLock(client)).locked) {
      return assumeOwnership(url, client, onLost);
    }
    // Taken before the look, and compared with a time after the earlier one: a pause of our own must not count as the owner's.
    const now = performance.now();
    const holder = await findHolder(client);
    if (!holder) {
      seen = undefined;
    } else if (seen?.beat !== holder.beat) {
      seen = { beat: holder.beat, at: performance.now() };
    } else if (now - seen.at > frozenMs) {
      log.warn({ pid: holder.pid }, "The owner of the executions shows no life: its session is ended.");
      await endHolder(client, holder);
      seen = undefined;
      continue;
    }
    await pause(lookAgainMs);
  }
  return undefined;
}

/** Whether a process waits to become the owner. */
export async function somebodyStandsBy(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and usename = current_user and application_name = $3
       and pid not in (select pid from (${holders}) as holder) limit 1`,
    [...lockKeys, ownerSession],
  );
  return rowCount === 1;
}

interface Holder {
  /** Of the server's process. */
  pid: number;
  /** Changes while the owner lives. */
  beat: string;
}

const holders = `select a.pid, a.query_start::text as beat from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())`;

/**
 * The session that has the lock. Its beat is when its last statement began, as the server's own clock has it: that needs no
 * table, no write, and no clock of ours. Undefined also where the server does not show it to this role.
 */
async function findHolder(client: pg.Client): Promise<Holder | undefined> {
  const { rows } = await client.query<{ pid: number; beat: string | null }>(holders, [...lockKeys]);
  const row = rows[0];
  return row?.beat ? { pid: row.pid, beat: row.beat } : undefined;
}

/** Ends the session, if it still has the lock and has not moved: its pid may be another's by now. */
async function endHolder(client: pg.Client, { pid, beat }: Holder): Promise<void> {
  await client.query(
    `select pg_terminate_backend(pid, 2000) from (${holders}) as holder where pid = $3 and beat = $4`,
    [...lockKeys, pid, beat],
  );
}
