import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

export interface Ownership {
  /** Number of this ownership: the journal writes it with every batch. */
  owner: string;
  /** Batch number of each lane of the journal. */
  batches: number[];
  release(): Promise<void>;
}

// "pawl" in ASCII, as two keys: the space of single ones holds the migrations' lock.
export const lockKeys = [0x7061776c, 1];
/** Where those who stand by hear of an owner that has let go in order. */
export const ownerChannel = "pawl_owner";
/** Names the sessions of those who have the lock, or wait for it. */
export const ownerSession = "pawl-owner";
export const lookAgainMs = 500;
const beatMs = 1_000;

/**
 * Makes this process the one that runs the executions of a database: a session lock says that it lives, a number in the
 * journal's rows keeps every earlier owner from writing. Undefined when another living process holds the lock.
 *
 * A lock that is lost with its connection is taken again when the database is back; meanwhile the number stands guard.
 * @param onLost called when another process has become the owner
 */
export async function takeOwnership(
  url: string,
  onLost: (error: Error) => void,
): Promise<Ownership | undefined> {
  const client = await connectOwner(url);
  try {
    if ((await tryLock(client)).locked) return await assumeOwnership(url, client, onLost);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  await client.end();
  return undefined;
}

/** Makes the process whose session has the lock the owner. */
export async function assumeOwnership(
  url: string,
  client: pg.Client,
  onLost: (error: Error) => void,
): Promise<Ownership> {
  // A former owner that is frozen in the middle of a transaction would keep its rows locked for as long.
  await client.query(
    `select pg_terminate_backend(pid, 2000) from pg_stat_activity
     where datname = current_database() and usename = current_user and application_name = 'pawl-journal'`,
  );
  await client.query("begin");
  // Against those who look at the owner with a share lock: what they do on the strength of it comes before this, or not at all.
  await client.query("select from journal_lane order by lane for update");
  const lanes = await client.query<{ owner: string; batch: string }>(
    `with lanes as (update journal_lane set owner = (select max(owner) + 1 from journal_lane) returning lane, owner, batch)
     select owner::text, batch::text from lanes order by lane`,
  );
  await client.query("commit");
  const { owner } = lanes.rows[0]!;
  const released = new AbortController();
  const kept = keepLock(url, client, owner, released.signal).catch(onLost);
  return {
    owner,
    batches: lanes.rows.map((row) => Number(row.batch)),
    async release() {
      released.abort();
      await kept;
    },
  };
}

/** Holds the lock until released, over as many connections as that takes. Throws when another process is the owner. */
async function keepLock(url: string, first: pg.Client, owner: string, released: AbortSignal): Promise<void> {
  let holder: pg.Client | undefined = first;
  for (;;) {
    if (holder) await holdOn(holder, released);
    if (released.aborted) break;
    void holder?.end().catch(() => {});
    holder = undefined;
    await delay(lookAgainMs, undefined, { signal: released }).catch(() => {});
    const found = released.aborted ? undefined : await lookAtLock(url).catch(() => undefined);
    if (!found) continue;
    if (found.locked && found.owner === owner) {
      holder = found.client;
      continue;
    }
    await found.client.end().catch(() => {});
    if (found.owner !== owner) throw new Error("Another Pawl runs the executions of this database now.");
    // Else it is our own session of before: the server has yet to notice that nobody is there.
  }
  if (!holder) return;
  await holder
    .query("select pg_advisory_unlock($1, $2), pg_notify($3, '')", [...lockKeys, ownerChannel])
    .catch(() => {});
  await holder.end().catch(() => {});
}

/** Shows every second that this process is not frozen, until the connection is lost or the lock is to be released. */
async function holdOn(client: pg.Client, released: AbortSignal): Promise<void> {
  let over = false;
  const ended = endOf(client, released).then(() => {
    over = true;
  });
  while (!over) {
    await Promise.race([ended, delay(beatMs, undefined, { ref: false })]);
    if (over) return;
    try {
      await client.query("select 1");
    } catch {
      return;
    }
  }
}

function endOf(client: pg.Client, released: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    client.once("end", () => resolve());
    released.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function lookAtLock(url: string): Promise<{ client: pg.Client; locked: boolean; owner: string }> {
  const client = await connectOwner(url);
  return { client, ...(await tryLock(client)) };
}

/** A session of its own for the lock. */
export async function connectOwner(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: ownerSession,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    keepAlive: true,
  });
  // Its end says all; without a listener the process would end.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

export async function tryLock(client: pg.Client): Promise<{ locked: boolean; owner: string }> {
  const { rows } = await client.query<{ locked: boolean; owner: string }>(
    "select pg_try_advisory_lock($1, $2) as locked, (select max(owner)::text from journal_lane) as owner",
    [...lockKeys],
  );
  return rows[0]!;
}
