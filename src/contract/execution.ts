import Type, { type Static } from "typebox";
import { AssistantClient } from "./bridge.ts";
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
  priority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 9,
      default: 5,
      description: "Among the executions that wait for a place of the job: 9 first, 0 last.",
    }),
  ),
});
export type StartRequest = Static<typeof StartRequest>;

/** Why an execution or a step failed, in words for a person. */
export const ExecutionError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  stepId: Type.Optional(Type.String()),
  stepKey: Type.Optional(Type.String()),
  childExecutionId: Type.Optional(Type.String({ description: "Of the job that the step ran." })),
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

/** A try of a step that was tried more than once. */
export const StepTry = Type.Object({
  attempt: Type.Integer(),
  startTime: Timestamp,
  endTime: Timestamp,
  message: Nullable(Type.String({ description: "Why another followed; null of the last." })),
});
export type StepTry = Static<typeof StepTry>;

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
  run: Type.Integer({
    description: "Attempt of the execution that the result is from: a restart keeps earlier ones.",
  }),
  attempts: Type.Integer({ description: "Tries so far; 0 before the first." }),
  tries: Type.Array(StepTry, {
    description: "Those that are over, of a step that was tried more than once.",
  }),
  waitingUntil: Nullable(Timestamp),
  childExecutionId: Nullable(Id, {
    description: "Of a step that runs a job: the execution that it started.",
  }),
  output: Type.Unknown({ description: "null too where outputs were not asked for." }),
  error: Nullable(ExecutionError),
});
export type StepExecution = Static<typeof StepExecution>;

/** One step of an execution, with what it was given. */
export const StepExecutionDetail = Type.Object({
  ...StepExecution.properties,
  input: Type.Unknown({
    description:
      "Computed anew from the parameters and the results before it, as it is not recorded; null where it can't be.",
  }),
  inputNote: Nullable(Type.String(), { description: "Where the input may differ, or why there is none." }),
});
export type StepExecutionDetail = Static<typeof StepExecutionDetail>;

/** Whether the outputs of steps come along: they may be large, and are read step by step just as well. */
export const withOutputs = Type.Optional(
  Type.Boolean({ default: true, description: "false leaves the outputs of the steps out." }),
);

/** What somebody, or a timer, did to an execution. */
export const ExecutionAction = Type.Object({
  run: Type.Integer(),
  action: OneOf(["PAUSE", "RESUME", "STOP", "RESTART", "APPROVE", "REJECT", "FAIL"], {
    description: "FAIL: nobody had decided at the deadline.",
  }),
  actor: Type.String(),
  reason: Nullable(Type.String()),
  at: Timestamp,
  fromStatus: ExecutionStatus,
  toStatus: ExecutionStatus,
});
export type ExecutionAction = Static<typeof ExecutionAction>;

/** One run of an execution: a restart begins the next. */
export const ExecutionAttempt = Type.Object({
  run: Type.Integer(),
  workflowId: Id,
  jobVersion: Type.Integer(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  status: ExecutionStatus,
  startTime: Timestamp,
  endTime: Nullable(Timestamp),
  pausedMs: Type.Integer(),
  activeDurationMs: Type.Integer(),
  fromStep: Nullable(
    Type.Object(
      { id: Id, key: Type.String(), name: Type.String() },
      { description: "The step that it was restarted from; null: it ran from the start." },
    ),
  ),
  error: Nullable(ExecutionError),
});
export type ExecutionAttempt = Static<typeof ExecutionAttempt>;

/** The decision that an execution is PAUSED for. */
export const WaitingFor = Type.Object({
  kind: Type.Literal("decision"),
  stepExecutionId: Id,
  stepId: Id,
  stepKey: Type.String(),
  message: Type.String(),
  form: Nullable(Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of the answers." })),
  authorities: Type.Array(Type.String(), { description: "Whoever holds one of them may decide." }),
  principals: Type.Array(Type.String(), {
    description: "Names of those who may decide. Both lists empty: whoever may approve at all.",
  }),
  deadline: Nullable(Timestamp),
  onDeadline: Nullable(OneOf(["approve", "reject", "fail"])),
});
export type WaitingFor = Static<typeof WaitingFor>;

/** Why nothing of an execution runs just now, though it is neither over nor paused by hand. */
export const Waiting = Type.Object({
  reason: OneOf(["place", "decision", "time", "retry", "job"]),
  message: Type.String(),
  until: Nullable(Timestamp),
});
export type Waiting = Static<typeof Waiting>;

export const JobExecution = Type.Object({
  id: Id,
  jobId: Id,
  jobName: Type.String(),
  jobVersion: Type.Integer(),
  workflowId: Id,
  status: ExecutionStatus,
  startTime: Timestamp,
  endTime: Nullable(Timestamp),
  durationMs: Nullable(Type.Integer({ description: "From the first start to the end." })),
  activeDurationMs: Type.Integer({ description: "Time spent RUNNING so far, over all attempts." }),
  pausedMs: Type.Integer({ description: "Time spent PAUSED so far, over all attempts." }),
  draining: Type.Boolean({ description: "PAUSED, while the step under way finishes." }),
  resumeAt: Nullable(Timestamp),
  waiting: Nullable(Waiting, {
    description:
      "`place`: the job's concurrency limit is reached. Null: it runs, is paused by hand, or is over.",
  }),
  waitingFor: Nullable(WaitingFor, { description: "The decision that is waited for." }),
  triggeredBy: Type.String(),
  triggerSource: Nullable(Type.String()),
  startedBy: Type.String({ description: "Name of the principal who started it." }),
  client: Nullable(AssistantClient),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  error: Nullable(ExecutionError),
  run: Type.Integer({ description: "Number of the attempt; 1 until it is restarted." }),
  stepExecutions: Type.Array(StepExecution),
  attempts: Type.Array(ExecutionAttempt, { description: "All of them, the latest last." }),
  actions: Type.Array(ExecutionAction, { description: "The latest 1,000, oldest first." }),
});
export type JobExecution = Static<typeof JobExecution>;

const {
  stepExecutions: _steps,
  attempts: _attempts,
  actions: _actions,
  activeDurationMs: _active,
  pausedMs: _paused,
  draining: _draining,
  resumeAt: _resumeAt,
  waiting: _waiting,
  waitingFor: _waitingFor,
  ...ofItsRow
} = JobExecution.properties;

/** A hit of the search over executions: what its row says, without its steps, attempts and actions. */
export const FoundExecution = Type.Object({
  ...ofItsRow,
  heldFor: Nullable(OneOf(["resume", "decision"], { description: "What a PAUSED one waits for." })),
});
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
  run: Type.Integer(),
  attempt: Type.Integer(),
  at: Timestamp,
  level: OneOf(["debug", "info", "warn", "error"]),
  message: Type.String(),
});
export type StepLogLine = Static<typeof StepLogLine>;
