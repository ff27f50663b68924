import { sql } from "kysely";
import { executionStatuses } from "../contract/execution.ts";
import type { FieldMap } from "../db/filter.ts";

/** What executions may be filtered by. */
export const executionFields: FieldMap = {
  id: { kind: "id", column: sql`execution.id` },
  jobId: { kind: "id", column: sql`execution.job_id` },
  jobName: { kind: "string", column: sql`execution.job_name` },
  jobVersion: { kind: "number", column: sql`execution.job_version` },
  status: { kind: "enum", column: sql`execution.status`, values: executionStatuses },
  triggeredBy: { kind: "string", column: sql`execution.triggered_by` },
  triggerSource: { kind: "string", column: sql`execution.trigger_source` },
  startedBy: { kind: "string", column: sql`execution.started_by` },
  startTime: { kind: "date", column: sql`execution.started_at` },
  endTime: { kind: "date", column: sql`execution.ended_at` },
  durationMs: {
    kind: "number",
    column: sql`extract(epoch from execution.ended_at - execution.started_at) * 1000`,
  },
  errorCode: { kind: "string", column: sql`execution.error ->> 'code'` },
};

export const executionSearch = [sql`execution.job_name`, sql`execution.error ->> 'message'`];
