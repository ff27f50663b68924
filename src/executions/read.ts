import { ApiError } from "../contract/errors.ts";
import type {
  ExecutionSummary,
  HistoryItem,
  HistoryRequest,
  JobExecution,
  StepLogLine,
} from "../contract/execution.ts";
import type { Meta } from "../contract/shapes.ts";
import { mayUseJob, type Principal } from "../http/principal.ts";
import { presentExecution, presentHistoryItem, presentSummary } from "./present.ts";
import type { ExecutionDetail, JobRights } from "./rows.ts";
import type { ExecutionStore } from "./store.ts";

/** An execution that the principal may see. */
export async function readExecution(
  store: ExecutionStore,
  principal: Principal,
  id: string,
  { run, outputs }: { run?: number; outputs?: boolean } = {},
): Promise<JobExecution> {
  return presentExecution(await findVisible(store, principal, id, run, outputs), outputs);
}

export async function readLastExecution(
  store: ExecutionStore,
  principal: Principal,
  jobId: string,
): Promise<JobExecution> {
  await requireJob(store, principal, jobId);
  const last = await store.findLast(jobId);
  if (!last) throw new ApiError("NOT_FOUND", "The job has never been started.");
  return presentExecution(last);
}

export async function listExecutions(
  store: ExecutionStore,
  principal: Principal,
  jobId: string,
  request: HistoryRequest,
): Promise<{ data: HistoryItem[]; meta: Meta }> {
  await requireJob(store, principal, jobId);
  const { page = 0, size = 10, sortField = "startTime", sortDirection = "desc" } = request;
  const [rows, sums] = await Promise.all([
    store.findHistory(jobId, { page, size, sortField, sortDirection }),
    store.sumCounters(jobId),
  ]);
  return { data: rows.map(presentHistoryItem), meta: { totalElements: sums.started, page, size } };
}

export async function summariseExecutions(
  store: ExecutionStore,
  principal: Principal,
  jobId: string,
): Promise<ExecutionSummary> {
  await requireJob(store, principal, jobId);
  const [sums, last] = await Promise.all([
    store.sumCounters(jobId),
    store.findHistory(jobId, { sortField: "startTime", sortDirection: "desc", page: 0, size: 1 }),
  ]);
  const extremes = sums.lost > sums.found ? await store.recountExtremes(jobId, sums.lost) : undefined;
  return presentSummary({ ...sums, ...extremes }, last[0]);
}

export async function readLogs(
  store: ExecutionStore,
  principal: Principal,
  id: string,
  query: { step?: string; run?: number; try?: number; page?: number; size?: number },
): Promise<{ data: StepLogLine[]; meta: Meta }> {
  await requireVisible(store, principal, id);
  const execution = await store.findAttempt(id, query.run);
  if (!execution) throw noAttempt(id, query.run);
  const { steps } = execution;
  const { step, page = 0, size = 100 } = query;
  const position = step === undefined ? undefined : steps.findIndex(({ key }) => key === step);
  if (position === -1) {
    const keys = steps.map(({ key }) => key).join(", ");
    throw new ApiError("NOT_FOUND", `The execution has no step '${step}'. It has ${keys}.`);
  }
  const { lines, total } = await store.findLogs(
    execution,
    { positions: position === undefined ? undefined : [position], attempt: query.try },
    page,
    size,
  );
  const data = lines.map((line) => ({
    stepKey: steps[line.position]?.key ?? String(line.position),
    run: execution.run,
    attempt: line.attempt,
    at: line.at.toISOString(),
    level: line.level as StepLogLine["level"],
    message: line.message,
  }));
  return { data, meta: { totalElements: total, page, size } };
}

/** The same answer for what isn't there and for what the principal may not know of. */
export async function findVisible(
  store: ExecutionStore,
  principal: Principal,
  id: string,
  run?: number,
  outputs?: boolean,
): Promise<ExecutionDetail> {
  await requireVisible(store, principal, id);
  const found = await store.findExecution(id, run, outputs);
  if (!found) throw noAttempt(id, run);
  return found;
}

function noAttempt(id: string, run: number | undefined): ApiError {
  return new ApiError("NOT_FOUND", `Execution ${id} has no attempt ${run}.`);
}

/** @throws ApiError NOT_FOUND for what isn't there and, in the same words, for what the principal may not know of */
export async function requireVisible(
  store: ExecutionStore,
  principal: Principal,
  id: string,
): Promise<string> {
  const jobId = await store.findJobOf(id);
  if (jobId === undefined || (isRestricted(principal) && !maySee(principal, await store.findRights(jobId)))) {
    throw new ApiError("NOT_FOUND", `There is no execution ${id}.`);
  }
  return jobId;
}

/**
 * Deleted jobs count as there: their executions stay readable.
 * @throws ApiError NOT_FOUND, also for a job outside the principal's limits
 */
export async function requireJob(store: ExecutionStore, principal: Principal, jobId: string): Promise<void> {
  const rights = await store.findRights(jobId);
  if (!maySee(principal, rights)) throw new ApiError("NOT_FOUND", `There is no job ${jobId}.`);
}

/** Whether some jobs may be kept from the principal. */
export function isRestricted({ jobs, assistant }: Principal): boolean {
  return jobs !== null || assistant !== undefined;
}

/** Whether the principal may know of a job with these rights, if there is one. */
export function maySee(principal: Principal, rights: JobRights | undefined): boolean {
  if (rights === undefined || !mayUseJob(principal, rights)) return false;
  return principal.assistant === undefined || rights.exposed;
}
