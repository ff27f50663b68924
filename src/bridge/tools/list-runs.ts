import * as z from "zod/v4";
import { executionStatuses } from "../../contract/execution.ts";
import type { FilterRequest } from "../../contract/search.ts";
import { cursorOf, PagePlace, pageOf, placeOf } from "../pages.ts";
import { longestName } from "../run.ts";
import { cursor, jobId, limit, status, timestamp } from "../shapes.ts";
import { clean } from "../text.ts";
import { reads, tool } from "../tool.ts";

export const listRuns = tool({
  name: "list_runs",
  title: "List runs, the newest first",
  description: "Lists runs of all jobs or of one, whoever started them, and in any state or in some.",
  scope: "jobs:read",
  subject: "job",
  annotations: reads,
  input: z.strictObject({
    jobId: jobId.optional(),
    status: z.array(status).min(1).max(executionStatuses.length).optional(),
    limit,
    cursor: cursor.optional(),
  }),
  output: z.object({
    runs: z.array(
      z.object({
        executionId: z.string(),
        jobId: z.string(),
        jobName: z.string(),
        status,
        startTime: timestamp,
        endTime: timestamp.optional(),
        durationMs: z.number().int().optional(),
        triggeredBy: z.string(),
        triggerSource: z.string().optional(),
      }),
    ),
    nextCursor: z.string().optional(),
  }),
  async run({ jobId, status, limit, cursor }, { caller, signal }) {
    const place: PagePlace =
      cursor === undefined ? { page: 0, size: limit, skip: 0 } : placeOf(cursor, PagePlace);
    const filters: NonNullable<FilterRequest["filters"]> = {};
    if (jobId !== undefined) filters.jobId = only("equals", jobId);
    if (status !== undefined) filters.status = only("in", status);
    if (place.before !== undefined) filters.startTime = only("lte", place.before);
    const found = await caller.platform.searchExecutions({
      body: { page: place.page, size: place.size, sortBy: "startTime", sortOrder: "desc", filters },
      signal,
    });
    // Of a job that is not there, or not for this user, there are no runs either: say which it is.
    if (jobId !== undefined && found.data.length === 0 && place.page === 0) {
      await caller.platform.getExecutionSummary({ params: { jobId }, signal });
    }
    const runs = found.data.map((run) => ({
      executionId: run.id,
      jobId: run.jobId,
      jobName: clean(run.jobName, longestName),
      status: run.status,
      startTime: run.startTime,
      ...(run.endTime === null ? {} : { endTime: run.endTime }),
      ...(run.durationMs === null ? {} : { durationMs: run.durationMs }),
      triggeredBy: clean(run.triggeredBy, 100),
      ...(run.triggerSource === null ? {} : { triggerSource: clean(run.triggerSource, 100) }),
    }));
    const before = place.before ?? found.data[0]?.startTime;
    const { items, next } = pageOf(
      runs,
      { ...place, ...(before ? { before } : {}) },
      {
        total: found.meta.totalElements,
      },
    );
    return { runs: items, ...(next ? { nextCursor: cursorOf(next) } : {}) };
  },
});

function only(matchMode: "equals" | "in" | "lte", value: unknown) {
  return { operator: "and" as const, constraints: [{ matchMode, value }] };
}
