import type pg from "pg";
import type {
  ControlRequest,
  DecisionRequest,
  Engine,
  NewExecution,
  RestartRequest,
} from "../../engine/engine.ts";
import { wasStarted } from "./request-store.ts";

/** What a process can hand over to the one that runs the executions. */
interface Calls {
  start: NewExecution;
  pause: ControlRequest & { resumeAt?: number | undefined };
  resume: ControlRequest;
  stop: ControlRequest;
  restart: RestartRequest;
  decide: DecisionRequest;
}

export type CallKind = keyof Calls;

export interface EngineCall {
  kind: CallKind;
  given: Calls[CallKind];
  /** Its caller waits for the end of the execution that it starts. */
  watched?: boolean | undefined;
}

/** Does what was asked. `again`: it may have been done before, by this process or another, and must not be done twice. */
export async function perform(
  engine: Engine,
  pool: pg.Pool,
  call: EngineCall,
  again: boolean,
): Promise<unknown> {
  if (call.kind === "start") {
    const execution = call.given as NewExecution;
    if (await engine.start(execution)) return true;
    return again && (await wasStarted(pool, execution.id, execution.workflowId));
  }
  // Each action finds by its actionId whether it was done.
  return (engine[call.kind] as (given: unknown) => Promise<unknown>)(call.given);
}
