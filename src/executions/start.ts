import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { StartRequest, StartResponse } from "../contract/execution.ts";
import type { Engine } from "../engine/engine.ts";
import type { Principal } from "../http/principal.ts";
import { newId } from "../lib/ids.ts";
import { claimKey, findEarlierStart } from "./idempotency.ts";
import { originOf } from "./origin.ts";
import { presentEnded, presentStart } from "./present.ts";
import { isRestricted, requireJob } from "./read.ts";
import type { ExecutionStore } from "./store.ts";
import { waitForEnd } from "./wait-for-end.ts";

/** The current version of a job, as far as a start needs it. */
export interface StartableJob {
  jobId: string;
  version: number;
  name: string;
  /** The parameters as they are recorded: those that are secret sealed. */
  sealParameters(executionId: string, parameters: Record<string, unknown>): Record<string, unknown>;
  /** Checks parameters against the job's schema and fills in defaults. */
  readParameters(given: Record<string, unknown>): { value: Record<string, unknown>; faults: FaultDetail[] };
}

export interface StartDeps {
  engine: Engine;
  store: ExecutionStore;
  /** @throws ApiError NOT_FOUND when there is no such job for this principal */
  findJob(principal: Principal, jobId: string): Promise<StartableJob>;
  /** Called when what `findJob` answered has turned out to be out of date. */
  forgetJob(jobId: string): void;
  syncWaitLimitMs: number;
  /** Aborted when nothing runs any more, because the server shuts down: what a start waits for goes on at the next one. */
  closed?: AbortSignal;
}

export interface StartCall {
  principal: Principal;
  request: StartRequest;
  idempotencyKey: string | undefined;
  /** What an assistant calls itself, as the bridge hands it on. */
  clientInfo?: string | undefined;
  /** Aborted when the client has gone: that ends the wait, not the execution. */
  signal: AbortSignal | undefined;
}

/** Starts a job; for `async: false` waits for its end, up to the limit. `ended` is false when that passed. */
export async function startJob(
  deps: StartDeps,
  call: StartCall,
): Promise<{ response: StartResponse; ended: boolean }> {
  if (call.request.async !== false) return { response: (await begin(deps, call)).response, ended: true };

  const wait = waitForEnd(deps.engine, deps.syncWaitLimitMs, call.signal);
  try {
    const { response, repeated } = await begin(deps, call, wait.watch);
    const before = repeated ? await deps.store.findEnding(response.executionId) : undefined;
    if (before) wait.saw(before);
    const ending = await wait.ended;
    if (!ending) return { response: { ...response, status: "RUNNING" }, ended: false };
    return { response: presentEnded(response, ending), ended: true };
  } finally {
    wait.stop();
  }
}

// A job that is replaced just as it starts: the next look finds the new version. A job that was replaced again and again
// without a pause was missed half the time.
const looks = 20;

/** Starts durably. `repeated`: an earlier request with the same Idempotency-Key had done so. */
async function begin(
  deps: StartDeps,
  { principal, request, idempotencyKey, clientInfo }: StartCall,
  beforeStart?: (executionId: string) => void,
): Promise<{ response: StartResponse; repeated: boolean }> {
  const keyed =
    idempotencyKey === undefined
      ? undefined
      : { principalId: principal.id, key: idempotencyKey, body: request };
  const origin = originOf(principal, request, clientInfo);
  const before = keyed && (await findEarlierStart(deps.store, keyed));
  if (before) {
    // Its job may have left the principal's limits since.
    if (isRestricted(principal)) await requireJob(deps.store, principal, request.jobId);
    beforeStart?.(before.executionId);
    return { response: before, repeated: true };
  }
  for (let look = 1; look <= looks; look++) {
    const job = await deps.findJob(principal, request.jobId);
    const parameters = job.readParameters(request.parameters ?? {});
    if (parameters.faults.length > 0) throw invalidParameters(job, parameters.faults);
    let id = newId();
    if (keyed) id = await claimKey(deps.store, { ...keyed, executionId: id });
    const execution = {
      id,
      workflowId: newId(),
      jobId: job.jobId,
      jobVersion: job.version,
      jobName: job.name,
      parameters: job.sealParameters(id, parameters.value),
      ...origin,
      startedBy: principal.name,
      startedAt: Date.now(),
      priority: request.priority,
    };
    beforeStart?.(id);
    if (await deps.engine.start(execution)) return { response: presentStart(execution), repeated: false };
    const earlier = keyed && (await deps.store.findStarted(id));
    if (earlier) return { response: earlier, repeated: true };
    deps.forgetJob(request.jobId);
  }
  throw new ApiError("CONFLICT", "The job is being changed just now; start it again.");
}

function invalidParameters(job: StartableJob, faults: FaultDetail[]): ApiError {
  const details = faults.map(({ path, message }) => ({ path: `/parameters${path}`, message }));
  return new ApiError("VALIDATION_FAILED", `The parameters don't fit the job '${job.name}'.`, { details });
}
