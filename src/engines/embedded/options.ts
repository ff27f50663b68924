import type pg from "pg";
import type { CompiledJob, StepRunner } from "../../engine/engine.ts";
import type { RunLimits } from "../../engine/loop.ts";
import type { CheckpointSeal } from "./checkpoints.ts";
import type { StartableChild } from "./children.ts";
import type { Ownership } from "./ownership.ts";

/** What the embedded engine is handed. */
export interface EmbeddedOptions {
  pool: pg.Pool;
  /** Of the same database: the journal has connections of its own. */
  url: string;
  ownership: Ownership;
  /** The definition that an execution started with; undefined if it can't be had any more. */
  loadJob(jobId: string, version: number): Promise<CompiledJob | undefined>;
  runStep: StepRunner;
  limits: RunLimits;
  /** Executions whose steps run at a time; others that were accepted wait for a place. */
  maxRunning: number;
  maxQueued: number;
  log: {
    info(o: object, m: string): void;
    warn(o: object, m: string): void;
    error(o: object, m: string): void;
  };
  /** The current version of a job that a step starts; undefined when there is none. */
  findJob(jobId: string): Promise<(CompiledJob & StartableChild) | undefined>;
  /** Seals what a step under way records for itself. Without it no step has such records. */
  protect?: CheckpointSeal | undefined;
  /** Another process runs the executions now; this one can't go on. */
  onFenced(): void;
}
