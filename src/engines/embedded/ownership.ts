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
const lockKeys = [0x7061776c, 1];
const lookAgainMs = 500;

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
  const { client, locked } = await tryLock(url);
  if (!locked) {
    await client.end();
    return undefined;
  }
  const lanes = await client.query<{ owner: string; batch: string }>(
    `with lanes as (update journal_lane set owner = (select max(owner) + 1 from journal_lane) returning lane, owner, batch)
     select owner::text, batch::text from lanes order by lane`,
  );
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
    if (holder) await endOf(holder, released);
    if (released.aborted) break;
    holder = undefined;
    await delay(lookAgainMs, undefined, { signal: released }).catch(() => {});
    const found = released.aborted ? undefined : await tryLock(url).catch(() => undefined);
    if (!found) continue;
    if (found.locked && found.owner === owner) {
      holder = found.client;
      continue;
    }
    await found.client.end().catch(() => {});
    if (found.owner !== owner) throw new Error("Another Pawl runs the executions of this database now.");
    // Else it is our own session of before: the server has yet to notice that nobody is there.
  }
  await holder?.end().catch(() => {});
}

function endOf(client: pg.Client, released: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    client.once("end", () => resolve());
    released.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function tryLock(url: string): Promise<{ client: pg.Client; locked: boolean; owner: string }> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "pawl-owner",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // Its end says all; without a listener the process would end.
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ locked: boolean; owner: string }>(
    "select pg_try_advisory_lock($1, $2) as locked, (select max(owner)::text from journal_lane) as owner",
    [...lockKeys],
  );
  return { client, ...rows[0]! };
}
