import type { AgentOutput } from "./input.ts";

/** Of one result in the step's output. The model saw more of it. */
const resultChars = 4_000;
/** Of all results in the output, which has a limit of its own. */
const allChars = 400_000;

/** The output with results that fit: long ones cut, and, from where they are too many together, none. */
export function shorten(output: AgentOutput): AgentOutput {
  let left = allChars;
  const turns = output.turns.map((turn) => ({
    ...turn,
    toolCalls: turn.toolCalls.map((call) => {
      const result = cut(call.result, Math.min(resultChars, Math.max(left, 0)));
      left -= result.length + JSON.stringify(call.arguments ?? null).length;
      return { ...call, result };
    }),
  }));
  return { ...output, turns };
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()}… [cut]`;
}
