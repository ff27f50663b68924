import Type from "typebox";
import { Approval, JobSummary, SummariesRequest, Timeline } from "./overview.ts";
import type { Route } from "./routes.ts";
import { Meta } from "./shapes.ts";

/** Many executions at a glance. */
export const overviewRoutes = {
  summariseJobs: {
    method: "POST",
    path: "/jobExecution/execution-summaries",
    access: "JobService:JobExecution:read",
    tag: "Execution queries",
    summary: "Summarise the executions of several jobs, with the newest of each",
    description: "In the order asked for. What is unknown, or not to be known, is left out.",
    body: SummariesRequest,
    data: Type.Array(JobSummary),
    errors: [],
  },
  getTimeline: {
    method: "GET",
    path: "/jobExecution/timeline",
    access: "JobService:JobExecution:read",
    tag: "Execution queries",
    summary: "Count executions over time, by what became of them",
    description: "By their start, in stretches of equal length. The last 24 hours when nothing is said.",
    query: Type.Object({
      from: Type.Optional(Type.String({ format: "date-time" })),
      to: Type.Optional(Type.String({ format: "date-time", description: "Now, when left out." })),
      buckets: Type.Optional(Type.Integer({ minimum: 1, maximum: 400, default: 48 })),
      jobId: Type.Optional(
        Type.String({ format: "uuid", description: "Of this job; of all when left out." }),
      ),
    }),
    data: Timeline,
    errors: ["NOT_FOUND"],
  },
  listApprovals: {
    method: "GET",
    path: "/jobExecution/approvals",
    access: "JobService:JobExecution:approve",
    tag: "Execution control",
    summary: "List the executions that wait for a decision, longest waiting first",
    query: Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50 })),
    }),
    data: Type.Array(Approval),
    meta: Meta,
    errors: [],
  },
} as const satisfies Record<string, Route>;
