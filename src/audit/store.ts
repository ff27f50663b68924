import { type SqlBool, sql } from "kysely";
import type pg from "pg";
import type { CompiledFilter, FieldMap } from "../db/filter.ts";
import { createKysely } from "../db/pool.ts";
import { inTransaction } from "../db/transaction.ts";
import { auditOutcomes } from "../http/audit.ts";
import type { AuditHead, AuditLine, AuditRow } from "./chain.ts";

/** What `POST /audit/search` may filter and sort by. */
export const auditFields: FieldMap = {
  id: { kind: "id", column: sql`a.id` },
  seq: { kind: "number", column: sql`a.seq` },
  // Lines get their place in the order of time, or nearly so.
  at: { kind: "date", column: sql`a.at` },
  principalId: { kind: "string", column: sql`a.principal_id` },
  principal: { kind: "string", column: sql`a.principal_name` },
  tokenId: { kind: "string", column: sql`a.token_id` },
  action: { kind: "string", column: sql`a.action` },
  targetType: { kind: "string", column: sql`a.target_type` },
  targetId: { kind: "string", column: sql`a.target_id` },
  targetName: { kind: "string", column: sql`a.target_name` },
  changed: { kind: "strings", column: sql`a.changed` },
  outcome: { kind: "enum", column: sql`a.outcome`, values: auditOutcomes },
  ip: { kind: "string", column: sql`a.ip` },
  client: { kind: "string", column: sql`a.client` },
  requestId: { kind: "string", column: sql`a.request_id` },
};
export const auditSearch = [auditFields.targetName!, auditFields.action!, auditFields.principal!];

const columns = `a.seq, a.id::text, a.at, a.principal_id as "principalId", a.principal_name as "principalName",
  a.token_id as "tokenId", a.action, a.target_type as "targetType", a.target_id as "targetId", a.target_name as "targetName",
  a.changed, a.outcome, a.ip, a.client, a.request_id as "requestId", a.hash`;

export type AuditStore = ReturnType<typeof auditStore>;

export function auditStore(pool: pg.Pool) {
  const db = createKysely(pool);

  return {
    /** Holds the head of the chain meanwhile, so that writers of all processes go one after the other. */
    append(lines: readonly AuditLine[], chain: (head: AuditHead, lines: readonly AuditLine[]) => AuditRow[]) {
      return inTransaction(pool, async (client) => {
        const { rows } = await client.query<AuditHead>("select seq, hash from audit_head for update");
        // An earlier try may have been committed though its answer was lost.
        const known = await client.query<{ id: string }>(
          "select id::text from audit_entry where id = any($1::uuid[])",
          [lines.map(({ id }) => id)],
        );
        const there = new Set(known.rows.map(({ id }) => id));
        const made = chain(
          rows[0]!,
          lines.filter(({ id }) => !there.has(id)),
        );
        const last = made.at(-1);
        if (last) await insert(client, made, last);
      });
    },

    async head(): Promise<AuditHead> {
      const { rows } = await pool.query<AuditHead>("select seq, hash from audit_head");
      return rows[0]!;
    },

    /** Rows after `seq`, in their order. */
    async after(seq: number, limit: number): Promise<AuditRow[]> {
      const { rows } = await pool.query<AuditRow>({
        name: "audit.after",
        text: `select ${columns} from audit_entry a where a.seq > $1 order by a.seq limit $2`,
        values: [seq, limit],
      });
      return rows;
    },

    async search({ where, orderBy, limit, offset }: CompiledFilter) {
      const [found, count] = await Promise.all([
        sql<AuditRow>`select ${sql.raw(columns)} from audit_entry a where ${where}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(db),
        sql<{
          total: number;
        }>`select count(*) as total from audit_entry a where ${sql<SqlBool>`${where}`}`.execute(db),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },
  };
}

async function insert(client: pg.PoolClient, rows: readonly AuditRow[], last: AuditHead): Promise<void> {
  // As JSON: `changed` is a list in each row, which unnest would flatten.
  const values = JSON.stringify(
    rows.map((row) => ({ ...row, at: row.at.toISOString(), hash: `\\x${row.hash.toString("hex")}` })),
  );
  await client.query(
    `with head as (update audit_head set seq = $2, hash = $3)
     insert into audit_entry (seq, id, at, principal_id, principal_name, token_id, action, target_type, target_id,
       target_name, changed, outcome, ip, client, request_id, hash)
     select seq, id, at, "principalId", "principalName", "tokenId", action, "targetType", "targetId", "targetName",
       changed, outcome, ip, client, "requestId", hash
     from json_to_recordset($1) as r (seq bigint, id uuid, at timestamptz, "principalId" text, "principalName" text,
       "tokenId" text, action text, "targetType" text, "targetId" text, "targetName" text, changed text[], outcome text,
       ip text, client text, "requestId" text, hash bytea)`,
    [values, last.seq, last.hash],
  );
}
