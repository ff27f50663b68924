import type { FoundExecution } from "@contract/execution.ts";
import type { FilterRequest } from "@contract/search.ts";
import { queryOptions } from "@tanstack/react-query";
import type { Source } from "../../components/table/windows.ts";
import { api } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";

export type ListedExecution = FoundExecution;

/** The executions that a filter finds, a page at a time. */
export function executionSource(request: FilterRequest): Source<ListedExecution> {
  return {
    key: (page, size) => keys.executions.list({ ...request, page, size }),
    async read(page, size, signal) {
      const { data, meta } = await api.searchExecutions({ body: { ...request, page, size }, signal });
      return { rows: data, total: meta.totalElements };
    },
  };
}

/** How many executions a filter finds, with the first of them. */
export function fewExecutions(request: FilterRequest) {
  return queryOptions({
    queryKey: keys.executions.list(request),
    queryFn: async ({ signal }) => {
      const { data, meta } = await api.searchExecutions({ body: request, signal });
      return { rows: data, total: meta.totalElements };
    },
  });
}

/** An execution with its steps, as its latest attempt or an earlier one left it. */
export function executionQuery(id: string, run?: number) {
  return queryOptions({
    queryKey: keys.executions.one(id, run),
    queryFn: async ({ signal }) => (await api.getExecution({ params: { id }, query: { run }, signal })).data,
  });
}
