import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";

const size = 50;

/** What waits for a decision, fifty at a time. */
export const inboxQuery = infiniteQueryOptions({
  queryKey: [...keys.executions.approvals, "inbox"],
  queryFn: async ({ signal, pageParam: page }) => {
    const { data, meta } = await api.listApprovals({ query: { page, size }, signal });
    return { rows: data, total: meta.totalElements };
  },
  initialPageParam: 0,
  getNextPageParam: ({ total }, pages) => (pages.length * size < total ? pages.length : undefined),
});
