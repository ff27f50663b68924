import type { StepConnection } from "../../src/contract/connection.ts";
import type { LogLevel, StepScope, StepType } from "../../src/plugins/plugin.ts";

export interface StepCall {
  input: unknown;
  scope?: Partial<StepScope>;
  signal?: AbortSignal;
  idempotencyKey?: string;
  connection?: StepConnection;
  mask?(text: string): string;
  log?(level: LogLevel, message: string): void;
}

/** Runs a step type as the engine would, but alone. */
export function runStep(type: StepType, call: StepCall): Promise<unknown> {
  return type.run({
    scope: { params: {}, steps: {}, vars: {}, execution: {}, job: {}, ...call.scope },
    signal: call.signal ?? new AbortController().signal,
    idempotencyKey: call.idempotencyKey ?? "execution/step/1",
    attempt: 1,
    connection: call.connection,
    mask: call.mask ?? ((text) => text),
    log: call.log ?? (() => {}),
    tell: call.log ?? (() => {}),
    input: call.input as never,
  });
}
