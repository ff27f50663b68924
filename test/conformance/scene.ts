import assert from "node:assert/strict";
import type { CompiledJob, Ending, Engine, StepCall, StepOutcome } from "../../src/engine/engine.ts";
import type { EngineFixture, KeptExecution } from "./fixture.ts";

/** A try of a step's code that waits for the test to say how it goes. */
export interface Try {
  call: StepCall;
  answer(outcome: StepOutcome): void;
  fail(error: Error): void;
}

/** Code that does nothing until the test says so; every try of it arrives here. */
export function puppet() {
  const arrived: Try[] = [];
  const waiting: ((found: Try) => void)[] = [];
  return {
    run: (call: StepCall) =>
      new Promise<StepOutcome>((answer, fail) => {
        const found = { call, answer, fail };
        const waiter = waiting.shift();
        if (waiter) waiter(found);
        else arrived.push(found);
      }),
    /** The next try, as soon as there is one. */
    next(): Promise<Try> {
      const found = arrived.shift();
      return found ? Promise.resolve(found) : new Promise((resolve) => waiting.push(resolve));
    },
    /** Tries that have come and that nobody has asked for. */
    unseen: () => arrived.length,
  };
}

export const actor = "ada";

/** Starts the job; `ended` resolves at its end. */
export async function begin(on: EngineFixture, engine: Engine, job: CompiledJob) {
  const execution = on.executionOf(job);
  const ended = endOf(engine, execution.id);
  assert.equal(await engine.start(execution), true, "the start is accepted");
  return { id: execution.id, execution, ended };
}

export function endOf(engine: Engine, id: string): Promise<Ending> {
  return new Promise((resolve) => engine.watch(id, resolve));
}

const patienceMs = 30_000;

/** Looks until the record says so: a store tells nobody. */
export async function until(
  on: EngineFixture,
  id: string,
  holds: (kept: KeptExecution) => boolean,
): Promise<KeptExecution> {
  const limit = performance.now() + patienceMs;
  for (;;) {
    const kept = await on.find(id);
    if (kept && holds(kept)) return kept;
    assert.ok(performance.now() < limit, `waited in vain; it is ${JSON.stringify(kept)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** All that is kept of an execution: equal before and after whatever must change nothing. */
export async function snapshot(on: EngineFixture, id: string, jobId: string) {
  return {
    execution: await on.find(id),
    results: await on.resultsOf(id),
    actions: await on.actionsOf(id),
    counts: await on.countsOf(jobId),
  };
}
