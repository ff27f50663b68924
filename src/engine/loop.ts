import type { ExecutionError, StepStatus } from "../contract/execution.ts";
import { type Confidence, maskRecord } from "./confidential.ts";
import { endingAfter } from "./ending.ts";
import type { ChildJob, CompiledJob, Decision, Ending, LogLine, Scope, StepRunner } from "./engine.ts";
import { adoptChild, tryStep, wakeStep } from "./try-step.ts";

/** The lasting result of a step. */
export interface StepResult {
  status: Extract<StepStatus, "COMPLETED" | "FAILED" | "SKIPPED" | "STOPPED">;
  /** As JSON, exactly what is stored; undefined when there is none. */
  outputJson?: string | undefined;
  output: unknown;
  error?: ExecutionError | undefined;
  attempts: number;
  startedAt: number;
  endedAt: number;
}

/** What one exchange with the journal records: a result, perhaps the last; or a wait, for a retry, a timer or a person. */
export type StepRecord =
  | ({ kind: "result"; result: StepResult; ends?: Ending } & Logged)
  | ({ kind: "retry"; until: number; error: ExecutionError; startedAt: number } & Logged)
  | ({ kind: "timer"; until: number; output: unknown; startedAt: number } & Logged)
  | ({ kind: "child"; childId: string; startedAt: number } & ChildJob & Logged)
  | ({ kind: "decision"; decision: Decision; startedAt: number } & Logged);

/** What the try has logged. */
export interface Logged {
  logs?: LogLine[];
  /** Lines of it that were kept before, while it went on. */
  logsKept?: number;
}

/**
 * All that the run loop may touch of the world. An engine answers from its record what was done before, so that the
 * loop, run again from the start, comes to the same place. No method may assume one process or shared memory.
 */
export interface RunContext {
  /** Does this once, records it durably, and never does it again; then answers the record. */
  step(
    position: number,
    attempt: number,
    phase: "try" | "wake",
    run: (signal: AbortSignal) => Promise<StepRecord>,
  ): Promise<StepRecord>;
  /** Keeps lines of a step that goes on, for those who watch it: the first has this number. They may be lost with the process. */
  log(position: number, attempt: number, lines: LogLine[], from: number): Promise<void>;
  /** Returns at that time. An engine may let go of everything meanwhile and run the loop anew. */
  sleep(until: number): Promise<void>;
  /** Starts the job, once; returns when it has ended. */
  child(record: Extract<StepRecord, { kind: "child" }>): Promise<Ending>;
  /** Returns once somebody has decided; the step then has its result. */
  decided(): Promise<void>;
  /** Ends the execution apart from a result: its last one was recorded while a pause kept it from ending. */
  end(ending: Ending): Promise<void>;
}

/** One execution under way. */
export interface Run {
  executionId: string;
  /** Attempt group: part of the idempotency key that steps pass on. */
  run: number;
  /** Milliseconds since the epoch: when this attempt began. */
  startedAt: number;
  job: CompiledJob;
  scope: Scope;
  /** Output of the last step that completed. */
  lastOutput: unknown;
  /** Milliseconds since the epoch; the whole execution fails then. It moves while the execution is held. */
  deadline?: number | undefined;
  /** In this process only. */
  confidence?: Confidence | undefined;
}

export interface RunLimits {
  outputBytes: number;
  logBytes: number;
  /** How long a step's code may take to end once it was told to; after that it is abandoned. */
  graceMs: number;
}

/** Runs the steps of an execution one after another, to its end. */
export async function runSteps(
  run: Run,
  context: RunContext,
  runStep: StepRunner,
  limits: RunLimits,
): Promise<void> {
  for (let position = 0; position < run.job.steps.length; position++) {
    const record = await finishStep(run, position, context, runStep, limits);
    const { key } = run.job.steps[position]!;
    run.scope.steps[key] = { output: record.result.output, status: record.result.status };
    if (record.result.status === "COMPLETED") run.lastOutput = record.result.output;
    if (record.ends) return;
    const ending = endingAfter(run, position, record.result);
    if (ending) return context.end(ending);
  }
}

/** Tries a step, and waits between tries and for timers, until it has a result. */
async function finishStep(
  run: Run,
  position: number,
  context: RunContext,
  runStep: StepRunner,
  limits: RunLimits,
): Promise<Extract<StepRecord, { kind: "result" }>> {
  let since: number | undefined;
  for (let attempt = 1; ; attempt++) {
    const record = await context.step(position, attempt, "try", (signal) =>
      tryStep({ run, position, attempt, since, signal, limits }, runStep, (lines, from) =>
        context.log(position, attempt, lines, from),
      ),
    );
    if (record.kind === "result") return record;
    if (record.kind === "decision") {
      await context.decided();
      // The same try once more: it answers the result that the decision made.
      attempt--;
      continue;
    }
    if (record.kind === "child") {
      const ending = await context.child(record);
      const done = await context.step(position, attempt, "wake", async () =>
        maskRecord(run, adoptChild({ run, position, attempt, limits }, record, ending)),
      );
      if (done.kind === "result") return done;
      throw new Error("A step whose job has ended has to have a result.");
    }
    await context.sleep(Math.min(record.until, run.deadline ?? Number.POSITIVE_INFINITY));
    if (record.kind === "retry") {
      since = record.startedAt;
      continue;
    }
    const woken = await context.step(position, attempt, "wake", async () =>
      wakeStep({ run, position, attempt, limits }, record),
    );
    if (woken.kind === "result") return woken;
    throw new Error("A step that was woken has to have a result.");
  }
}
