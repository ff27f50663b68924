import type { AgentOutput } from "./input.ts";

/** Of one result or text in the step's output. The model saw more of it. */
const partChars = 4_000;
/** Of everything but the answer, as JSON; the output has a limit of its own (PAWL_STEP_OUTPUT_LIMIT). */
const allBytes = 400_000;

/** The output with turns that fit: what is long is cut, and from where they are too much together, nothing is left but that they were. */
export function shorten(output: AgentOutput): AgentOutput {
  let left = allBytes;
  const fit = (text: string) => {
    const kept = cut(text, Math.min(partChars, Math.max(left, 0)));
    left -= sizeOf(kept);
    return kept;
  };
  const turns = output.turns.map((turn) => ({
    ...turn,
    text: fit(turn.text),
    toolCalls: turn.toolCalls.map((call) => {
      const json = JSON.stringify(call.arguments ?? null);
      const fits = json.length <= partChars && sizeOf(json) <= left;
      if (fits) left -= sizeOf(json);
      return { ...call, arguments: fits ? call.arguments : fit(json), result: fit(call.result) };
    }),
  }));
  return { ...output, turns };
}

function sizeOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()}… [cut]`;
}
