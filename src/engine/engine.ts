import type { StepConnection } from "../contract/connection.ts";
import type { ExecutionError, ExecutionStatus, StepStatus } from "../contract/execution.ts";
import type { Retry } from "../lib/backoff.ts";

/** A job as the engine runs it: parsed once, shared by all its executions. */
export interface CompiledJob {
  jobId: string;
  version: number;
  name: string;
  timeoutMs?: number | undefined;
  /** How many of its executions may be under way, and what becomes of a start beyond that. */
  concurrency?: { limit: number; onLimit: "queue" | "reject" } | undefined;
  /** Some of it must not be recorded: a secret parameter, a connection, a variable. Without it nothing is looked for. */
  confidential?: boolean | undefined;
  /** The parameters as steps see them, from those that are recorded, whose secrets are sealed. @throws StepError */
  openParameters?: ((executionId: string, recorded: Record<string, unknown>) => OpenParameters) | undefined;
  /** Seals a value (as JSON) that a record must hold until it is handed on to another execution. */
  protect?: ((executionId: string, json: string) => string) | undefined;
  /** Opens what was sealed so, and says where that was. */
  reveal?:
    | ((
        executionId: string,
        parameters: Record<string, unknown>,
      ) => { parameters: Record<string, unknown>; secret: readonly (readonly string[])[] })
    | undefined;
  steps: readonly CompiledStep[];
}

export interface OpenParameters {
  params: Record<string, unknown>;
  secrets: unknown[];
}

export interface CompiledStep {
  id: string;
  key: string;
  name: string;
  type: string;
  /** Answers a boolean; throws when the expression can't be evaluated. */
  when?: ((scope: Scope) => boolean) | undefined;
  /** The input with its expressions evaluated; throws when one can't be. */
  input: (scope: Scope) => unknown;
  /** The global variables that it names, as they are now. @throws StepError */
  vars?: ((executionId: string, signal: AbortSignal) => Promise<Variables>) | undefined;
  /** The connection that it names, as it is now. @throws StepError */
  connection?:
    | ((
        executionId: string,
        signal: AbortSignal,
      ) => Promise<{ connection: StepConnection; secrets: string[] }>)
    | undefined;
  retry: Retry;
  timeoutMs?: number | undefined;
  onError: "fail" | "continue";
}

export interface Variables {
  values: Record<string, unknown>;
  /** Those of the values that must not be seen. */
  secrets: unknown[];
}

/** The names that expressions and scripts see. */
export interface Scope {
  params: Record<string, unknown>;
  steps: Record<string, { output: unknown; status: string }>;
  vars: Record<string, unknown>;
  execution: Record<string, unknown>;
  job: Record<string, unknown>;
}

/** What a start needs; ids and time are the caller's, so that a start can be repeated without starting twice. */
export interface NewExecution {
  id: string;
  workflowId: string;
  jobId: string;
  jobVersion: number;
  jobName: string;
  parameters: Record<string, unknown>;
  triggeredBy: string;
  triggerSource: string | null;
  startedBy: string;
  /** What of the caller is kept besides, as JSON. */
  client?: object | null | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** 0 (last) to 9 (first), among those that wait for a place of the job; 5 when left out. */
  priority?: number | undefined;
  /** The execution whose step started it. */
  parentId?: string | undefined;
  /** 0 for an execution that no step started. */
  depth?: number | undefined;
}

/** A job that a step starts and waits for. */
export interface ChildJob {
  jobId: string;
  parameters: Record<string, unknown>;
}

/** How an execution ended. */
export interface Ending {
  status: Extract<ExecutionStatus, "COMPLETED" | "FAILED" | "STOPPED">;
  endedAt: number;
  error?: ExecutionError | undefined;
  /** Output of the last step that has one. */
  output: unknown;
}

/** One call of a step's code. */
export interface StepCall {
  type: string;
  input: unknown;
  scope: Scope;
  attempt: number;
  signal: AbortSignal;
  idempotencyKey: string;
  connection?: StepConnection | undefined;
  /** Takes the secrets that the execution uses out of a text: for what is cut before it is recorded. */
  mask(text: string): string;
  log(level: LogLine["level"], message: string): void;
  /** As `log`, and seen at once. */
  tell(level: LogLine["level"], message: string): void;
  /** What the step has done so far in this run. */
  checkpoints?: Checkpoints | undefined;
}

/** Records of a step under way: they outlive a crash and the tries of the step, and end with its result. */
export interface Checkpoints {
  load(): Promise<ReadonlyMap<string, unknown>>;
  /** Durable when it resolves; the first value of a key stays. */
  record(key: string, value: unknown): Promise<void>;
}

/**
 * The output; from a step that only waits, with the time at which it will have it; or what somebody is to decide; or the job to
 * run in its place.
 */
export type StepOutcome = { output: unknown; until?: number; decision?: Decision; child?: ChildJob };

/** Runs a step's code; `main.ts` hands the one made of the plugins. */
export type StepRunner = (call: StepCall) => Promise<StepOutcome>;

export interface LogLine {
  at: number;
  level: "debug" | "info" | "warn" | "error";
  message: string;
}

/** What is asked of an execution, by whom, and why. */
export interface ControlRequest {
  executionId: string;
  /** Names the action: asked for again with the same id, it is answered as before and not done twice. Left out: made by the engine. */
  actionId?: string | undefined;
  actor: string;
  reason?: string | undefined;
}

export interface RestartRequest extends ControlRequest {
  /** Id or key of the step to begin with; left out: the failed step, or the first without a result. */
  fromStep?: string | undefined;
  /** The version to run from there on; left out: the one that it ran. */
  jobVersion?: number | undefined;
  /** Checked by the version's schema; left out: those that it had. */
  parameters?: Record<string, unknown> | undefined;
}

/** What somebody decided about an execution that waits for it. Whether they may is checked with what the step says. */
export interface DecisionRequest extends ControlRequest {
  approve: boolean;
  /** The question that was looked at (`stepExecutionId`): another one is not answered by this. */
  stepExecutionId?: string | undefined;
  /** Answers to the step's form. */
  answers?: Record<string, unknown> | undefined;
}

/** What a step that waits for a decision asks. */
export interface Decision {
  message: string;
  /** JSON Schema of the answers. */
  form?: Record<string, unknown> | undefined;
  /** Who may decide: holders of one of the authorities, or principals by name; both left out: whoever may approve at all. */
  authorities?: string[] | undefined;
  principals?: string[] | undefined;
  /** Milliseconds since the epoch. */
  deadline?: number | undefined;
  onDeadline?: "approve" | "reject" | "fail" | undefined;
}

/** A change that those who watch are told of. */
export interface EngineEvent {
  executionId: string;
  jobId: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Of the execution; or, where a step is named, of that step. */
  status: ExecutionStatus | StepStatus;
  step?: { id: string; key: string; attempt: number } | undefined;
}

/** The status that an action led to. */
export interface ControlOutcome {
  status: ExecutionStatus;
  /** Milliseconds since the epoch: when it was done. */
  at: number;
  /** The step restarted from. */
  step?: { id: string; key: string; name: string } | undefined;
  workflowId?: string | undefined;
}

/** Runs executions durably. The embedded engine is one; every engine passes test/conformance. */
export interface Engine {
  /**
   * Resolves once the start is durable, to false if it was not made because `jobVersion` is no longer current or the id
   * is taken.
   * @throws ApiError OVERLOADED, STORE_UNAVAILABLE, CONFLICT (the job's limit is reached, and it refuses what is beyond)
   */
  start(execution: NewExecution): Promise<boolean>;
  /** Calls back once when the execution ends. Answers how to stop watching. Says nothing of one that has ended before. */
  watch(executionId: string, onEnd: (ending: Ending) => void): () => void;
  /** Nothing further starts; the step under way finishes. `resumeAt`: resumed then, unless somebody was first. */
  pause(request: ControlRequest & { resumeAt?: number | undefined }): Promise<ControlOutcome>;
  resume(request: ControlRequest): Promise<ControlOutcome>;
  /** Ends the execution now: the step under way is aborted, and what it answers later is discarded. */
  stop(request: ControlRequest): Promise<ControlOutcome>;
  /** Runs a FAILED or STOPPED execution again from a step on; the results before it are kept. */
  restart(request: RestartRequest): Promise<ControlOutcome>;
  /** Approves or rejects an execution that waits for a decision. */
  decide(request: DecisionRequest): Promise<ControlOutcome>;
  /**
   * Tells of every change of status from now on. Answers how to stop.
   * @param onGap called when changes may have been missed, since the executions ran elsewhere or the connection was lost
   */
  subscribe(listener: (event: EngineEvent) => void, onGap?: () => void): () => void;
  /** From now on no new step begins; what is accepted waits for the next start. */
  drain(): void;
  /** Stops beginning steps, lets those under way finish for so long, aborts the rest; all of it can be resumed. */
  close(graceMs: number): Promise<void>;
  /** Throws when the engine can't take work. */
  check(): void;
  stats(): { running: number; queued: number };
}
