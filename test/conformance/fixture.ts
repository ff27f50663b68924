import type { ExecutionStatus } from "../../src/contract/execution.ts";
import type { CompiledJob, CompiledStep, Engine, NewExecution, StepRunner } from "../../src/engine/engine.ts";

/** A step of a job of the suite: its code is a function of the test. */
export type CodeStep = Partial<CompiledStep> & { run: StepRunner };

/** What the history keeps of an action. */
export interface KeptAction {
  action: string;
  actor: string;
  reason: string | null;
  from: ExecutionStatus;
  to: ExecutionStatus;
}

/** A recorded result; `output` as JSON, exactly as it is stored. */
export interface KeptResult {
  run: number;
  position: number;
  status: string;
  attempts: number;
  output: string | null;
  error: string | null;
}

/** What an execution's record says of itself. */
export interface KeptExecution {
  status: ExecutionStatus;
  run: number;
  workflowId: string;
  /** Whether it has a time at which it ended, and a reason it failed or was stopped for. */
  ended: boolean;
  error: string | null;
  /** It is not over: the engine will look after it. */
  live: boolean;
  /** A step waits for a retry or a time. */
  parked: boolean;
  /** It is held while a step finishes. */
  draining: boolean;
  /** The attempts that restarts have closed, oldest first. */
  earlier: { run: number; workflowId: string; status: ExecutionStatus }[];
}

/** Figures of a job's summary. */
export interface Counts {
  started: number;
  completed: number;
  failed: number;
  stopped: number;
}

/** An engine's own store for the suite. What an engine has to offer to be held to its promises. */
export interface EngineFixture {
  /** Opens the engine on the fixture's store; what an earlier one left unfinished goes on. One is open at a time. */
  open(): Promise<Engine>;
  /** Closes it without grace: code that runs is let go of. */
  close(engine: Engine): Promise<void>;
  jobOf(...steps: CodeStep[]): Promise<CompiledJob>;
  executionOf(job: CompiledJob): NewExecution;
  /** Undefined where there is no such execution. */
  find(id: string): Promise<KeptExecution | undefined>;
  resultsOf(id: string): Promise<KeptResult[]>;
  actionsOf(id: string): Promise<KeptAction[]>;
  /** As the summary has them, and counted anew from the executions. */
  countsOf(jobId: string): Promise<{ kept: Counts; recount: Counts }>;
  dispose(): Promise<void>;
}
