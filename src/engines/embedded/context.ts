import type { Journal } from "../../engine/journal/journal.ts";
import type { Run, RunContext, StepRecord, StepResult } from "../../engine/loop.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { newId } from "../../lib/ids.ts";
import type { Parked } from "./store.ts";

/** Thrown through the run loop to let go of an execution whose rows say how to go on: it waits, or the process ends. */
export class LetGo extends Error {
  override readonly name = "LetGo";
  readonly until: number | undefined;
  constructor(until?: number) {
    super("The execution is parked.");
    this.until = until;
  }
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
  /** True once no further step may begin. */
  closing: () => boolean;
  onRecord(record: StepRecord): void;
}): RunContext {
  const { run, recorded, journal, signal } = given;
  let wasOver = false;

  return {
    async step(position, attempt, phase, code) {
      const known = answerFromRecord(recorded, position, attempt, phase);
      wasOver = known !== undefined;
      if (known) return known;
      if (given.closing()) throw new LetGo();
      const record = await code(signal);
      // What an aborted step answers is not its result: the step runs again when Pawl is back.
      if (signal.aborted) throw new LetGo();
      const step = run.job.steps[position]!;
      await journal.append({
        kind: "step",
        executionId: run.executionId,
        run: run.run,
        position,
        attempt,
        id: newId(),
        stepId: step.id,
        stepKey: step.key,
        record,
      });
      failpoint("step.after-record");
      given.onRecord(record);
      return record;
    },
    async sleep(until) {
      // A recorded wait is over: that is why the engine took the execution up again, whatever the clock says by now.
      if (wasOver) return;
      // Waiting work is not kept in memory: its row knows the time, and the engine's timer comes back for it.
      if (until > Date.now()) throw new LetGo(until);
    },
  };
}

function answerFromRecord(
  { results, parked }: Recorded,
  position: number,
  attempt: number,
  phase: "try" | "wake",
): StepRecord | undefined {
  const result = results?.get(position);
  if (result) return { kind: "result", result };
  if (parked?.position !== position || phase === "wake") return undefined;
  const { startedAt, until } = parked;
  if (attempt <= parked.attempts) {
    const error = parked.error ?? { code: "STEP_FAILED", message: "An earlier try failed." };
    // Only the last wait counts; those before it are over.
    return { kind: "retry", until: attempt < parked.attempts ? 0 : until, error, startedAt };
  }
  if (parked.kind === "timer") return { kind: "timer", until, output: parked.output, startedAt };
  return undefined;
}
