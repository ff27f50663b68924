import type { ExecutionStatus } from "@contract/execution.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";
import type { RecentRecord } from "../../services/recents.ts";
import type { Can } from "../../services/session.tsx";

export interface Found {
  kind: "job" | "step" | "collection" | "execution" | RecentRecord;
  id: string;
  name: string;
  about?: string;
  /** Of a step. */
  jobId?: string;
  /** Of an execution. */
  status?: ExecutionStatus;
  at?: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isId = (text: string) => uuid.test(text);

/** The jobs, steps, collections and executions that the text finds among what the caller may read. An id finds what has it. */
export function findQuery(text: string, can: Can) {
  return queryOptions({
    queryKey: keys.search(text, "all"),
    queryFn: async ({ signal }): Promise<Found[]> => {
      const lists = isId(text)
        ? [byId(text, can)]
        : [things(text, can, signal), executions(text, can, signal)];
      return (await Promise.all(lists)).flat();
    },
  });
}

async function things(text: string, can: Can, signal: AbortSignal): Promise<Found[]> {
  const mayRead =
    can("JobService:Job:read") || can("JobService:Step:read") || can("JobService:Collection:read");
  if (!mayRead) return [];
  const body = { searchText: text, sortBy: "relevance", size: 8 };
  const { data } = await api.searchAll({ query: { type: "all" }, body, signal });
  const items = data.map(({ id, type, name, description }) => ({ kind: type, id, name, about: description }));
  return Promise.all(items.map((item) => (item.kind === "step" ? withJob(item, signal) : item)));
}

/** A step is shown in its job. */
async function withJob(step: Found, signal: AbortSignal): Promise<Found> {
  const { data } = await api.getStep({ params: { id: step.id }, signal });
  return { ...step, jobId: data.jobId, about: `in ${data.jobName}` };
}

async function executions(text: string, can: Can, signal: AbortSignal): Promise<Found[]> {
  if (!can("JobService:JobExecution:read")) return [];
  const { data } = await api.searchExecutions({ body: { searchText: text, sortBy: "id", size: 4 }, signal });
  return data.map(({ id, jobName, status, startTime, error }) => ({
    kind: "execution",
    id,
    name: jobName,
    status,
    at: startTime,
    ...(error ? { about: error.message } : {}),
  }));
}

async function byId(id: string, can: Can): Promise<Found[]> {
  const none = () => [];
  const execution = can("JobService:JobExecution:read")
    ? api
        .getExecution({ params: { id } })
        .then(
          ({ data }): Found[] => [
            { kind: "execution", id, name: data.jobName, status: data.status, at: data.startTime },
          ],
          none,
        )
    : [];
  const job = can("JobService:Job:read")
    ? api
        .getJob({ params: { id } })
        .then(({ data }): Found[] => [{ kind: "job", id, name: data.name, about: data.description }], none)
    : [];
  return (await Promise.all([execution, job])).flat();
}
