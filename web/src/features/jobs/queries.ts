import type { Job } from "@contract/job.ts";
import type { JobSummary } from "@contract/overview.ts";
import type { FilterRequest } from "@contract/search.ts";
import { queryOptions } from "@tanstack/react-query";
import type { Source } from "../../components/table/windows.ts";
import { api } from "../../services/api.ts";
import { batched } from "../../services/batch.ts";
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

/** One version of a job: they never change. */
export function versionQuery(id: string, version: number) {
  return queryOptions({
    queryKey: [...keys.jobs.versions(id), version],
    queryFn: async ({ signal }) => (await api.getJobVersion({ params: { id, version }, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The step types with their schemas: they change with the server only. */
export const stepTypesQuery = queryOptions({
  queryKey: keys.jobs.stepTypes,
  queryFn: async ({ signal }) => (await api.listStepTypes({ signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

export const collectionsQuery = queryOptions({
  queryKey: keys.collections.list({ sortBy: "name", size: 1000 }),
  queryFn: async ({ signal }) => {
    const body = { sortBy: "name", sortOrder: "asc" as const, size: 1000 };
    return (await api.searchCollections({ body, signal })).data;
  },
  staleTime: 60_000,
});

const summaryOf = batched<JobSummary>(async (jobIds) => {
  const { data } = await api.summariseJobs({ body: { jobIds } });
  return new Map(data.map((summary) => [summary.jobId, summary]));
}, 200);

/** How the executions of a job went, with the newest of them; null when nothing may be known of it. */
export function summaryQuery(jobId: string) {
  return queryOptions({ queryKey: keys.executions.summary(jobId), queryFn: () => summaryOf(jobId) });
}
