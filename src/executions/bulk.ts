import type { BulkOutcome, BulkRequest, BulkResult, JobActionResponse } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import { compileFilter, FilterError } from "../db/filter.ts";
import type { Principal } from "../http/principal.ts";
import { pauseExecution, resumeExecution, stopExecution } from "./control.ts";
import type { BulkQuery, LiveStore } from "./live-store.ts";
import { type RestartDeps, restartExecution } from "./restart.ts";
import { executionFields, executionSearch } from "./search-store.ts";

type Act = (
  deps: RestartDeps,
  principal: Principal,
  request: { jobExecutionId: string; reason?: string },
) => Promise<JobActionResponse>;

const acts: Record<BulkRequest["action"], Act> = {
  PAUSE: pauseExecution,
  RESUME: resumeExecution,
  STOP: stopExecution,
  RESTART: restartExecution,
};

const atOnce = 16;

/**
 * Does one action to every execution that the filter finds and whose state allows it, oldest first. A call is bounded; the
 * next goes on after `next`, so that each is looked at once, whatever became of it.
 * @throws ApiError VALIDATION_FAILED
 */
export async function bulkControl(
  deps: RestartDeps & { live: LiveStore },
  principal: Principal,
  request: BulkRequest,
): Promise<BulkResult> {
  const { action, dryRun = false, limit = 1000, reason } = request;
  const query: BulkQuery = {
    action,
    where: compiled(request),
    limits: principal.jobs,
    after: request.after,
  };
  const matched = await deps.live.countMatching(query);
  const ids = dryRun ? [] : await deps.live.findMatching(query, limit);
  const outcomes = await inParallel(ids, (executionId) =>
    outcomeOf(executionId, () =>
      acts[action](deps, principal, {
        jobExecutionId: executionId,
        ...(reason === undefined ? {} : { reason }),
      }),
    ),
  );
  const done = outcomes.filter((outcome) => outcome.done).length;
  return {
    action,
    dryRun,
    matched,
    done,
    failed: outcomes.length - done,
    remaining: Math.max(0, matched - outcomes.length),
    next: ids.length === limit ? ids.at(-1)! : null,
    outcomes,
  };
}

function compiled({ filter }: BulkRequest) {
  const { filters = null, searchText = null } = filter;
  try {
    return compileFilter(executionFields, { filters, searchText }, executionSearch).where;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new ApiError("VALIDATION_FAILED", error.message, {
      details: error.faults.map(({ path, message }) => ({ path: `/filter${path}`, message })),
    });
  }
}

/** A refusal is an outcome too: somebody was first, or it can't be restarted. */
async function outcomeOf(executionId: string, act: () => Promise<JobActionResponse>): Promise<BulkOutcome> {
  try {
    const { status, message } = await act();
    return { executionId, done: true, status, message, error: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { executionId, done: false, status: null, message: error.message, error: { code: error.code } };
  }
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const i = next++;
      results[i] = await work(items[i]!);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
