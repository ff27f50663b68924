import { ApiError } from "../contract/errors.ts";
import type { StepExecutionDetail } from "../contract/execution.ts";
import type { CompiledStep, Scope } from "../engine/engine.ts";
import { holds, type Principal } from "../http/principal.ts";
import { EvaluationError } from "../lib/expression/fault.ts";
import { MASK } from "../lib/masker.ts";
import { StepError } from "../lib/step-error.ts";
import { hideSealed } from "./hide-sealed.ts";
import { presentSteps } from "./present-steps.ts";
import { findVisible } from "./read.ts";
import type { ExecutionDetail } from "./rows.ts";
import type { ExecutionStore } from "./store.ts";

interface Compiled {
  name: string;
  version: number;
  secretPaths: readonly unknown[];
  steps: readonly Pick<CompiledStep, "key" | "input" | "vars">[];
}

export interface StepInputDeps {
  store: ExecutionStore;
  /** A version of a job, be it deleted since; undefined if it can't be had any more. */
  findCompiled(jobId: string, version: number): Promise<Compiled | undefined>;
}

/** @throws ApiError NOT_FOUND: the execution, its attempt, the step */
export async function readStep(
  deps: StepInputDeps,
  principal: Principal,
  { id, step: wanted, run, signal }: { id: string; step: string; run?: number; signal: AbortSignal },
): Promise<StepExecutionDetail> {
  const detail = await findVisible(deps.store, principal, id, run);
  const steps = presentSteps(detail);
  const position = steps.findIndex(
    ({ stepKey, stepId }) => stepKey === wanted || stepId === wanted.toLowerCase(),
  );
  const step = steps[position];
  if (!step) {
    throw new ApiError(
      "NOT_FOUND",
      `The execution has no step '${wanted}'. Its steps are in GET /jobExecution/${id}.`,
    );
  }
  if (step.status === "PENDING")
    return { ...step, input: null, inputNote: "It is computed when the step begins." };
  if (step.status === "SKIPPED")
    return { ...step, input: null, inputNote: "The step was skipped, so it was given nothing." };
  return { ...step, ...(await inputOf(deps, principal, detail, position, signal)) };
}

type Input = Pick<StepExecutionDetail, "input" | "inputNote">;

async function inputOf(
  { findCompiled }: StepInputDeps,
  principal: Principal,
  detail: ExecutionDetail,
  position: number,
  signal: AbortSignal,
): Promise<Input> {
  const { execution } = detail;
  const job = await findCompiled(execution.job_id, execution.job_version);
  const step = job?.steps[position];
  if (!job || !step) return { input: null, inputNote: "The definition that it ran is gone." };
  try {
    const vars = await shownVariables(step, principal, execution.id, signal);
    const notes = [
      ...(job.secretPaths.length > 0 ? ["Secret parameters are masked."] : []),
      ...(vars ? ["Variables are shown with their value of now."] : []),
    ];
    const scope = scopeOf(detail, job, position, vars ?? {});
    return { input: step.input(scope) ?? null, inputNote: notes.length > 0 ? notes.join(" ") : null };
  } catch (error) {
    const known = [EvaluationError, StepError, ApiError].some((kind) => error instanceof kind);
    if (!known) throw error;
    return { input: null, inputNote: `It can't be computed: ${(error as Error).message}` };
  }
}

/** The variables that a step names; masked where they are secret, and for those who may not read variables. */
async function shownVariables(
  step: Pick<CompiledStep, "vars">,
  principal: Principal,
  executionId: string,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  const loaded = await step.vars?.(executionId, signal);
  if (!loaded) return undefined;
  const mayRead = holds(principal, "ConfigService:GlobalVariable:read");
  return Object.fromEntries(
    Object.entries(loaded.values).map(([name, value]) => [
      name,
      mayRead && !loaded.secrets.includes(value) ? value : MASK,
    ]),
  );
}

/** The names that its expressions saw, with what is secret masked before anything is computed from it. */
function scopeOf(
  { execution, results }: ExecutionDetail,
  job: Compiled,
  position: number,
  vars: Record<string, unknown>,
): Scope {
  const { id, job_id: jobId, triggered_by, trigger_source, started_at } = execution;
  const before = results.filter((result) => result.position < position);
  return {
    params: hideSealed(execution.parameters),
    steps: Object.fromEntries(
      before.map((result) => [
        job.steps[result.position]!.key,
        { output: result.output ?? null, status: result.status },
      ]),
    ),
    vars,
    execution: {
      id,
      jobId,
      triggeredBy: triggered_by,
      triggerSource: trigger_source,
      startTime: started_at.toISOString(),
    },
    job: { id: jobId, name: job.name, version: job.version },
  };
}
