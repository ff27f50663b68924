import { createMasker, type Masker, noMasker } from "../lib/masker.ts";
import type { LogLine, Scope } from "./engine.ts";
import type { Run, StepRecord } from "./loop.ts";

/**
 * What an execution has come to use in this process and no record may hold. Its secrets are masked in all that it records from
 * then on: a later step may be answered what an earlier one sent.
 */
export interface Confidence {
  params: Record<string, unknown> | undefined;
  /** By their JSON: the same secret is fetched again at each try. */
  secrets: Map<string, unknown>;
  masker: Masker;
  /** The steps before this position have had their secrets added. */
  gathered: number;
}

/** The names that a step's expressions see: with secret parameters in the clear, and the variables that it names. */
export async function openScope(run: Run, position: number, signal: AbortSignal): Promise<Scope> {
  const confidence = confidenceOf(run);
  await gatherEarlier(run, confidence, position, signal);
  if (confidence.params === undefined) {
    const opened = run.job.openParameters?.(run.executionId, run.scope.params);
    learn(confidence, opened?.secrets ?? []);
    confidence.params = opened?.params ?? run.scope.params;
  }
  const vars = await run.job.steps[position]!.vars?.(run.executionId, signal);
  learn(confidence, vars?.secrets ?? []);
  if (!run.job.steps[position]!.connection) isGathered(confidence, position);
  return { ...run.scope, params: confidence.params, vars: vars?.values ?? {} };
}

/** The connection of a step, decrypted. */
export async function openConnection(run: Run, position: number, signal: AbortSignal) {
  const opened = await run.job.steps[position]!.connection?.(run.executionId, signal);
  learn(confidenceOf(run), opened?.secrets ?? []);
  isGathered(confidenceOf(run), position);
  return opened?.connection;
}

/**
 * A process that takes an execution up in the middle does not know what the steps before have used. What can't be had any
 * more is left: they are over.
 */
async function gatherEarlier(
  run: Run,
  confidence: Confidence,
  position: number,
  signal: AbortSignal,
): Promise<void> {
  for (; confidence.gathered < position; confidence.gathered++) {
    const step = run.job.steps[confidence.gathered]!;
    if (run.scope.steps[step.key]?.status === "SKIPPED") continue;
    const vars = await step.vars?.(run.executionId, signal).catch(() => undefined);
    const opened = await step.connection?.(run.executionId, signal).catch(() => undefined);
    learn(confidence, [...(vars?.secrets ?? []), ...(opened?.secrets ?? [])]);
  }
}

/** All of the step was opened for its own run: nothing of it needs to be fetched again for those that follow. */
function isGathered(confidence: Confidence, position: number): void {
  if (confidence.gathered === position) confidence.gathered++;
}

function confidenceOf(run: Run): Confidence {
  run.confidence ??= { params: undefined, secrets: new Map(), masker: noMasker, gathered: 0 };
  return run.confidence;
}

function learn(confidence: Confidence, secrets: readonly unknown[]): void {
  const { size } = confidence.secrets;
  for (const secret of secrets) confidence.secrets.set(JSON.stringify(secret) ?? "", secret);
  if (confidence.secrets.size > size) confidence.masker = createMasker(confidence.secrets.values());
}

/** A text without the secrets that are known by now. */
export function maskText(run: Run, text: string): string {
  return run.confidence ? run.confidence.masker.text(text) : text;
}

/** The only way from a step to the journal: what it answered, said and failed with, without the secrets. */
export function maskRecord<Kept extends StepRecord>(run: Run, record: Kept): Kept {
  const masker = run.confidence?.masker ?? noMasker;
  if (masker === noMasker) return record;
  const masked: StepRecord = { ...record };
  if (masked.logs) masked.logs = linesWithout(masker, masked.logs);
  if (masked.kind === "retry") masked.error = maskError(masker, masked.error);
  else if (masked.kind === "timer") masked.output = masker.value(masked.output);
  else if (masked.kind === "decision") masked.decision = masker.value(masked.decision);
  else if (masked.kind === "result") {
    masked.result = maskResult(masker, masked.result);
    const { ends } = masked;
    if (ends) {
      const error = ends.error && maskError(masker, ends.error);
      masked.ends = { ...ends, output: masker.value(ends.output), error };
    }
  }
  return masked as Kept;
}

/** Lines of a step that goes on. */
export function maskLines(run: Run, lines: LogLine[]): LogLine[] {
  const masker = run.confidence?.masker ?? noMasker;
  return masker === noMasker ? lines : linesWithout(masker, lines);
}

function linesWithout(masker: Masker, lines: LogLine[]): LogLine[] {
  const messages = masker.texts(lines.map(({ message }) => message));
  return lines.map((line, i) => ({ ...line, message: messages[i]! }));
}

type Result = Extract<StepRecord, { kind: "result" }>["result"];

function maskResult(masker: Masker, result: Result): Result {
  const error = result.error && maskError(masker, result.error);
  const output = masker.value(result.output);
  if (output === result.output) return { ...result, error };
  return { ...result, error, output, outputJson: JSON.stringify(output) };
}

function maskError<Failure extends { message: string }>(masker: Masker, error: Failure): Failure {
  return { ...error, message: masker.text(error.message) };
}

/** Parameters for a job that the step runs: they are recorded before it starts, so what is secret in them is sealed. */
export function protectParameters(run: Run, parameters: Record<string, unknown>): Record<string, unknown> {
  const masker = run.confidence?.masker ?? noMasker;
  const { protect } = run.job;
  if (!protect || masker.value(parameters) === parameters) return parameters;
  const seal = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(seal);
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [masker.text(key), seal(item)]));
    }
    return masker.value(value) === value ? value : protect(run.executionId, JSON.stringify(value));
  };
  return seal(parameters) as Record<string, unknown>;
}
