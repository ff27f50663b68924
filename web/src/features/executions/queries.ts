import type { FoundExecution, StepExecution } from "@contract/execution.ts";
import type { FilterRequest } from "@contract/search.ts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
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

/** An execution with its steps but not their outputs, as its latest attempt or an earlier one left it. */
export function executionQuery(id: string, run?: number) {
  return queryOptions({
    queryKey: keys.executions.one(id, run),
    queryFn: async ({ signal }) => {
      const query = { outputs: false, ...(run === undefined ? {} : { run }) };
      return (await api.getExecution({ params: { id }, query, signal })).data;
    },
  });
}

/**
 * One step with its input and output. Read anew when the step has changed, and not with every change of another: outputs
 * may be large.
 */
export function stepQuery(executionId: string, step: StepExecution, run: number) {
  const { stepKey, status, attempts, run: of, endTime, tries } = step;
  return queryOptions({
    queryKey: [
      "executions",
      "step",
      executionId,
      stepKey,
      { run, of, status, attempts, endTime, tried: tries.length },
    ],
    queryFn: async ({ signal }) =>
      (await api.getStepExecution({ params: { id: executionId, step: stepKey }, query: { run }, signal }))
        .data,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const logPage = 1000;

export interface LogScope {
  /** Key of a step; all of them when left out. */
  step?: string | undefined;
  run?: number | undefined;
  /** All tries when left out. */
  try?: number | undefined;
}

/** What steps logged, a thousand lines at a time. */
export function logQuery(id: string, { step, run, try: attempt }: LogScope) {
  return infiniteQueryOptions({
    queryKey: keys.executions.logs(id, { step, run, attempt }),
    queryFn: async ({ signal, pageParam: page }) => {
      const query = {
        page,
        size: logPage,
        ...(step ? { step } : {}),
        ...(run ? { run } : {}),
        ...(attempt ? { try: attempt } : {}),
      };
      const { data, meta } = await api.getExecutionLogs({ params: { id }, query, signal });
      return { lines: data, total: meta.totalElements };
    },
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * logPage < total ? pages.length : undefined),
  });
}
