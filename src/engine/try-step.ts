import type { ExecutionError } from "../contract/execution.ts";
import { backoff } from "../lib/backoff.ts";
import { failpoint } from "../lib/failpoint.ts";
import { newId } from "../lib/ids.ts";
import { StepError } from "../lib/step-error.ts";
import {
  maskLines,
  maskRecord,
  maskText,
  openConnection,
  openScope,
  protectParameters,
} from "./confidential.ts";
import { endingAfter } from "./ending.ts";
import type { CompiledStep, Ending, StepRunner } from "./engine.ts";
import type { Run, RunLimits, StepRecord, StepResult } from "./loop.ts";
import { type KeepLines, type StepLog, stepLog } from "./step-log.ts";
import { type TimeLimit, timeLimit } from "./time-limit.ts";

export interface Try {
  run: Run;
  position: number;
  attempt: number;
  /** Milliseconds since the epoch: when the first try began; undefined for the first. */
  since?: number | undefined;
  limits: RunLimits;
}

interface Fault {
  code: string;
  message: string;
  retryable: boolean;
  /** Of the job that the step ran. */
  childExecutionId?: string | undefined;
  /** How long the other side asked us to wait. */
  retryAfterMs?: number | undefined;
}

/** One try of a step: its guard, its input, its code. Whatever happens becomes a record, without secrets; it never throws. */
export async function tryStep(
  current: Try & { signal: AbortSignal },
  runStep: StepRunner,
  keepLines?: KeepLines,
): Promise<StepRecord> {
  const log = stepLog(
    current.limits.logBytes,
    keepLines && ((lines, from) => keepLines(maskLines(current.run, lines), from)),
  );
  const record = await tryOnce(current, runStep, log);
  log.end();
  if (log.lines) record.logs = log.lines;
  if (log.kept > 0) record.logsKept = log.kept;
  return maskRecord(current.run, record);
}

async function tryOnce(
  current: Try & { signal: AbortSignal },
  runStep: StepRunner,
  log: StepLog,
): Promise<StepRecord> {
  const { run, attempt, position } = current;
  const step = stepOf(current);
  const now = Date.now();
  const startedAt = current.since ?? now;
  // A quick step would be over before a timer could end it: a long row of them would run on and on.
  if (run.deadline !== undefined && now >= run.deadline) {
    return fail({ ...current, attempt: attempt - 1 }, startedAt, overdue(run));
  }
  // The lines at both ends of a try tell those who look at it later when it was.
  if (attempt > 1) log.note("info", `Try ${attempt} of ${step.retry.maxAttempts} begins.`);
  let limit: TimeLimit | undefined;
  try {
    limit = timeLimit({
      stepMs: step.timeoutMs,
      deadline: () => run.deadline,
      startedAt: now,
      stop: current.signal,
      graceMs: current.limits.graceMs,
    });
    const scope = run.job.confidential ? await limit.race(openScope(run, position, limit.signal)) : run.scope;
    if (step.when && !step.when(scope)) {
      return settle(current, { status: "SKIPPED", output: null, attempts: 0, startedAt: now, endedAt: now });
    }
    const input = step.input(scope);
    const connection = step.connection && (await limit.race(openConnection(run, position, limit.signal)));
    failpoint("step.before-run");
    const outcome = await limit.race(
      runStep({
        type: step.type,
        input,
        scope,
        attempt,
        connection,
        mask: (text) => maskText(run, text),
        signal: limit.signal,
        idempotencyKey: `${run.executionId}/${step.id}/${run.run}`,
        log: log.write,
        tell: log.tell,
      }),
    );
    failpoint("step.after-run");
    if (outcome.child) {
      const parameters = protectParameters(run, outcome.child.parameters);
      return { kind: "child", childId: newId(), ...outcome.child, parameters, startedAt };
    }
    if (outcome.decision) {
      return { kind: "decision", decision: outcome.decision, startedAt };
    }
    if (outcome.until !== undefined && outcome.until > Date.now()) {
      return { kind: "timer", until: outcome.until, output: outcome.output, startedAt };
    }
    return complete(current, startedAt, outcome.output);
  } catch (cause) {
    const fault: Fault = limit?.fault() ?? describe(cause);
    if (limit?.wasAbandoned()) {
      log.write(
        "warn",
        `It went on for ${current.limits.graceMs} ms after it was told to end, and is abandoned.`,
      );
    }
    if (fault.retryable && attempt < step.retry.maxAttempts) {
      const delayMs = Math.max(backoff(step.retry, attempt), fault.retryAfterMs ?? 0);
      const until = Date.now() + delayMs;
      const which = `Try ${attempt} of ${step.retry.maxAttempts}`;
      log.note("warn", `${which} failed, and the next begins in ${Math.round(delayMs)} ms: ${fault.message}`);
      return { kind: "retry", until, error: named(step, fault), startedAt };
    }
    return fail(current, startedAt, fault);
  } finally {
    limit?.clear();
  }
}

/** The result of a step that only waited, once its time has come. */
export function wakeStep(current: Try, parked: Extract<StepRecord, { kind: "timer" }>): StepRecord {
  const { deadline } = current.run;
  if (deadline !== undefined && deadline < parked.until) {
    return fail(current, parked.startedAt, overdue(current.run));
  }
  return complete(current, parked.startedAt, parked.output);
}

/** The result of a step that ran a job, once that has ended. */
export function adoptChild(
  current: Try,
  child: Extract<StepRecord, { kind: "child" }>,
  ending: Ending,
): StepRecord {
  const { deadline } = current.run;
  const childExecutionId = child.childId;
  if (deadline !== undefined && Date.now() >= deadline) {
    return fail(current, child.startedAt, { ...overdue(current.run), childExecutionId });
  }
  if (ending.status === "COMPLETED") {
    const output = { executionId: child.childId, status: ending.status, output: ending.output };
    return complete(current, child.startedAt, output);
  }
  const why = ending.error?.message ?? "It gave no reason.";
  const message = `The job it ran is ${ending.status}: ${why} (execution ${child.childId})`;
  return fail(current, child.startedAt, {
    code: "SUB_JOB_FAILED",
    message,
    retryable: false,
    childExecutionId,
  });
}

function complete(current: Try, startedAt: number, output: unknown): StepRecord {
  let json: string | undefined;
  try {
    json = JSON.stringify(output);
  } catch (cause) {
    const message = `The output can't be written as JSON: ${(cause as Error).message}.`;
    return fail(current, startedAt, { code: "OUTPUT_NOT_JSON", message, retryable: false });
  }
  const limit = current.limits.outputBytes;
  if (json !== undefined && json.length * 3 > limit && Buffer.byteLength(json) > limit) {
    const message = `The output has ${Buffer.byteLength(json)} bytes, and the limit is ${limit} (PAWL_STEP_OUTPUT_LIMIT). Keep only what later steps need.`;
    return fail(current, startedAt, { code: "OUTPUT_TOO_LARGE", message, retryable: false });
  }
  return settle(current, {
    status: "COMPLETED",
    outputJson: json,
    // Later steps see what a replay would see: the value as JSON keeps it.
    output: typeof output === "object" && json !== undefined ? JSON.parse(json) : (output ?? null),
    attempts: current.attempt,
    startedAt,
    endedAt: notBefore(startedAt),
  });
}

function fail(current: Try, startedAt: number, fault: Fault): StepRecord {
  return settle(current, {
    status: "FAILED",
    output: null,
    error: named(stepOf(current), fault),
    attempts: current.attempt,
    startedAt,
    endedAt: notBefore(startedAt),
  });
}

/** Adds the end of the execution to the result that brings it: finish and end are one record. */
function settle(current: Try, result: StepResult): StepRecord {
  const ends = endingAfter(current.run, current.position, result);
  return ends ? { kind: "result", result, ends } : { kind: "result", result };
}

/** Now; or the start, where the clock was set back since: nothing ends before it begins. */
function notBefore(startedAt: number): number {
  return Math.max(Date.now(), startedAt);
}

function stepOf({ run, position }: Try): CompiledStep {
  return run.job.steps[position]!;
}

function named(step: CompiledStep, { code, message, childExecutionId }: Fault): ExecutionError {
  const child = childExecutionId === undefined ? {} : { childExecutionId };
  return { code, message, stepId: step.id, stepKey: step.key, ...child };
}

function overdue(run: Run): Fault {
  const message = `The execution took longer than its timeoutMs of ${run.job.timeoutMs}.`;
  return { code: "EXECUTION_TIMEOUT", message, retryable: false };
}

function describe(cause: unknown): Fault {
  if (cause instanceof StepError) {
    const { code, message, retryable, retryAfterMs } = cause;
    return { code, message, retryable, retryAfterMs };
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return { code: "STEP_FAILED", message: message || "The step failed without saying why.", retryable: true };
}
