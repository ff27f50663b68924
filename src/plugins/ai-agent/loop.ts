import type { ModelMessage } from "ai";
import { StepError } from "../../lib/step-error.ts";
import { shapeOf } from "./answer.ts";
import type { Ask, AskedCall } from "./ask.ts";
import { type Calling, callTool } from "./call-tool.ts";
import { type AgentInput, type AgentOutput, limitDefaults } from "./input.ts";
import type { CallResult, Turn } from "./memory.ts";

export interface LoopOptions extends Calling {
  input: AgentInput;
  ask: Ask;
  refused: string[];
}

type ShownTurn = AgentOutput["turns"][number];

/** Of the texts and the calls of one turn, as JSON: each is kept, shown, and sent again with every turn that follows. */
const turnBytes = 256 * 1024;

/** Turn after turn: asks the model, makes the calls it asks for, one after another, and goes on until it asks for none. */
export async function runAgent(options: LoopOptions): Promise<AgentOutput> {
  const { input, memory, masker, signal, log } = options;
  const limits = { ...limitDefaults, ...input.limits };
  const shape = input.outputSchema && shapeOf(input.outputSchema);
  const system = [input.system, shape?.instructions].filter((text) => text !== undefined).join("\n\n");
  const messages: ModelMessage[] = [{ role: "user", content: input.prompt }];
  const turns: ShownTurn[] = [];
  const usage = { inputTokens: 0, outputTokens: 0, estimated: false };
  let calls = 0;

  for (let turn = 1; turn <= limits.maxTurns; turn++) {
    const known = memory.turn(turn);
    if (known) log("info", `Turn ${turn} is known from before.`);
    const answer = known ?? (await ask(turn));
    usage.inputTokens += answer.usage.inputTokens;
    usage.outputTokens += answer.usage.outputTokens;
    usage.estimated ||= answer.usage.estimated;
    const { calls: asked, ...rest } = answer;
    const shown: ShownTurn = { ...rest, toolCalls: [] };
    turns.push(shown);
    if (asked.length === 0) {
      const read = shape?.read(answer.text);
      if (!read || "object" in read) {
        const object = read ? read.object : null;
        return { text: answer.text, object, turns, usage, refusedTools: options.refused };
      }
      log("warn", `The answer does not fit outputSchema: ${read.fault}`);
    }
    // Before anything more is done: what is beyond a limit has no effects.
    const tokens = usage.inputTokens + usage.outputTokens;
    if (tokens > limits.maxTokens) throw beyond("maxTokens", limits.maxTokens, "tokens");
    calls += asked.length;
    if (calls > limits.maxToolCalls) throw beyond("maxToolCalls", limits.maxToolCalls, "calls of tools");
    const results: CallResult[] = [];
    for (const [i, call] of asked.entries()) {
      const result = await callTool(options, [turn, i], call);
      results.push(result);
      shown.toolCalls.push(shownCall(call, result));
    }
    messages.push(...(asked.length > 0 ? exchange(answer, results) : again(answer.text)));
  }
  throw beyond("maxTurns", limits.maxTurns, "turns");

  function again(text: string): ModelMessage[] {
    const read = shape!.read(text);
    const fault = "fault" in read ? read.fault : "";
    const content = `Your answer does not fit the JSON Schema. ${fault} Answer again, with the JSON object only.`;
    return [
      { role: "assistant", content: text },
      { role: "user", content },
    ];
  }

  async function ask(turn: number): Promise<Turn> {
    const since = performance.now();
    const { temperature } = input;
    const { maxOutputTokens } = limits;
    const answer = await options.ask({
      system: system === "" ? undefined : system,
      messages,
      tools: options.tools,
      temperature,
      maxOutputTokens,
      signal,
    });
    const bytes = Buffer.byteLength(JSON.stringify([answer.text, answer.calls]));
    if (bytes > turnBytes) throw tooMuch(turn, bytes);
    const durationMs = Math.round(performance.now() - since);
    const wanted = answer.calls.map(({ name }) => name).join(", ");
    const { inputTokens, outputTokens } = answer.usage;
    log(
      "info",
      `Turn ${turn} took ${durationMs} ms and ${inputTokens} + ${outputTokens} tokens${wanted && `; it calls ${wanted}`}.`,
    );
    const value = masker.value({ ...answer, durationMs });
    await memory.keepTurn(turn, value);
    return value;
  }

  function shownCall({ name, input }: AskedCall, result: CallResult): ShownTurn["toolCalls"][number] {
    const found = options.tools.get(name);
    const server = found?.session.server.name ?? null;
    return { server, tool: found?.tool.name ?? name, arguments: input, ...result };
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

function tooMuch(turn: number, bytes: number): StepError {
  const message = `The model's answer in turn ${turn} has ${bytes} bytes, and ${turnBytes} is the limit. Set limits.maxOutputTokens, or ask for less at once.`;
  return new StepError("AGENT_LIMIT", message, { retryable: false });
}
