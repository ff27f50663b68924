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

/**
 * Makes this process the one that runs the executions of a database: a session lock says that it lives, a number in the
 * journal's rows keeps every earlier owner from writing. Undefined when another living process holds the lock.
 */
export async function takeOwnership(
  url: string,
  onLost: (error: Error) => void,
): Promise<Ownership | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: "pawl-owner", keepAlive: true });
  let released = false;
  client.on("error", (error) => {
    if (!released) onLost(error);
  });
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1, $2) as taken", [
    ...lockKeys,
  ]);
  if (!rows[0]!.taken) {
    await client.end();
    return undefined;
  }
  const lanes = await client.query<{ owner: string; batch: string }>(
    `with lanes as (update journal_lane set owner = (select max(owner) + 1 from journal_lane) returning lane, owner, batch)
     select owner::text, batch::text from lanes order by lane`,
  );
  return {
    owner: lanes.rows[0]!.owner,
    batches: lanes.rows.map((row) => Number(row.batch)),
    async release() {
      released = true;
      await client.end();
    },
  };
}
