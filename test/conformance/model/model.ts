import type { ExecutionStatus } from "../../../src/contract/execution.ts";

/** A step of a random job. Code of a `gate` step answers when the history says so. */
export interface Shape {
  kind: "gate" | "instant" | "timer" | "skip";
  /** A second try after a failure that can be retried. */
  retries: boolean;
  /** A failure doesn't end the execution. */
  continues: boolean;
}

export interface Result {
  run: number;
  position: number;
  status: "COMPLETED" | "FAILED" | "SKIPPED";
  attempts: number;
  output: string | null;
}

/** What the plain model knows of one execution. */
export interface Execution {
  steps: Shape[];
  status: ExecutionStatus;
  run: number;
  position: number;
  /** Tries of the present step that are over. */
  tries: number;
  /** `ready`: it could go on, if it is RUNNING and there is a place. */
  at: "ready" | "code" | "parked" | "over";
  /** Which call of code runs, of all there were. */
  call: number;
  parked: "retry" | "timer" | undefined;
  /** The wait is over: a parked step goes on as soon as the execution may. */
  due: boolean;
  /** Its last result brings the end FAILED, once nothing holds it. */
  failing: boolean;
  /** The hold ends by itself when time advances. */
  resumes: boolean;
  results: Result[];
  /** Positions whose result counts for the present run. */
  inForce: (Result | undefined)[];
  actions: string[];
  ends: ExecutionStatus[];
}

export interface Model {
  /** The order of actions can't be told by their times any more. */
  setBack?: boolean;
  places: number;
  executions: (Execution | undefined)[];
}

export type Operation =
  | { do: "start"; slot: number; steps: Shape[] }
  | { do: "pause"; slot: number; resumes?: boolean }
  | { do: "resume"; slot: number }
  | { do: "stop"; slot: number }
  | { do: "restart"; slot: number; from?: number }
  | { do: "finish"; slot: number }
  | { do: "fail"; slot: number; retryable: boolean }
  | { do: "advance" }
  | { do: "set back" }
  | { do: "reopen" }
  | { do: "crash"; cut: boolean };

/** What was answered to an operation: the status it led to, a code, or nothing that was heard. */
export type Answer = ExecutionStatus | "INVALID_STATE" | "VALIDATION_FAILED" | "done" | "lost";

export function outputOf(slot: number, position: number, run: number, attempt: number): string {
  return `out ${slot}.${position} run ${run} try ${attempt}`;
}

/** Whether a history may do this now. A refused action is one that may be tried. */
export function possible(model: Model, operation: Operation): boolean {
  if (!("slot" in operation)) return true;
  const execution = model.executions[operation.slot];
  if (operation.do === "start") return execution === undefined;
  if (operation.do === "finish" || operation.do === "fail") return execution?.at === "code";
  return execution !== undefined;
}

/** The call of code that a finish or a fail is meant for; what runs later isn't. */
export function aimOf(model: Model, operation: Operation): number | undefined {
  if (operation.do !== "finish" && operation.do !== "fail") return undefined;
  return model.executions[operation.slot]?.call;
}

/** Does one operation on the model, which it changes; what follows from it by itself is left to `settle`. */
export function apply(model: Model, operation: Operation, aim: number | undefined): Answer {
  switch (operation.do) {
    case "start":
      model.executions[operation.slot] = {
        steps: operation.steps,
        status: "RUNNING",
        run: 1,
        position: 0,
        tries: 0,
        at: "ready",
        call: 0,
        parked: undefined,
        due: false,
        failing: false,
        resumes: false,
        results: [],
        inForce: [],
        actions: [],
        ends: [],
      };
      return "done";
    case "advance":
      for (const execution of present(model)) {
        if (execution.status === "PAUSED" && execution.resumes) lift(execution);
        if (execution.at === "parked") execution.due = true;
        wake(execution);
      }
      return "done";
    // What is waited for stays where it is, and is not due any more; `advance` goes past it all the same.
    case "set back":
      for (const execution of present(model)) execution.due = false;
      model.setBack = true;
      return "done";
    case "reopen":
    case "crash":
      for (const execution of present(model)) {
        if (execution.at === "code") execution.at = "ready";
      }
      return "done";
    case "finish":
    case "fail": {
      const execution = model.executions[operation.slot];
      if (execution?.at === "code" && execution.call === aim) finish(execution, operation);
      return "done";
    }
    default:
      return control(model.executions[operation.slot]!, operation);
  }
}

function control(
  execution: Execution,
  operation: Extract<Operation, { do: "pause" | "resume" | "stop" | "restart" }>,
): Answer {
  const { status } = execution;
  if (operation.do === "pause") {
    if (status !== "RUNNING") return "INVALID_STATE";
    move(execution, "PAUSE", "PAUSED");
    execution.resumes = operation.resumes ?? false;
  } else if (operation.do === "resume") {
    if (status !== "PAUSED") return "INVALID_STATE";
    lift(execution);
  } else if (operation.do === "stop") {
    if (status !== "RUNNING" && status !== "PAUSED") return "INVALID_STATE";
    move(execution, "STOP", "STOPPED");
    end(execution, "STOPPED");
  } else {
    if (status !== "FAILED" && status !== "STOPPED") return "INVALID_STATE";
    const { steps, inForce } = execution;
    const open = steps.findIndex((step, i) => {
      const result = inForce[i];
      return result === undefined || (result.status === "FAILED" && !step.continues);
    });
    if (operation.from !== undefined && open !== -1 && open < operation.from) return "VALIDATION_FAILED";
    const from = operation.from ?? (open === -1 ? steps.length - 1 : open);
    if (from >= steps.length) return "VALIDATION_FAILED";
    move(execution, "RESTART", "RUNNING");
    execution.run++;
    execution.inForce.length = Math.min(inForce.length, from);
    Object.assign(execution, { position: from, tries: 0, at: "ready", parked: undefined, due: false });
    Object.assign(execution, { failing: false, resumes: false });
  }
  return execution.status;
}

function lift(execution: Execution): void {
  move(execution, "RESUME", "RUNNING");
  execution.resumes = false;
  wake(execution);
}

function wake(execution: Execution): void {
  if (execution.at === "parked" && execution.due && execution.status === "RUNNING") execution.at = "ready";
}

function move(execution: Execution, action: string, to: ExecutionStatus): void {
  execution.actions.push(`${action} ${execution.status}>${to}`);
  execution.status = to;
}

function end(execution: Execution, status: ExecutionStatus): void {
  Object.assign(execution, { status, at: "over", parked: undefined, due: false, failing: false });
  execution.ends.push(status);
}

function finish(execution: Execution, operation: Extract<Operation, { do: "finish" | "fail" }>): void {
  const step = execution.steps[execution.position]!;
  execution.at = "ready";
  if (operation.do === "finish") {
    record(execution, operation.slot, "COMPLETED");
  } else if (operation.retryable && step.retries && execution.tries === 0) {
    Object.assign(execution, { tries: 1, at: "parked", parked: "retry", due: false });
  } else {
    record(execution, operation.slot, "FAILED");
  }
}

/** The lasting result of the present step. */
function record(execution: Execution, slot: number, status: Result["status"]): void {
  const { position, run, tries, steps } = execution;
  const attempts = status === "SKIPPED" ? 0 : tries + 1;
  const output = status === "COMPLETED" ? JSON.stringify(outputOf(slot, position, run, attempts)) : null;
  const result = { run, position, status, attempts, output };
  execution.results.push(result);
  execution.inForce[position] = result;
  Object.assign(execution, { tries: 0, parked: undefined, due: false });
  if (status === "FAILED" && !steps[position]!.continues) execution.failing = true;
  else execution.position++;
}

/** Goes on with one execution that has a place, as far as it comes by itself. */
function goOn(execution: Execution, slot: number): void {
  while (execution.status === "RUNNING" && execution.at === "ready") {
    const step = execution.steps[execution.position];
    if (execution.failing) end(execution, "FAILED");
    else if (!step) end(execution, "COMPLETED");
    else if (step.kind === "skip") record(execution, slot, "SKIPPED");
    else if (step.kind === "instant") record(execution, slot, "COMPLETED");
    else if (step.kind === "timer" && execution.parked === "timer") record(execution, slot, "COMPLETED");
    else if (step.kind === "timer") Object.assign(execution, { at: "parked", parked: "timer", due: false });
    else {
      execution.at = "code";
      execution.call++;
    }
  }
}

/**
 * All that can come of the model by itself, which differs by who is given a place first. `keepers` have places already.
 */
export function settle(model: Model, keepers: readonly number[] = []): Model[] {
  for (const slot of keepers) {
    const execution = model.executions[slot];
    if (execution) goOn(execution, slot);
  }
  const free = model.places - present(model).filter(({ at }) => at === "code").length;
  const ready = model.executions.flatMap((execution, slot) =>
    execution?.at === "ready" && execution.status === "RUNNING" ? [slot] : [],
  );
  if (free <= 0 || ready.length === 0) return [model];
  if (ready.length <= free) {
    for (const slot of ready) goOn(model.executions[slot]!, slot);
    return settle(model);
  }
  return unlike(
    ready.flatMap((slot) => {
      const branch = structuredClone(model);
      goOn(branch.executions[slot]!, slot);
      return settle(branch);
    }),
  );
}

/** All that may have come of operations done together, given their answers: in any order, however far each got between. */
export function outcomes(
  model: Model,
  operations: readonly { operation: Operation; aim: number | undefined; answer: Answer }[],
): Model[] {
  const found: Model[] = [];
  for (const order of permutations(operations)) {
    let branches = [structuredClone(model)];
    for (const { operation, aim, answer } of order) {
      branches = branches.flatMap((branch) => {
        const untouched = answer === "lost" ? [structuredClone(branch)] : [];
        const keepers = codeOf(branch);
        const made = apply(branch, operation, aim);
        if (answer !== "lost" && made !== answer) return [];
        const waits = structuredClone(branch);
        return [...untouched, waits, ...settle(branch, keepers)];
      });
    }
    found.push(...branches.flatMap((branch) => settle(branch, codeOf(branch))));
  }
  return unlike(found);
}

/** What the operation alone comes to. */
export function outcome(model: Model, operation: Operation): { answer: Answer; models: Model[] } {
  const next = structuredClone(model);
  const keepers = codeOf(next);
  const answer = apply(next, operation, aimOf(model, operation));
  return {
    answer,
    models: settle(next, operation.do === "crash" || operation.do === "reopen" ? [] : keepers),
  };
}

/** Those whose code runs keep their place until they come to rest. */
function codeOf(model: Model): number[] {
  return model.executions.flatMap((execution, slot) => (execution?.at === "code" ? [slot] : []));
}

function present(model: Model): Execution[] {
  return model.executions.filter((execution) => execution !== undefined);
}

function unlike(models: Model[]): Model[] {
  return [...new Map(models.map((model) => [JSON.stringify(model), model])).values()];
}

function permutations<T>(of: readonly T[]): T[][] {
  if (of.length <= 1) return [[...of]];
  return of.flatMap((first, i) => permutations(of.filter((_, j) => j !== i)).map((rest) => [first, ...rest]));
}
