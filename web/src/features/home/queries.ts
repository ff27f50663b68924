import type { Approval } from "@contract/overview.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";
import { fewExecutions } from "../executions/queries.ts";
import { type RangeName, ranges, spanOf } from "./ranges.ts";

/**
 * How many executions began when. Apart from the lists that every change reads anew: it counts up to half a million rows,
 * and nobody sees a bar grow by one.
 */
export function timelineQuery(range: RangeName) {
  return queryOptions({
    queryKey: ["executions", "timeline", range],
    queryFn: async ({ signal }) => {
      const query = { ...spanOf(range), buckets: ranges[range].buckets };
      return (await api.getTimeline({ query, signal })).data;
    },
    refetchInterval: 15_000,
  });
}

const newest = { sortBy: "startTime", sortOrder: "desc" as const };
const withStatus = (status: string) => ({
  status: { operator: "and" as const, constraints: [{ value: status, matchMode: "equals" as const }] },
});

export const runningQuery = fewExecutions({ ...newest, size: 6, filters: withStatus("RUNNING") });
export const pausedQuery = fewExecutions({ ...newest, size: 1, filters: withStatus("PAUSED") });
export const failedQuery = fewExecutions({ ...newest, size: 6, filters: withStatus("FAILED") });

/** Whether there is anything to show yet. */
export const anyExecutionQuery = queryOptions({
  queryKey: keys.executions.list({ any: true }),
  queryFn: async ({ signal }) =>
    (await api.searchExecutions({ body: { size: 1 }, signal })).meta.totalElements > 0,
});

/** Those that wait the longest, and how many wait. */
export const approvalsQuery = queryOptions({
  queryKey: keys.executions.approvals,
  queryFn: async ({ signal }): Promise<{ rows: Approval[]; total: number }> => {
    const { data, meta } = await api.listApprovals({ query: { size: 100 }, signal });
    return { rows: data, total: meta.totalElements };
  },
});
