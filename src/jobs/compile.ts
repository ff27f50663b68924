import type { StepConnection } from "../contract/connection.ts";
import type { Retry } from "../lib/backoff.ts";
import { secretsIn } from "../lib/connection-secrets.ts";
import { compileCondition, type Scope } from "../lib/expression/expression.ts";
import { EvaluationError, ExpressionFault } from "../lib/expression/fault.ts";
import { compileTemplate } from "../lib/expression/template.ts";
import { compileParameters, type ReadParameters } from "../lib/json-schema/parameters.ts";
import { handedOn, type StepSources, sealedParameters } from "./confidential.ts";
import type { Definition } from "./definition.ts";
import type { StepTypes } from "./step-type.ts";
import { variablesOf } from "./variables.ts";

/** A version of a job, ready to run: what the engine and a start need of it. */
export interface CompiledJob {
  jobId: string;
  version: number;
  name: string;
  timeoutMs: number | undefined;
  concurrency: { limit: number; onLimit: "queue" | "reject" } | undefined;
  readParameters: ReadParameters;
  /** The parameters as they are recorded: those that are secret sealed. */
  sealParameters(executionId: string, parameters: Record<string, unknown>): Record<string, unknown>;
  openParameters: ReturnType<typeof sealedParameters>["open"];
  /** Where the secret ones are. */
  secretPaths: ReturnType<typeof sealedParameters>["paths"];
  /** Uses something that no record holds. */
  confidential: boolean;
  protect: ReturnType<typeof handedOn>["protect"];
  reveal: ReturnType<typeof handedOn>["reveal"];
  steps: readonly CompiledStep[];
}

export interface CompiledStep {
  id: string;
  key: string;
  name: string;
  type: string;
  when: ((scope: Scope) => boolean) | undefined;
  input: (scope: Scope) => unknown;
  vars:
    | ((
        executionId: string,
        signal: AbortSignal,
      ) => Promise<{ values: Record<string, unknown>; secrets: unknown[] }>)
    | undefined;
  connection:
    | ((
        executionId: string,
        signal: AbortSignal,
      ) => Promise<{ connection: StepConnection; secrets: string[] }>)
    | undefined;
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
  sources: StepSources,
): CompiledJob {
  const sealed = sealedParameters(definition.parameters, sources.vault);
  const steps = definition.steps.map((step) => compileStep(step, types, sources));
  return {
    jobId,
    version,
    name: definition.name,
    timeoutMs: definition.timeoutMs,
    concurrency: definition.concurrency && { onLimit: "queue", ...definition.concurrency },
    readParameters: compileParameters(definition.parameters),
    sealParameters: sealed.seal,
    openParameters: sealed.open,
    secretPaths: sealed.paths,
    confidential: sealed.paths.length > 0 || steps.some(({ vars, connection }) => vars ?? connection),
    ...handedOn(sources.vault),
    steps,
  };
}

function compileStep(
  step: Definition["steps"][number],
  types: StepTypes,
  sources: StepSources,
): CompiledStep {
  const { connectionId } = step;
  return {
    id: step.id,
    key: step.key,
    name: step.name ?? step.key,
    type: step.type,
    when: step.when === undefined ? undefined : condition(step.when),
    input: input(step, types),
    vars: variables(step, types, sources),
    connection: connectionId === undefined ? undefined : connectionOf(connectionId, sources),
    retry: { ...ONCE, ...step.retry },
    timeoutMs: step.timeoutMs,
    onError: step.onError ?? "fail",
  };
}

function connectionOf(id: string, { loadConnection }: StepSources): CompiledStep["connection"] {
  return async (executionId, signal) => {
    const connection = await loadConnection(id, executionId, signal);
    return { connection, secrets: secretsIn(connection) };
  };
}

function variables(
  step: Definition["steps"][number],
  types: StepTypes,
  { loadVariables }: StepSources,
): CompiledStep["vars"] {
  const names = [...new Set(variablesOf(step, types).map(({ name }) => name))];
  if (names.length === 0) return undefined;
  return async (executionId, signal) => {
    const loaded = [...(await loadVariables(names, executionId, signal))];
    return {
      values: Object.fromEntries(loaded.map(([name, { value }]) => [name, value])),
      secrets: loaded.filter(([, { secret }]) => secret).map(([, { value }]) => value),
    };
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
