import assert from "node:assert/strict";
import fc from "fast-check";
import {
  aimOf,
  type Execution,
  type Model,
  type Operation,
  outcome,
  outcomes,
  possible,
  type Shape,
} from "./model.ts";
import type { Observed, Real } from "./real.ts";

const slots = 3;
const patienceMs = 3_000;

interface Holder {
  model: Model;
}

/** One or two operations at once, perhaps while the engine is lost, and what has to come of them. */
class Doing implements fc.AsyncCommand<Holder, Real> {
  readonly operations: Operation[];
  readonly crash: boolean;
  readonly cut: boolean;
  constructor(operations: Operation[], crash = false, cut = false) {
    this.operations = operations;
    this.crash = crash;
    this.cut = cut;
  }

  check({ model }: Readonly<Holder>): boolean {
    const slotsStarted = this.operations.flatMap((one) => (one.do === "start" ? [one.slot] : []));
    const gatesUsed = this.operations.flatMap((one) =>
      one.do === "finish" || one.do === "fail" ? [one.slot] : [],
    );
    const advances = this.operations.some((one) => one.do === "advance" || one.do === "set back");
    return (
      // Which clock such a pause goes by can't be told.
      !(advances && this.operations.some((one) => one.do === "pause" && one.resumes)) &&
      this.operations.every((operation) => possible(model, operation)) &&
      new Set(slotsStarted).size === slotsStarted.length &&
      new Set(gatesUsed).size === gatesUsed.length
    );
  }

  async run(holder: Holder, real: Real): Promise<void> {
    const { model } = holder;
    const [only] = this.operations;
    if (this.operations.length === 1 && !this.crash) {
      const { answer, models } = outcome(model, only!);
      assert.equal(await real.perform(only!), answer, `the answer to ${only!.do}`);
      holder.model = await settled(real, models);
      return;
    }
    const asked = this.operations.map((operation) => ({ operation, aim: aimOf(model, operation) }));
    const answers = this.crash
      ? await real.performAndCrash(this.operations, this.cut)
      : await Promise.all(this.operations.map((operation) => real.perform(operation)));
    const done = asked.map((one, i) => ({ ...one, answer: answers[i]! }));
    let models = outcomes(
      model,
      // Code that answered while the engine was lost was heard or not.
      done.map((one) => (this.crash && one.aim !== undefined ? { ...one, answer: "lost" as const } : one)),
    );
    if (this.crash) models = models.flatMap((each) => outcome(each, { do: "crash", cut: false }).models);
    assert.ok(models.length > 0, `no order of ${this} explains the answers ${answers.join(", ")}`);
    holder.model = await settled(real, models);
  }

  toString(): string {
    const text = this.operations.map((operation) => JSON.stringify(operation)).join(" with ");
    return this.crash ? `${text} and a crash${this.cut ? " (cut)" : ""}` : text;
  }
}

/** Waits until what is observed is one of the models; answers which. */
async function settled(real: Real, models: Model[]): Promise<Model> {
  const limit = performance.now() + patienceMs;
  for (;;) {
    const observed = await real.observe();
    // What is due happens yet.
    const stirs = observed.some((one) => one?.overdue);
    for (const model of stirs ? [] : models) {
      if (differences(model, observed).length > 0) continue;
      for (let slot = 0; slot < slots; slot++) {
        const execution = model.executions[slot];
        if (execution?.at === "over") real.abandon(slot);
        if (execution) assertEndsTold(execution, real.ends(slot));
      }
      return model;
    }
    if (performance.now() > limit) {
      const wrong = models.map((model) => differences(model, observed));
      const nearest = wrong.toSorted((a, b) => a.length - b.length)[0];
      assert.fail(`it came to something else:\n${nearest!.join("\n")}\n${JSON.stringify(await real.rows())}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function differences(model: Model, observed: (Observed | undefined)[]): string[] {
  const found: string[] = [];
  for (let slot = 0; slot < slots; slot++) {
    const execution = model.executions[slot];
    const is = observed[slot];
    if (!execution || !is) {
      if (execution || is) found.push(`${slot}: ${is ? "is there" : "is lost"}`);
      continue;
    }
    const { gate, results, overdue: _, ...rest } = is;
    const expected = {
      status: execution.status,
      run: execution.run,
      ended: execution.at === "over",
      live: execution.at !== "over",
      held: execution.status === "PAUSED",
      draining: execution.status === "PAUSED" && execution.at === "code",
      actions: model.setBack ? execution.actions.toSorted() : execution.actions,
      // Only where it matters: while held, a wait that is over is still written there.
      parked: execution.status === "RUNNING" ? execution.at === "parked" : rest.parked,
      results: execution.results,
      gate:
        execution.at === "code"
          ? { position: execution.position, run: execution.run, attempt: execution.tries + 1 }
          : undefined,
    };
    const actual = {
      ...rest,
      actions: model.setBack ? rest.actions.toSorted() : rest.actions,
      // A stop leaves a mark on the step it ended; which one it was is the stop's own affair.
      results: results.filter(({ status }) => status !== "STOPPED"),
      // Code that ignores its abort is still there, until it is let go.
      gate: execution.at === "over" ? undefined : gate,
    };
    for (const key of Object.keys(expected) as (keyof typeof expected)[]) {
      const [a, b] = [JSON.stringify(sorted(actual[key])), JSON.stringify(sorted(expected[key]))];
      if (a !== b) found.push(`${slot}.${key}: ${a}, not ${b}`);
    }
  }
  return found;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Nobody is told of an end that was none; who watched an engine that was lost may have missed one. */
function assertEndsTold({ ends }: Execution, told: string[]): void {
  const left = [...ends];
  for (const status of told) {
    const at = left.indexOf(status as Execution["status"]);
    assert.ok(at !== -1, `told of the end ${status}, and the ends were ${ends.join() || "none"}`);
    left.splice(at, 1);
  }
}

const shape: fc.Arbitrary<Shape> = fc.record({
  kind: fc.constantFrom("gate", "gate", "gate", "instant", "timer", "skip"),
  retries: fc.boolean(),
  continues: fc.boolean(),
});
const slot = fc.nat({ max: slots - 1 });
const act = <T extends Operation>(value: fc.Arbitrary<T>): fc.Arbitrary<Operation> => value;

const start = act(
  fc.record({ do: fc.constant("start"), slot, steps: fc.array(shape, { minLength: 1, maxLength: 3 }) }),
);
const control = fc.oneof(
  act(fc.record({ do: fc.constant("pause"), slot, resumes: fc.boolean() })),
  act(fc.record({ do: fc.constant("resume"), slot })),
  act(fc.record({ do: fc.constant("stop"), slot })),
  act(
    fc.record(
      { do: fc.constant("restart"), slot, from: fc.nat({ max: 2 }) },
      { requiredKeys: ["do", "slot"] },
    ),
  ),
);
const code = fc.oneof(
  act(fc.record({ do: fc.constant("finish"), slot })),
  act(fc.record({ do: fc.constant("fail"), slot, retryable: fc.boolean() })),
);
const advance = act(fc.constant({ do: "advance" }));
const any = fc.oneof(
  { arbitrary: start, weight: 1 },
  { arbitrary: control, weight: 3 },
  { arbitrary: code, weight: 2 },
  { arbitrary: advance, weight: 1 },
);

/** Histories of up to so many operations. */
export function histories(maxCommands: number, replayPath?: string) {
  return fc.commands<Holder, Real, true>(
    [
      start.map((one) => new Doing([one])),
      start.map((one) => new Doing([one])),
      control.map((one) => new Doing([one])),
      control.map((one) => new Doing([one])),
      code.map((one) => new Doing([one])),
      code.map((one) => new Doing([one])),
      advance.map((one) => new Doing([one])),
      fc.tuple(any, any).map((both) => new Doing(both)),
      fc.tuple(any, any).map((both) => new Doing(both)),
      // On one execution, where races matter.
      fc
        .tuple(control, fc.oneof(control, code), slot)
        .map(
          (both) =>
            new Doing(
              both.slice(0, 2).map((one) => ({ ...(one as Operation), slot: both[2] })) as Operation[],
            ),
        ),
      fc.constant(new Doing([{ do: "set back" }])),
      fc.constant(new Doing([{ do: "reopen" }])),
      fc.boolean().map((cut) => new Doing([{ do: "crash", cut }])),
      fc.tuple(any, fc.boolean()).map(([one, cut]) => new Doing([one], true, cut)),
    ] as unknown as fc.Arbitrary<fc.AsyncCommand<Holder, Real, true>>[],
    { maxCommands, size: "max", ...(replayPath === undefined ? {} : { replayPath }) },
  );
}

/** Runs a history, then ends all that is left of it, and compares what was counted. */
export async function runHistory(
  real: Real,
  commands: Iterable<fc.AsyncCommand<Holder, Real, true>>,
  places: number,
): Promise<void> {
  await real.reset();
  const holder: Holder = { model: { places, executions: Array.from({ length: slots }, () => undefined) } };
  await fc.asyncModelRun(() => ({ model: holder, real }), commands as never);
  for (const [slot, execution] of holder.model.executions.entries()) {
    if (!execution || execution.at === "over") continue;
    await new Doing([{ do: "stop", slot }]).run(holder, real);
  }
  for (const { kept, recount } of await real.counts()) assert.deepEqual(kept, recount, "the counters");
  assert.deepEqual(await real.untimely(), [], "nothing ends before it begins");
  // An execution that could not go on is told of here, and only here.
  real.check();
}
