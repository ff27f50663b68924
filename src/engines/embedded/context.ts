import type { StepStatus } from "../../contract/execution.ts";
import type { Decision, Ending } from "../../engine/engine.ts";
import type { Journal } from "../../engine/journal/journal.ts";
import type { Run, RunContext, StepRecord, StepResult } from "../../engine/loop.ts";
import { stepExecutionId } from "../../engine/step-execution-id.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { isPlanted } from "../../lib/plant.ts";
import type { Parked } from "./store.ts";

/**
 * Thrown through the run loop to let go of an execution whose rows say how to go on: it waits, it is held or stopped, or the
 * process ends.
 */
export class LetGo extends Error {
  override readonly name = "LetGo";
  readonly until: number | undefined;
  constructor(until?: number) {
    super("The execution is parked.");
    this.until = until;
  }
}

export type ChildRecord = Extract<StepRecord, { kind: "child" }>;

/** A run in this process's memory. */
export interface RunState {
  run: Run;
  /** The step whose code runs now. */
  underWay: { position: number; attempt: number; startedAt: number } | undefined;
  /** Paused: nothing further begins. */
  held: boolean;
  /** It was woken while it let go: it is to be taken up once more. */
  again: boolean;
  controller: AbortController;
}

export interface Recorded {
  results: Map<number, StepResult> | undefined;
  parked: Parked | undefined;
}

/** The loop's view of the world in the embedded engine: what was recorded is answered, what is new goes to the journal. */
export function embeddedContext(given: {
  run: Run;
  recorded: Recorded;
  journal: Journal;
  signal: AbortSignal;
  /** What the engine knows of the run: it is told which step is under way, and tells whether the next may begin. */
  state: RunState;
  /** True once no further step may begin. */
  closing: () => boolean;
  onStep(position: number, attempt: number, status: StepStatus): void;
  onEnd(ending: Ending): void;
  /** Starts the job of a step, once, and answers its end if that has come. */
  child(record: ChildRecord): Promise<Ending | undefined>;
  /** Asks for a decision, durably. */
  ask(given: { position: number; attempt: number; startedAt: number; decision: Decision }): Promise<unknown>;
  end(ending: Ending): Promise<void>;
}): RunContext {
  const { run, recorded, journal, signal, state } = given;
  let wasOver = false;

  return {
    async step(position, attempt, phase, code) {
      const known = answerFromRecord(recorded, position, attempt, phase);
      wasOver = known !== undefined;
      if (known) return known;
      if (given.closing() || state.held) throw new LetGo();
      state.underWay = { position, attempt, startedAt: Date.now() };
      given.onStep(position, attempt, "RUNNING");
      const record = await code(signal);
      // What an aborted step answers is not its result: the step runs again when Pawl is back.
      if (signal.aborted) throw new LetGo();
      // What is held can't end: resume brings the end.
      if (state.held && record.kind === "result") delete record.ends;
      if (record.kind === "decision") {
        await given.ask({ position, attempt, startedAt: record.startedAt, decision: record.decision });
        throw new LetGo(Number.POSITIVE_INFINITY);
      }
      const step = run.job.steps[position]!;
      await journal.append({
        kind: "step",
        executionId: run.executionId,
        run: run.run,
        position,
        attempt,
        id: stepExecutionId(run.executionId, run.run, position),
        stepId: step.id,
        stepKey: step.key,
        record,
      });
      failpoint("step.after-record");
      state.underWay = undefined;
      given.onStep(position, attempt, record.kind === "result" ? record.result.status : "WAITING");
      if (record.kind === "result" && record.ends) given.onEnd(record.ends);
      else if (state.held) throw new LetGo();
      return record;
    },
    async log(position, attempt, lines, from) {
      const { executionId, run: number } = run;
      // Where it can't be kept the record of the step can't either, and says so.
      await journal
        .append({ kind: "log", executionId, run: number, position, attempt, lines, from })
        .catch(() => {});
      // To those who watch: there is something new to read, unless the step's end has told them so already.
      const { underWay } = state;
      if (underWay?.position === position && underWay.attempt === attempt) {
        given.onStep(position, attempt, "RUNNING");
      }
    },
    async sleep(until) {
      // A recorded wait is over: that is why the engine took the execution up again, whatever the clock says by now.
      if (wasOver) return;
      // Waiting work is not kept in memory: its row knows the time, and the engine's timer comes back for it.
      if (until > Date.now()) throw new LetGo(until);
    },
    async child(record) {
      const ending = await given.child(record);
      // The end of the child brings the execution back, or its own deadline.
      if (!ending) throw new LetGo(run.deadline ?? Number.POSITIVE_INFINITY);
      return ending;
    },
    async decided() {
      throw new LetGo(Number.POSITIVE_INFINITY);
    },
    async end(ending) {
      if (given.closing() || state.held) throw new LetGo();
      await given.end(ending);
    },
  };
}

function answerFromRecord(
  { results, parked }: Recorded,
  position: number,
  attempt: number,
  phase: "try" | "wake",
): StepRecord | undefined {
  const result = isPlanted("engine.forget-results") ? undefined : results?.get(position);
  if (result) return { kind: "result", result };
  if (parked?.position !== position || phase === "wake") return undefined;
  const { startedAt, until } = parked;
  if (attempt <= parked.attempts) {
    const error = parked.error ?? { code: "STEP_FAILED", message: "An earlier try failed." };
    // Only the last wait counts; those before it are over.
    return { kind: "retry", until: attempt < parked.attempts ? 0 : until, error, startedAt };
  }
  if (parked.kind === "timer") return { kind: "timer", until, output: parked.output, startedAt };
  if (parked.kind === "child") {
    const { childId, jobId, parameters } = parked;
    return { kind: "child", childId: childId!, jobId: jobId!, parameters: parameters ?? {}, startedAt };
  }
  return undefined;
}
