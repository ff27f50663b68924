import Type, { type Static } from "typebox";
import { ExecutionSummary, HistoryItem, WaitingFor } from "./execution.ts";
import { Id, Strict, Timestamp } from "./shapes.ts";

/** Of which jobs the executions are summarised. */
export const SummariesRequest = Strict({
  jobIds: Type.Array(Type.String({ format: "uuid" }), { minItems: 1, maxItems: 200, uniqueItems: true }),
});
export type SummariesRequest = Static<typeof SummariesRequest>;

export const JobSummary = Type.Object({
  jobId: Id,
  ...ExecutionSummary.properties,
  recent: Type.Array(HistoryItem, { description: "The newest 10, the newest first." }),
});
export type JobSummary = Static<typeof JobSummary>;

/** How many executions began in a stretch of time, by what became of them. */
export const TimelineBucket = Type.Object({
  at: Timestamp,
  completed: Type.Integer(),
  failed: Type.Integer(),
  stopped: Type.Integer(),
  unfinished: Type.Integer({ description: "RUNNING or PAUSED." }),
});
export type TimelineBucket = Static<typeof TimelineBucket>;

export const Timeline = Type.Object({
  from: Timestamp,
  to: Timestamp,
  bucketMs: Type.Integer(),
  complete: Type.Boolean({ description: "false: there are more, and the newest 500,000 are counted." }),
  buckets: Type.Array(TimelineBucket),
});
export type Timeline = Static<typeof Timeline>;

/** An execution that waits for a decision. */
export const Approval = Type.Object({
  executionId: Id,
  jobId: Id,
  jobName: Type.String(),
  startTime: Timestamp,
  startedBy: Type.String(),
  triggeredBy: Type.String(),
  since: Timestamp,
  mayDecide: Type.Boolean({ description: "Whether the caller is among those who may." }),
  waitingFor: WaitingFor,
});
export type Approval = Static<typeof Approval>;
