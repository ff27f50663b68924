import type { Retry } from "../lib/backoff.ts";
import { compileCondition, type Scope } from "../lib/expression/expression.ts";
import { EvaluationError, ExpressionFault } from "../lib/expression/fault.ts";
import { compileTemplate } from "../lib/expression/template.ts";
import { compileParameters, type ReadParameters } from "../lib/json-schema/parameters.ts";
import type { Definition } from "./definition.ts";
import type { StepTypes } from "./step-type.ts";

/** A version of a job, ready to run: what the engine and a start need of it. */
export interface CompiledJob {
  jobId: string;
  version: number;
  name: string;
  timeoutMs: number | undefined;
  concurrency: { limit: number; onLimit: "queue" | "reject" } | undefined;
  readParameters: ReadParameters;
  steps: readonly CompiledStep[];
}

export interface CompiledStep {
  id: string;
  key: string;
  name: string;
  type: string;
  when: ((scope: Scope) => boolean) | undefined;
  input: (scope: Scope) => unknown;
  retry: Retry;
  timeoutMs: number | undefined;
  onError: "fail" | "continue";
}

const ONCE: Retry = { maxAttempts: 1, initialDelayMs: 500, factor: 2, maxDelayMs: 30_000 };

export function compileJob(
  jobId: string,
  version: number,
  definition: Definition,
  types: StepTypes,
): CompiledJob {
  return {
    jobId,
    version,
    name: definition.name,
    timeoutMs: definition.timeoutMs,
    concurrency: definition.concurrency && { onLimit: "queue", ...definition.concurrency },
    readParameters: compileParameters(definition.parameters),
    steps: definition.steps.map((step) => ({
      id: step.id,
      key: step.key,
      name: step.name ?? step.key,
      type: step.type,
      when: step.when === undefined ? undefined : condition(step.when),
      input: input(step, types),
      retry: { ...ONCE, ...step.retry },
      timeoutMs: step.timeoutMs,
      onError: step.onError ?? "fail",
    })),
  };
}

// What was valid when it was saved may no longer be, after an upgrade: the step fails and says so, and the others run.

function condition(when: string): (scope: Scope) => boolean {
  try {
    return compileCondition(when).holds;
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return broken(`The condition "${when}" can't be used any more: ${error.message}`);
  }
}

function input(step: Definition["steps"][number], types: StepTypes): (scope: Scope) => unknown {
  const { template, faults } = compileTemplate(step.input ?? {}, {
    verbatim: types.get(step.type)?.verbatim,
  });
  const [fault] = faults;
  return fault
    ? broken(`The input can't be used any more: ${fault.path} ${fault.message} Save the job anew.`)
    : template.render;
}

function broken(message: string): () => never {
  return () => {
    throw new EvaluationError(message);
  };
}
