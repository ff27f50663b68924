import Type, { type Static } from "typebox";
import { Id, Nullable, OneOf, Strict, Timestamp } from "./shapes.ts";

export const executionStatuses = ["RUNNING", "PAUSED", "STOPPED", "COMPLETED", "FAILED"] as const;
export const ExecutionStatus = OneOf([...executionStatuses]);
export type ExecutionStatus = (typeof executionStatuses)[number];

export const stepStatuses = [
  "PENDING",
  "RUNNING",
  "WAITING",
  "COMPLETED",
  "FAILED",
  "SKIPPED",
  "STOPPED",
] as const;
export const StepStatus = OneOf([...stepStatuses]);
export type StepStatus = (typeof stepStatuses)[number];

export const StartRequest = Strict({
  jobId: Type.String({ format: "uuid" }),
  parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  async: Type.Optional(Type.Boolean({ default: true, description: "false: the answer waits for the end." })),
  triggeredBy: Type.Optional(Type.String({ minLength: 1, maxLength: 100, default: "api" })),
  triggerSource: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type StartRequest = Static<typeof StartRequest>;

/** Why an execution or a step failed, in words for a person. */
export const ExecutionError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  stepId: Type.Optional(Type.String()),
  stepKey: Type.Optional(Type.String()),
});
export type ExecutionError = Static<typeof ExecutionError>;

/** The seed's start response; a synchronous start adds how it ended. */
export const StartResponse = Type.Object({
  executionId: Id,
  jobId: Id,
  status: ExecutionStatus,
  workflowId: Id,
  startedAt: Timestamp,
  endTime: Type.Optional(Nullable(Timestamp)),
  durationMs: Type.Optional(Nullable(Type.Integer())),
  output: Type.Optional(Type.Unknown({ description: "Of the last step that has one." })),
  error: Type.Optional(Nullable(ExecutionError)),
});
export type StartResponse = Static<typeof StartResponse>;

export const StepExecution = Type.Object({
  id: Id,
  stepId: Id,
  stepKey: Type.String(),
  stepName: Type.String(),
  type: Type.String(),
  status: StepStatus,
  startTime: Nullable(Timestamp),
  endTime: Nullable(Timestamp),
  durationMs: Nullable(Type.Integer()),
  attempts: Type.Integer({ description: "Tries so far; 0 before the first." }),
  waitingUntil: Nullable(Timestamp),
  output: Type.Unknown(),
  error: Nullable(ExecutionError),
});
export type StepExecution = Static<typeof StepExecution>;

export const JobExecution = Type.Object({
  id: Id,
  jobId: Id,
  jobName: Type.String(),
  jobVersion: Type.Integer(),
  workflowId: Id,
  status: ExecutionStatus,
  startTime: Timestamp,
  endTime: Nullable(Timestamp),
  durationMs: Nullable(Type.Integer()),
  triggeredBy: Type.String(),
  triggerSource: Nullable(Type.String()),
  startedBy: Type.String({ description: "Name of the principal who started it." }),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  error: Nullable(ExecutionError),
  stepExecutions: Type.Array(StepExecution),
});
export type JobExecution = Static<typeof JobExecution>;

/** A hit of the search over executions: all of one but its steps. */
export const FoundExecution = Type.Omit(JobExecution, ["stepExecutions"]);
export type FoundExecution = Static<typeof FoundExecution>;

export const HistoryRequest = Strict({
  page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
  sortField: Type.Optional(
    OneOf(["startTime", "endTime", "durationMs", "status", "triggeredBy", "id"], { default: "startTime" }),
  ),
  sortDirection: Type.Optional(OneOf(["asc", "desc"], { default: "desc" })),
});
export type HistoryRequest = Static<typeof HistoryRequest>;

export const HistoryItem = Type.Object({
  id: Id,
  status: ExecutionStatus,
  startTime: Timestamp,
  endTime: Nullable(Timestamp),
  durationMs: Nullable(Type.Integer()),
  triggeredBy: Type.String(),
});
export type HistoryItem = Static<typeof HistoryItem>;

export const ExecutionSummary = Type.Object({
  totalExecutions: Type.Integer(),
  successCount: Type.Integer(),
  failureCount: Type.Integer(),
  successRate: Type.Number({
    description: "Percent of the ended ones that were COMPLETED, one decimal; 0 when none.",
  }),
  avgDurationMs: Nullable(Type.Integer()),
  minDurationMs: Nullable(Type.Integer()),
  maxDurationMs: Nullable(Type.Integer()),
  lastExecutedAt: Nullable(Timestamp),
  lastStatus: Nullable(ExecutionStatus),
});
export type ExecutionSummary = Static<typeof ExecutionSummary>;

export const StepLogLine = Type.Object({
  stepKey: Type.String(),
  attempt: Type.Integer(),
  at: Timestamp,
  level: OneOf(["debug", "info", "warn", "error"]),
  message: Type.String(),
});
export type StepLogLine = Static<typeof StepLogLine>;
