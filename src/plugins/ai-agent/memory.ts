import type { StepCheckpoints } from "../plugin.ts";
import type { ModelAnswer } from "./ask.ts";

/** What came of a call. */
export interface CallResult {
  result: string;
  isError: boolean;
  durationMs: number;
}

export type Turn = ModelAnswer & { durationMs: number };

/**
 * What the agent has done, kept while it goes on: each answer of the model and each result of a call before anything follows from
 * it. A try that comes after a crash finds them, and begins where that one ended.
 */
export interface Memory {
  turn(turn: number): Turn | undefined;
  keepTurn(turn: number, value: Turn): Promise<void>;
  result(turn: number, call: number): CallResult | undefined;
  keepResult(turn: number, call: number, value: CallResult): Promise<void>;
  /** A call was begun, and nothing is known of its end: the process died, or was cut off from the server. */
  wasBegun(turn: number, call: number): boolean;
  keepBegun(turn: number, call: number): Promise<void>;
}

export async function openMemory(checkpoints: StepCheckpoints | undefined): Promise<Memory> {
  const kept = new Map(await checkpoints?.load());
  const keep = async (key: string, value: unknown) => {
    await checkpoints?.record(key, value);
    kept.set(key, value);
  };
  return {
    turn: (turn) => kept.get(`turn ${turn}`) as Turn | undefined,
    keepTurn: (turn, value) => keep(`turn ${turn}`, value),
    result: (turn, call) => kept.get(`result ${turn}.${call}`) as CallResult | undefined,
    keepResult: (turn, call, value) => keep(`result ${turn}.${call}`, value),
    wasBegun: (turn, call) => kept.has(`begun ${turn}.${call}`),
    keepBegun: (turn, call) => keep(`begun ${turn}.${call}`, true),
  };
}
