import type { AssistantClient } from "../contract/bridge.ts";
import type { ExecutionError, ExecutionStatus, StepStatus } from "../contract/execution.ts";
import type { Decision } from "../engine/engine.ts";

export interface ExecutionRow {
  id: string;
  job_id: string;
  job_version: number;
  job_name: string;
  workflow_id: string;
  run: number;
  from_position: number;
  /** Null: `started_at`. */
  run_started_at: Date | null;
  /** Of the present run, pauses that are over. */
  paused_ms: number;
  status: ExecutionStatus;
  triggered_by: string;
  trigger_source: string | null;
  started_by: string;
  client: AssistantClient | null;
  parameters: Record<string, unknown>;
  started_at: Date;
  ended_at: Date | null;
  error: ExecutionError | null;
}

/** An earlier attempt, as the restart after it left it. */
export interface RunRow {
  run: number;
  workflow_id: string;
  job_version: number;
  from_position: number;
  status: ExecutionStatus;
  started_at: Date;
  ended_at: Date;
  paused_ms: number;
  parameters: Record<string, unknown>;
  error: ExecutionError | null;
}

export interface ActionRow {
  run: number;
  action: string;
  actor: string;
  reason: string | null;
  at: Date;
  from_status: ExecutionStatus;
  to_status: ExecutionStatus;
}

export interface StepResultRow {
  id: string;
  run: number;
  position: number;
  status: StepStatus;
  attempts: number;
  started_at: Date;
  ended_at: Date;
  output: unknown;
  error: ExecutionError | null;
}

/** What a try of a step logged, the engine's own lines included: when it first and last spoke, and its last words. */
export interface TryRow {
  position: number;
  attempt: number;
  first_at: Date;
  last_at: Date;
  message: string;
}

export interface LiveRow {
  position: number | null;
  attempts: number;
  step_started: Date | null;
  due_at: Date | null;
  parked: ParkedStep | null;
  held: "pause" | "decision" | null;
  held_at: Date | null;
  draining: boolean;
  /** For a place among the executions of its job that are under way at a time. */
  waiting: boolean;
  act_at: Date | null;
}

/** What the step under way waits for. */
export type ParkedStep =
  | { kind: "retry"; error?: ExecutionError }
  | { kind: "timer" }
  /** For the execution that the step started. */
  | { kind: "child"; childId: string }
  | { kind: "decision"; decision: Decision };

/** A step as the definition that the execution started with has it. */
export interface DefinedStep {
  id: string;
  key: string;
  name?: string;
  type: string;
}

export interface ExecutionDetail {
  /** As the attempt that was asked for has it. */
  execution: ExecutionRow;
  /** As it is now. */
  latest: ExecutionRow;
  steps: DefinedStep[];
  /** Those in force for that attempt. */
  results: StepResultRow[];
  /** Of those results and of the step under way that were tried more than once, the tries that are over. */
  tries: TryRow[];
  live: LiveRow | undefined;
  /** Attempts that are over, the earliest first. */
  earlier: RunRow[];
  actions: ActionRow[];
  /** Steps by job version, for attempts that ran another than this one. */
  stepsOf: ReadonlyMap<number, DefinedStep[]>;
  /** How many executions of the job may be under way, if that is limited. */
  limit: number | undefined;
}

/** What the rights of a principal are compared with. */
export interface JobRights {
  id: string;
  collectionId: string | null;
  tags: string[];
  /** To assistants. */
  exposed: boolean;
}

export interface HistoryQuery {
  sortField: "startTime" | "endTime" | "durationMs" | "status" | "triggeredBy" | "id";
  sortDirection: "asc" | "desc";
  page: number;
  size: number;
}

export interface CounterSums {
  started: number;
  completed: number;
  failed: number;
  stopped: number;
  duration_ms: number;
  min_ms: number | null;
  max_ms: number | null;
  /** Restarts that took the shortest or the longest out, and how many of them are made good. */
  lost: number;
  found: number;
}
