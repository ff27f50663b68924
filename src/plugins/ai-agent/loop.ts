import type { ModelMessage } from "ai";
import { StepError } from "../../lib/step-error.ts";
import { shapeOf } from "./answer.ts";
import { type Calling, callTool } from "./call-tool.ts";
import { type AgentInput, type AgentOutput, limitDefaults } from "./input.ts";
import type { CallResult, Turn } from "./memory.ts";
import { type AskedCall, askModel, type ModelCall } from "./model.ts";

export interface LoopOptions extends Calling {
  input: AgentInput;
  model: ModelCall["model"];
  refused: string[];
}

type ShownTurn = AgentOutput["turns"][number];

/** Turn after turn: asks the model, makes the calls it asks for, one after another, and goes on until it asks for none. */
export async function runAgent(options: LoopOptions): Promise<AgentOutput> {
  const { input, memory, masker, signal, log } = options;
  const limits = { ...limitDefaults, ...input.limits };
  const shape = input.outputSchema && shapeOf(input.outputSchema);
  const system = [input.system, shape?.instructions].filter((text) => text !== undefined).join("\n\n");
  const messages: ModelMessage[] = [{ role: "user", content: input.prompt }];
  const turns: ShownTurn[] = [];
  let tokens = 0;
  let calls = 0;

  for (let turn = 1; turn <= limits.maxTurns; turn++) {
    const known = memory.turn(turn);
    if (known) log("info", `Turn ${turn} is known from before.`);
    const answer = known ?? (await ask(turn));
    tokens += answer.tokens;
    const shown: ShownTurn = {
      text: answer.text,
      finishReason: answer.finishReason,
      tokens: answer.tokens,
      durationMs: answer.durationMs,
      toolCalls: [],
    };
    turns.push(shown);
    if (answer.calls.length === 0) {
      const read = shape?.read(answer.text);
      if (!read || "object" in read) {
        return {
          text: answer.text,
          object: read ? read.object : null,
          turns,
          tokens,
          refusedTools: options.refused,
        };
      }
      log("warn", `The answer does not fit outputSchema: ${read.fault}`);
      messages.push(
        { role: "assistant", content: answer.text },
        {
          role: "user",
          content: `Your answer does not fit the JSON Schema. ${read.fault} Answer again, with the JSON object only.`,
        },
      );
    } else {
      calls += answer.calls.length;
      if (calls > limits.maxToolCalls) throw beyond("maxToolCalls", limits.maxToolCalls, "calls of tools");
      const results: CallResult[] = [];
      for (const [i, asked] of answer.calls.entries()) {
        const result = await callTool(options, [turn, i], asked);
        results.push(result);
        shown.toolCalls.push(shownCall(asked, result));
      }
      messages.push(...exchange(answer, results));
    }
    if (tokens > limits.maxTokens) throw beyond("maxTokens", limits.maxTokens, "tokens");
  }
  throw beyond("maxTurns", limits.maxTurns, "turns");

  async function ask(turn: number): Promise<Turn> {
    const since = performance.now();
    const answer = await askModel({
      model: options.model,
      system: system === "" ? undefined : system,
      messages,
      tools: options.tools,
      temperature: input.temperature,
      maxOutputTokens: limits.maxOutputTokens,
      signal,
    });
    const durationMs = Math.round(performance.now() - since);
    const wanted = answer.calls.map(({ name }) => name).join(", ");
    log(
      "info",
      `Turn ${turn} took ${durationMs} ms and ${answer.tokens} tokens${wanted && `; it calls ${wanted}`}.`,
    );
    const value = masker.value({ ...answer, durationMs });
    await memory.keepTurn(turn, value);
    return value;
  }

  function shownCall({ name, input }: AskedCall, result: CallResult): ShownTurn["toolCalls"][number] {
    const found = options.tools.get(name);
    return {
      server: found?.session.server.name ?? null,
      tool: found?.tool.name ?? name,
      arguments: input,
      ...result,
    };
  }
}

/** What the model is shown of a turn: its own words and calls, and what came of them. */
function exchange({ text, calls }: Turn, results: CallResult[]): ModelMessage[] {
  return [
    {
      role: "assistant",
      content: [
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ...calls.map(({ id, name, input }) => ({
          type: "tool-call" as const,
          toolCallId: id,
          toolName: name,
          input: typeof input === "object" && input !== null ? input : {},
        })),
      ],
    },
    {
      role: "tool",
      content: calls.map(({ id, name }, i) => ({
        type: "tool-result" as const,
        toolCallId: id,
        toolName: name,
        output: {
          type: results[i]!.isError ? ("error-text" as const) : ("text" as const),
          value: results[i]!.result,
        },
      })),
    },
  ];
}

function beyond(limit: string, value: number, what: string): StepError {
  const message = `The agent has not come to an end within ${value} ${what} (limits.${limit}). The step's log says what it did.`;
  return new StepError("AGENT_LIMIT", message, { retryable: false });
}
