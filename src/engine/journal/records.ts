import type { LogLine, NewExecution } from "../engine.ts";
import type { StepRecord } from "../loop.ts";

/** An execution begins. Answers whether it was made: not when its job version is out of date or its id is taken. */
export interface StartRecord {
  kind: "start";
  execution: NewExecution;
  parametersJson: string;
  deadline: number | undefined;
  /** It waits for a place of its job. */
  waiting: boolean;
}

/** A step got a result (perhaps the last of its execution), or waits for a retry or a timer. */
export interface StepRow {
  kind: "step";
  executionId: string;
  run: number;
  position: number;
  attempt: number;
  /** Of the step execution. */
  id: string;
  stepId: string;
  stepKey: string;
  record: RowRecord;
}

/** Lines of a step that goes on. */
export interface LogRows {
  kind: "log";
  executionId: string;
  run: number;
  position: number;
  attempt: number;
  lines: LogLine[];
  /** Number of the first. */
  from: number;
}

/** What a row of the journal holds. A decision is asked for in a turn of its own, since it changes the execution's status. */
export type RowRecord = Exclude<StepRecord, { kind: "decision" }>;

export type JournalRecord = StartRecord | StepRow | LogRows;

/** Which execution a record belongs to: all records of one execution go through one lane, in order. */
export function executionOf(record: JournalRecord): string {
  return record.kind === "start" ? record.execution.id : record.executionId;
}
