import type { Job } from "@contract/job.ts";
import type { FilterRequest } from "@contract/search.ts";
import { queryOptions } from "@tanstack/react-query";
import type { Source } from "../../components/table/windows.ts";
import { api } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";

/** The jobs that a filter finds, a page at a time. */
export function jobSource(request: FilterRequest): Source<Job> {
  return {
    key: (page, size) => keys.jobs.list({ ...request, page, size }),
    async read(page, size, signal) {
      const { data, meta } = await api.searchJobs({ body: { ...request, page, size }, signal });
      return { rows: data, total: meta.totalElements };
    },
  };
}

export function jobQuery(id: string) {
  return queryOptions({
    queryKey: keys.jobs.one(id),
    queryFn: async ({ signal }) => (await api.getJob({ params: { id }, signal })).data,
  });
}

/** The step types with their schemas: they change with the server only. */
export const stepTypesQuery = queryOptions({
  queryKey: keys.jobs.stepTypes,
  queryFn: async ({ signal }) => (await api.listStepTypes({ signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});
