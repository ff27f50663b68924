import type pg from "pg";
import { quick } from "./quick.ts";
import { inTransaction } from "./transaction.ts";

// Several times the pause between two reports: a process that is only slow is not taken for gone.
const LIVE = "interval '30 seconds'";

const KEYS = `select id, kind, state, wrapped, master, created_at as "createdAt", activated_at as "activatedAt", seals
  from vault_key order by created_at, id`;
const PROCESSES = `select id::text, version, masters from vault_process where seen_at > now() - ${LIVE}`;
const ROTATION = `id::text, key_id as "keyId", started_by as "startedBy", started_at as "startedAt", total, unreadable,
  finished_at as "finishedAt"`;

interface KeyRow {
  id: string;
  kind: "data" | "signing";
  state: "pending" | "active" | "retired";
  wrapped: Buffer;
  master: string;
  createdAt: Date;
  activatedAt: Date | null;
  seals: number;
}

interface ProcessRow {
  id: string;
  version: number;
  masters: string[];
}

interface RotationRow {
  id: string;
  keyId: string;
  startedBy: string;
  startedAt: Date;
  total: number;
  unreadable: number;
  finishedAt: Date | null;
}

/** The keyring's rows, for the vault, which knows no SQL. It is not a `store.ts` of the vault's for the same reason. */
export function keyringStore(pool: pg.Pool) {
  return {
    async read() {
      // One snapshot: a version and the keys of another would hide a change.
      return inTransaction(pool, async (client) => {
        await client.query("set transaction isolation level repeatable read, read only");
        return readKeyring(client);
      });
    },

    async version(): Promise<number> {
      const { rows } = await pool.query<{ version: number }>(
        quick({ name: "vault.version", text: "select version from vault_state" }),
      );
      return rows[0]!.version;
    },

    change: <Result>(
      work: (
        kept: { version: number; keys: KeyRow[] },
        change: ReturnType<typeof changes>,
      ) => Promise<Result>,
    ): Promise<Result> =>
      inTransaction(pool, async (client) => {
        await client.query("select from vault_state for update");
        return work(await readKeyring(client), changes(client));
      }),

    async report({ id, version, masters }: ProcessRow, seals: ReadonlyMap<string, number>): Promise<void> {
      await pool.query(
        quick({
          text: `with reported as (
              insert into vault_process (id, version, masters) values ($1, $2, $3)
              on conflict (id) do update set version = excluded.version, masters = excluded.masters, seen_at = now()
            ), gone as (
              delete from vault_process where seen_at < now() - interval '1 day'
            )
            update vault_key k set seals = k.seals + s.count
            from unnest($4::text[], $5::bigint[]) as s (id, count) where k.id = s.id`,
          values: [id, version, masters, [...seals.keys()], [...seals.values()]],
        }),
      );
    },

    async forgetProcess(id: string): Promise<void> {
      await pool.query(quick({ text: "delete from vault_process where id = $1", values: [id] }));
    },

    async processes(): Promise<ProcessRow[]> {
      return (await pool.query<ProcessRow>(PROCESSES)).rows;
    },

    async rotation(): Promise<RotationRow | undefined> {
      const { rows } = await pool.query<RotationRow>(
        `select ${ROTATION} from vault_rotation order by finished_at desc nulls first limit 1`,
      );
      return rows[0];
    },

    async claimRotation(worker: string): Promise<RotationRow | undefined> {
      const { rows } = await pool.query<RotationRow>(
        `update vault_rotation set worker = $1, worker_seen_at = now()
         where finished_at is null and (worker is null or worker = $1 or worker_seen_at < now() - ${LIVE})
         returning ${ROTATION}`,
        [worker],
      );
      return rows[0];
    },

    async keepRotation(
      id: string,
      worker: string,
      { total, unreadable, finished }: { total?: number; unreadable?: number; finished?: true },
    ): Promise<boolean> {
      const { rowCount } = await pool.query(
        `update vault_rotation set worker_seen_at = now(), total = coalesce($3, total),
           unreadable = coalesce($4, unreadable), finished_at = case when $5 then now() end
         where id = $1 and worker = $2 and finished_at is null`,
        [id, worker, total ?? null, unreadable ?? null, finished ?? false],
      );
      return rowCount === 1;
    },

    async releaseRotation(worker: string): Promise<void> {
      await pool.query(
        quick({ text: "update vault_rotation set worker = null where worker = $1", values: [worker] }),
      );
    },
  };
}

async function readKeyring(client: pg.PoolClient): Promise<{ version: number; keys: KeyRow[] }> {
  const { rows } = await client.query<{ version: number }>("select version from vault_state");
  const keys = await client.query<KeyRow>(KEYS);
  return { version: rows[0]!.version, keys: keys.rows };
}

/** Other processes look at it to learn that there is something new. */
async function countVersion(client: pg.PoolClient): Promise<void> {
  await client.query("update vault_state set version = version + 1");
}

function changes(client: pg.PoolClient) {
  return {
    async insert({ id, kind, state, wrapped, master }: Omit<KeyRow, "createdAt" | "activatedAt" | "seals">) {
      await client.query(
        `insert into vault_key (id, kind, state, wrapped, master, activated_at)
         values ($1, $2, $3, $4, $5, case when $3 = 'active' then now() end)`,
        [id, kind, state, wrapped, master],
      );
      await countVersion(client);
    },
    async activate(id: string) {
      await client.query("update vault_key set state = 'retired' where kind = 'data' and state = 'active'");
      await client.query("update vault_key set state = 'active', activated_at = now() where id = $1", [id]);
      await countVersion(client);
    },
    async retireAll() {
      await client.query("update vault_key set state = 'retired'");
      await client.query("update vault_rotation set finished_at = now() where finished_at is null");
      await countVersion(client);
    },
    async rewrap(id: string, wrapped: Buffer, master: string) {
      await client.query("update vault_key set wrapped = $2, master = $3 where id = $1", [
        id,
        wrapped,
        master,
      ]);
      await countVersion(client);
    },
    async writeCanary(sealed: string): Promise<string> {
      await client.query("update vault_state set canary = $1", [sealed]);
      // The row as text, with all that is in it.
      const { rows } = await client.query<{ raw: string }>("select s::text as raw from vault_state s");
      return rows[0]!.raw;
    },
    async processes(): Promise<ProcessRow[]> {
      return (await client.query<ProcessRow>(PROCESSES)).rows;
    },
    async rotation(): Promise<RotationRow | undefined> {
      const { rows } = await client.query<RotationRow>(
        `select ${ROTATION} from vault_rotation where finished_at is null`,
      );
      return rows[0];
    },
    async insertRotation({ id, keyId, startedBy }: { id: string; keyId: string; startedBy: string }) {
      await client.query("insert into vault_rotation (id, key_id, started_by) values ($1, $2, $3)", [
        id,
        keyId,
        startedBy,
      ]);
    },
  };
}
