import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, jsonSchema, type LanguageModelUsage, RetryError, tool } from "ai";
import type { StepConnection } from "../../contract/connection.ts";
import type { Dialer } from "../../lib/dialer.ts";
import { guardedFetch } from "../../lib/dialer-fetch.ts";
import { cleanText } from "../../lib/mcp/clean-text.ts";
import { restApi } from "../../lib/rest-api.ts";
import { StepError } from "../../lib/step-error.ts";
import type { Ask, ModelCall, Usage } from "./ask.ts";

// The library writes its warnings to the console, which is not its to write to.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

const answerBytes = 4 * 1024 * 1024;
/** The library's own tries of a call that the endpoint refuses for now. */
const maxRetries = 2;

/**
 * Asks a model at the OpenAI-compatible API that a `rest-api` connection leads to.
 * @throws StepError INVALID_INPUT, when the connection makes no sense
 */
export function askerOf(connection: StepConnection, name: string, dialer: Dialer): Ask {
  const { base, credentials } = restApi(connection.variables);
  const provider = createOpenAICompatible({
    name: "endpoint",
    baseURL: `${base.origin}${base.pathname.replace(/\/+$/, "")}`,
    queryParams: Object.fromEntries(base.searchParams),
    headers: credentials,
    fetch: guardedFetch(dialer, { maxResponseBytes: answerBytes }),
  });
  const model = provider.chatModel(name);

  return async (call) => {
    try {
      const { text, toolCalls, finishReason, usage } = await generateText({
        model,
        messages: call.messages,
        tools: offered(call.tools),
        maxRetries,
        abortSignal: call.signal,
        ...(call.system === undefined ? {} : { instructions: call.system }),
        ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
        ...(call.maxOutputTokens === undefined ? {} : { maxOutputTokens: call.maxOutputTokens }),
      });
      const calls = toolCalls.map(({ toolCallId, toolName, input }) => ({
        id: toolCallId,
        name: toolName,
        input: input as unknown,
      }));
      return { text, calls, finishReason, usage: usageOf(usage, call, text + JSON.stringify(calls)) };
    } catch (error) {
      throw call.signal.aborted ? call.signal.reason : modelFault(error);
    }
  };
}

function offered(tools: ModelCall["tools"]) {
  return Object.fromEntries(
    [...tools].map(([name, { description, inputSchema }]) => [
      name,
      // Not checked here: the schema is a stranger's, and the tool's own server checks what it is sent.
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
}

/** What the endpoint says; where it says nothing, four characters a token: far from exact, but a limit that holds. */
function usageOf(said: LanguageModelUsage, { messages, system = "" }: ModelCall, answer: string): Usage {
  const { inputTokens, outputTokens } = said;
  if (inputTokens !== undefined && outputTokens !== undefined && inputTokens + outputTokens > 0) {
    return { inputTokens, outputTokens, estimated: false };
  }
  const tokens = (characters: number) => Math.ceil(characters / 4);
  return {
    inputTokens: tokens(JSON.stringify(messages).length + system.length),
    outputTokens: tokens(answer.length),
    estimated: true,
  };
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
    });
  }
  const said = cleanText(last instanceof Error ? last.message : String(last)).slice(0, 300);
  const message = `The model's endpoint did not answer as an OpenAI-compatible one does: ${said}`;
  return new StepError("MODEL_FAILED", message);
}
