import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  RetryError,
  tool,
} from "ai";
import type { StepConnection } from "../../contract/connection.ts";
import type { Dialer } from "../../lib/dialer.ts";
import { guardedFetch } from "../../lib/dialer-fetch.ts";
import { cleanText } from "../../lib/mcp/clean-text.ts";
import { StepError } from "../../lib/step-error.ts";

// The library writes its warnings to the console, which is not its to write to.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

const answerBytes = 8 * 1024 * 1024;
/** The library's own tries of a call that the endpoint refuses for now. */
const maxRetries = 2;

/** The model that a `rest-api` connection leads to: its base URL is that of an OpenAI-compatible API. */
export function modelOf(connection: StepConnection, name: string, dialer: Dialer): LanguageModel {
  const { baseUrl = "", authType = "bearer", token, headers } = connection.variables;
  const authorization: Record<string, Record<string, string>> = {
    none: {},
    bearer: { authorization: `Bearer ${token}` },
    basic: { authorization: `Basic ${Buffer.from(token ?? "").toString("base64")}` },
    apiKey: { "x-api-key": token ?? "" },
  };
  const provider = createOpenAICompatible({
    name: "endpoint",
    baseURL: baseUrl.replace(/\/+$/, ""),
    headers: { ...(token ? authorization[authType] : {}), ...ownHeaders(headers) },
    fetch: guardedFetch(dialer, { maxResponseBytes: answerBytes }),
  });
  return provider.chatModel(name);
}

function ownHeaders(text: string | undefined): Record<string, string> {
  if (!text) return {};
  try {
    const given = JSON.parse(text) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
  } catch {
    throw new StepError("INVALID_INPUT", "The headers of the connection are not a JSON object.", {
      retryable: false,
    });
  }
}

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

/** One answer of the model. */
export interface ModelAnswer {
  text: string;
  calls: AskedCall[];
  finishReason: string;
  tokens: number;
}

export interface ModelCall {
  model: LanguageModel;
  system: string | undefined;
  messages: ModelMessage[];
  tools: ReadonlyMap<string, OfferedTool>;
  temperature: number | undefined;
  maxOutputTokens: number | undefined;
  signal: AbortSignal;
}

/** Asks the model once. @throws StepError MODEL_FAILED */
export async function askModel(call: ModelCall): Promise<ModelAnswer> {
  const tools = Object.fromEntries(
    [...call.tools].map(([name, { description, inputSchema }]) => [
      name,
      // Not checked here: the schema is a stranger's, and the tool's own server checks what it is sent.
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
  try {
    const { text, toolCalls, finishReason, usage } = await generateText({
      model: call.model,
      messages: call.messages,
      tools,
      maxRetries,
      abortSignal: call.signal,
      ...(call.system === undefined ? {} : { instructions: call.system }),
      ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
      ...(call.maxOutputTokens === undefined ? {} : { maxOutputTokens: call.maxOutputTokens }),
    });
    return {
      text,
      calls: toolCalls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, input })),
      finishReason,
      tokens: usage.totalTokens || estimate(call.messages, text),
    };
  } catch (error) {
    throw call.signal.aborted ? call.signal.reason : modelFault(error);
  }
}

/** Four characters a token: far from exact, but a limit that holds. */
function estimate(messages: ModelMessage[], text: string): number {
  return Math.ceil((JSON.stringify(messages).length + text.length) / 4);
}

function modelFault(error: unknown): unknown {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (last instanceof StepError) return last;
  if (APICallError.isInstance(last)) {
    if (last.cause instanceof StepError) return last.cause;
    const { statusCode, isRetryable } = last;
    const said = cleanText(last.message).replace(/\s+/g, " ").slice(0, 300);
    const status = statusCode === undefined ? "" : ` (HTTP ${statusCode})`;
    return new StepError("MODEL_FAILED", `The model's endpoint refused${status}: ${said}`, {
      retryable: isRetryable,
      cause: error,
    });
  }
  const said = cleanText(last instanceof Error ? last.message : String(last)).slice(0, 300);
  return new StepError(
    "MODEL_FAILED",
    `The model's endpoint did not answer as an OpenAI-compatible one does: ${said}`,
    {
      cause: error,
    },
  );
}
