import type { ModelMessage } from "ai";

/** A tool as the model is told of it. */
export interface OfferedTool {
  description: string;
  inputSchema: Record<string, unknown>;
}

export interface AskedCall {
  id: string;
  name: string;
  /** As text where it is not JSON. */
  input: unknown;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** The endpoint did not say. */
  estimated: boolean;
}

/** One answer of the model. */
export interface ModelAnswer {
  text: string;
  calls: AskedCall[];
  finishReason: string;
  usage: Usage;
}

export interface ModelCall {
  system: string | undefined;
  messages: ModelMessage[];
  tools: ReadonlyMap<string, OfferedTool>;
  temperature: number | undefined;
  maxOutputTokens: number | undefined;
  signal: AbortSignal;
}

/** Asks the model once. @throws StepError MODEL_FAILED */
export type Ask = (call: ModelCall) => Promise<ModelAnswer>;
