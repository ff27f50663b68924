import type { Static, TSchema } from "typebox";
import type { ConnectionType, StepConnection } from "../contract/connection.ts";

/** What a step may read besides its own input: the same names that expressions see. */
export interface StepScope {
  params: Readonly<Record<string, unknown>>;
  steps: Readonly<Record<string, { output: unknown; status: string }>>;
  vars: Readonly<Record<string, unknown>>;
  execution: Readonly<Record<string, unknown>>;
  job: Readonly<Record<string, unknown>>;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a running step is handed: its checked input, and the few things it may do. */
export interface StepContext<Input> {
  input: Input;
  scope: StepScope;
  /** Aborted on stop, timeout and shutdown; its reason says which. What goes on for 5 s more is abandoned: nothing comes of it. */
  signal: AbortSignal;
  /** The same for every try of this step in this attempt group: pass it on where the target knows such keys. */
  idempotencyKey: string;
  /** 1 for the first try. */
  attempt: number;
  /** The connection that the step names, decrypted: one of `connectionTypes`. */
  connection?: StepConnection | undefined;
  /** Takes secrets out of a text. All that the step answers is masked; this is for what it cuts before. */
  mask(text: string): string;
  /** Writes a line to the step's log, which is seen when the try is over. */
  log(level: LogLevel, message: string): void;
  /** The same, seen while the step goes on. A line for itself: of a secret that goes on in another line nothing would be masked. */
  tell(level: LogLevel, message: string): void;
  /** What this step has done so far, for one that does several things of which none is to be done twice. */
  checkpoints?: StepCheckpoints | undefined;
}

/** Records of a step under way. They outlive a crash and the tries of the step, and end with its result. */
export interface StepCheckpoints {
  /** What was recorded before, by its key. */
  load(): Promise<ReadonlyMap<string, unknown>>;
  /** Durable when it resolves. A key is recorded once: what comes later is not kept. Without secrets: nothing masks it. */
  record(key: string, value: unknown): Promise<void>;
}

/** Returned by a step that has nothing to do until a time: it is parked, and completes then with this output. */
export class Parked {
  readonly until: number;
  readonly output: unknown;
  /** @param until milliseconds since the epoch */
  constructor(until: number, output: unknown) {
    this.until = until;
    this.output = output;
  }
}

/** Returned by a step that starts another job and waits for its end. */
export class StartsJob {
  readonly jobId: string;
  readonly parameters: Record<string, unknown>;
  constructor(jobId: string, parameters: Record<string, unknown>) {
    this.jobId = jobId;
    this.parameters = parameters;
  }
}

/** Returned by a step that asks a person: the execution is PAUSED until somebody decides. */
export class AskedForDecision {
  readonly decision: DecisionAsked;
  constructor(decision: DecisionAsked) {
    this.decision = decision;
  }
}

export interface DecisionAsked {
  message: string;
  /** JSON Schema of the answers. */
  form?: Record<string, unknown> | undefined;
  authorities?: string[] | undefined;
  principals?: string[] | undefined;
  /** Milliseconds since the epoch. */
  deadline?: number | undefined;
  onDeadline?: "approve" | "reject" | "fail" | undefined;
}

/** A record that an input names, of the configuration service or the registry of MCP servers. */
export interface ResourceReference {
  kind: "certificate" | "dataset" | "file" | "apiTemplate" | "mcpServer";
  /** Who saves the job must hold the authority for it: the job hands it on to all who may run it. */
  access: "read" | "upsert";
  /** Id or name. Left out: it is known when the step runs, or need not be there before. */
  name?: string | undefined;
  /** JSON pointer into the input. */
  path: string;
}

/**
 * A step type. One more type is one more folder in `plugins/` and one more line in `plugins/all.ts`.
 * `run` answers the output (anything JSON can hold, up to the output limit), or `Parked`, `AskedForDecision` or `StartsJob`; it throws
 * `StepError`.
 */
export interface StepType<I extends TSchema = TSchema> {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of `input`. Checked at save as far as it is literal, and again, rendered, before each run. */
  input: I;
  /** JSON Schema of the output, for people and for editors. */
  output: TSchema;
  run(context: StepContext<Static<I>>): Promise<unknown>;
  /** Input fields whose strings are not templates: code in another language, which would break on `{{`. */
  verbatim?: readonly string[];
  /** Types of the connections that it can use; left out: it uses none. */
  connectionTypes?: readonly ConnectionType[];
  /** It can't run without one. */
  connectionRequired?: boolean;
  /** Global variables that code in its input names: the expressions of the input are looked at anyway. */
  variables?(input: Record<string, unknown>): string[];
  /** What the input names besides its connection and variables. */
  references?(input: Record<string, unknown>): ResourceReference[];
  /**
   * Faults that the schema can't express, found at save; strings of `input` may still hold templates. Await it: code in
   * another language is parsed in the sandbox, never in this process.
   */
  check?(input: Record<string, unknown>, more?: { connected: boolean }): InputFault[] | Promise<InputFault[]>;
}

/** JSON pointer into the input, and a sentence. */
export interface InputFault {
  path: string;
  message: string;
}

/** Keeps the input's type while the list of all types forgets it. */
export function defineStepType<I extends TSchema>(type: StepType<I>): StepType {
  return type as unknown as StepType;
}
