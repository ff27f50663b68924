import Type, { type Static } from "typebox";
import { ExecutionStatus, StepStatus } from "./execution.ts";
import { FilterRequest } from "./search.ts";
import { Id, Nullable, OneOf, Strict, Timestamp } from "./shapes.ts";

const executionId = Type.String({ format: "uuid" });
const reason = Type.String({ minLength: 1, maxLength: 2000, description: "Kept in the history." });

export const StopRequest = Strict({ jobExecutionId: executionId, reason: Type.Optional(reason) });
export type StopRequest = Static<typeof StopRequest>;

export const PauseRequest = Strict({
  jobExecutionId: executionId,
  reason: Type.Optional(reason),
  resumeAt: Type.Optional(
    Type.String({ format: "date-time", description: "Resumed then by itself, unless somebody was first." }),
  ),
});
export type PauseRequest = Static<typeof PauseRequest>;

export const ResumeRequest = Strict({ jobExecutionId: executionId, reason: Type.Optional(reason) });
export type ResumeRequest = Static<typeof ResumeRequest>;

export const RestartRequest = Strict({
  jobExecutionId: executionId,
  fromStepId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        "Id or key of the step to begin with. Left out: the failed step; of a stopped execution the first step without a result.",
    }),
  ),
  version: Type.Optional(
    OneOf(["latest"], {
      description:
        "`latest`: goes on with the newest version of the job; the steps whose results are kept must be the same in it, by key and type. Left out: the version that it ran.",
    }),
  ),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "In the place of those that it had; checked against the schema of the version.",
    }),
  ),
  reason: Type.Optional(reason),
});
export type RestartRequest = Static<typeof RestartRequest>;

/** What is said with a decision. */
export const comment = Type.String({ minLength: 1, maxLength: 2000, description: "Kept in the history." });

/** Which question somebody has read. */
export const question = Type.String({
  format: "uuid",
  description:
    "`stepExecutionId` of `waitingFor`, as it was read: when the execution waits for another decision by now, it is refused.",
});

export const DecisionRequest = Strict({
  jobExecutionId: executionId,
  approve: Type.Boolean(),
  stepExecutionId: Type.Optional(question),
  comment: Type.Optional(comment),
  answers: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "To the step's form; only with an approval." }),
  ),
});
export type DecisionRequest = Static<typeof DecisionRequest>;

/** What goes with the decision of an approval link; a browser sends it as a form. */
export const LinkDecision = Strict({
  comment: DecisionRequest.properties.comment,
  answers: DecisionRequest.properties.answers,
});

export const JobActionResponse = Type.Object({
  executionId: Id,
  action: OneOf(["STOP", "PAUSE", "RESUME", "RESTART"]),
  status: ExecutionStatus,
  message: Type.String(),
  timestamp: Timestamp,
});
export type JobActionResponse = Static<typeof JobActionResponse>;

export const ApprovalLinksRequest = Strict({
  expiresInHours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2160,
      default: 168,
      description: "90 days at most; never past the step's deadline.",
    }),
  ),
});
export type ApprovalLinksRequest = Static<typeof ApprovalLinksRequest>;

export const ApprovalLinks = Type.Object({
  approveUrl: Type.String({ format: "uri" }),
  rejectUrl: Type.String({ format: "uri" }),
  expiresAt: Timestamp,
});
export type ApprovalLinks = Static<typeof ApprovalLinks>;

/** What people see of a step's progress: a change of status of an execution or, where a step is named, of that step. */
export const ExecutionEvent = Type.Object({
  executionId: Id,
  jobId: Id,
  status: Type.Union([ExecutionStatus, StepStatus]),
  at: Timestamp,
  step: Type.Optional(Type.Object({ id: Id, key: Type.String(), attempt: Type.Integer() })),
});
export type ExecutionEvent = Static<typeof ExecutionEvent>;

/** An execution that has not ended, as the snapshot of `GET /events` names it. */
export const LiveExecution = Type.Object({
  id: Id,
  jobId: Id,
  jobName: Type.String(),
  status: ExecutionStatus,
  startTime: Timestamp,
});
export type LiveExecution = Static<typeof LiveExecution>;

export const LiveSnapshot = Type.Object({
  executions: Type.Array(LiveExecution),
  total: Type.Integer({ description: "Of all that have not ended; the newest 1,000 are listed." }),
});
export type LiveSnapshot = Static<typeof LiveSnapshot>;

/** One server-sent event: its name, its id for Last-Event-ID, and its data as JSON. */
export const changeEvent = (event: "execution" | "step") =>
  Type.Object({ event: Type.Literal(event), id: Type.String(), data: ExecutionEvent });

export const BulkRequest = Strict({
  action: OneOf(["PAUSE", "RESUME", "STOP", "RESTART"]),
  filter: FilterRequest,
  reason: Type.Optional(reason),
  dryRun: Type.Optional(Type.Boolean({ default: false, description: "Only count what it would act on." })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 1000, description: "Acts on so many at most." }),
  ),
  after: Type.Optional(
    Type.String({ format: "uuid", description: "`next` of the call before, to go on from there." }),
  ),
});
export type BulkRequest = Static<typeof BulkRequest>;

export const BulkOutcome = Type.Object({
  executionId: Id,
  done: Type.Boolean(),
  status: Nullable(ExecutionStatus),
  message: Type.String(),
  error: Nullable(Type.Object({ code: Type.String() })),
});
export type BulkOutcome = Static<typeof BulkOutcome>;

export const BulkResult = Type.Object({
  action: OneOf(["PAUSE", "RESUME", "STOP", "RESTART"]),
  dryRun: Type.Boolean(),
  matched: Type.Integer({ description: "Found by the filter and in a state that allows the action." }),
  done: Type.Integer(),
  failed: Type.Integer(),
  remaining: Type.Integer({ description: "Matched, and left for the next call." }),
  next: Nullable(
    Type.String({ format: "uuid", description: "`after` of the next call; null: none is needed." }),
  ),
  outcomes: Type.Array(BulkOutcome),
});
export type BulkResult = Static<typeof BulkResult>;

export const DrainState = Type.Object({
  draining: Type.Literal(true),
  running: Type.Integer({ description: "Executions with a step still under way; 0: the process may end." }),
});
export type DrainState = Static<typeof DrainState>;
