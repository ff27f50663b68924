import type pg from "pg";
import type { ExecutionStatus } from "../contract/execution.ts";
import type { ParkedStep } from "./rows.ts";

/** What holds an execution back, and where. */
export interface Hold {
  jobId: string;
  jobName: string;
  status: ExecutionStatus;
  run: number;
  held: "pause" | "decision" | null;
  position: number | null;
  parked: ParkedStep | null;
}

/** A pair of approval links: for one decision of one execution. */
export interface LinkPair {
  id: string;
  executionId: string;
  run: number;
  position: number;
  madeBy: string;
  /** Null for links that an earlier Pawl made. */
  madeById: string | null;
  expiresAt: Date;
  usedAt: Date | null;
}

export interface MadeDecision {
  action: "APPROVE" | "REJECT";
  actor: string;
  at: Date;
}

export interface NewLinkPair {
  id: string;
  executionId: string;
  run: number;
  position: number;
  madeBy: string;
  madeById: string;
  expiresAt: number;
  approveHash: Buffer;
  rejectHash: Buffer;
}

export type ControlStore = ReturnType<typeof controlStore>;

/** What holds executions, and the links that decide about them. */
export function controlStore(pool: pg.Pool) {
  return {
    async findHold(executionId: string): Promise<Hold | undefined> {
      const { rows } = await pool.query<Hold>(
        `select execution.job_id::text as "jobId", job_name as "jobName", status, run, held, position, parked
         from execution left join live_execution on execution_id = id where id = $1`,
        [executionId],
      );
      return rows[0];
    },

    /** The version and the parameters that an execution runs with. */
    async findStarted(
      executionId: string,
    ): Promise<{ jobVersion: number; parameters: Record<string, unknown> } | undefined> {
      const { rows } = await pool.query<{ jobVersion: number; parameters: Record<string, unknown> }>(
        'select job_version as "jobVersion", parameters from execution where id = $1',
        [executionId],
      );
      return rows[0];
    },

    async keepLinks(pair: NewLinkPair): Promise<void> {
      await pool.query(
        `insert into approval_link (id, execution_id, run, position, made_by, made_by_id, expires_at, approve_hash, reject_hash)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          pair.id,
          pair.executionId,
          pair.run,
          pair.position,
          pair.madeBy,
          pair.madeById,
          new Date(pair.expiresAt),
          pair.approveHash,
          pair.rejectHash,
        ],
      );
    },

    /** The pair that a token belongs to, and which of the two it is. */
    async findLink(hash: Buffer): Promise<(LinkPair & { approve: boolean }) | undefined> {
      const { rows } = await pool.query<LinkPair & { approve: boolean }>(
        `select id::text, execution_id::text as "executionId", run, position, made_by as "madeBy", made_by_id::text as "madeById", expires_at as "expiresAt",
                used_at as "usedAt", approve_hash = $1 as approve
         from approval_link where approve_hash = $1 or reject_hash = $1`,
        [hash],
      );
      return rows[0];
    },

    /** What was decided first since a pair was made; ids are in the order in which they were made. */
    async findDecisionSince({ id, executionId, run }: LinkPair): Promise<MadeDecision | undefined> {
      const { rows } = await pool.query<MadeDecision>(
        `select action, actor, at from execution_action
         where execution_id = $1 and run = $2 and id > $3 and action in ('APPROVE', 'REJECT') order by id limit 1`,
        [executionId, run, id],
      );
      return rows[0];
    },

    /** Uses up a pair of links; false when somebody was first. */
    async useLinks(id: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        "update approval_link set used_at = now() where id = $1 and used_at is null",
        [id],
      );
      return rowCount === 1;
    },

    /** Gives a pair back whose decision could not be made. */
    async giveBackLinks(id: string): Promise<void> {
      await pool.query("update approval_link set used_at = null where id = $1", [id]);
    },

    /** Links are told apart as used or expired for 90 days; after that they are unknown. */
    async forgetOldLinks(): Promise<void> {
      await pool.query("delete from approval_link where expires_at < now() - interval '90 days'");
    },
  };
}
