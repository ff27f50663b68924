import type { Masker } from "../../lib/masker.ts";
import { cleanText } from "../../lib/mcp/clean-text.ts";
import { StepError } from "../../lib/step-error.ts";
import { excerptOf, textOf } from "../mcp-tool/result.ts";
import type { AskedCall } from "./ask.ts";
import type { CallResult, Memory } from "./memory.ts";
import type { AgentTool } from "./tools.ts";

const shownArguments = 200;

export interface Calling {
  tools: ReadonlyMap<string, AgentTool>;
  memory: Memory;
  masker: Masker;
  maxResultBytes: number;
  signal: AbortSignal;
  log(level: "info" | "warn", message: string): void;
}

/**
 * What comes of a call that the model asks for. It is made once: a result that is kept is answered again, and a call of which only the
 * beginning is known is made again only where its server says that this does no harm. Failures are results too: the model may find
 * another way.
 */
export async function callTool(
  { tools, memory, masker, maxResultBytes, signal, log }: Calling,
  [turn, index]: [turn: number, index: number],
  asked: AskedCall,
): Promise<CallResult> {
  const known = memory.result(turn, index);
  if (known) return known;
  const found = tools.get(asked.name);
  const shown = excerptOf(JSON.stringify(asked.input) ?? "", shownArguments);
  const keep = async (result: string, isError: boolean, durationMs = 0) => {
    // Masked before it is cut, and without what people don't see and models read.
    const text = cut(cleanText(masker.text(result)), maxResultBytes);
    const value = { result: text, isError, durationMs };
    await memory.keepResult(turn, index, value);
    const said = isError
      ? `failed after ${durationMs} ms: ${excerptOf(text, 300)}`
      : `answered after ${durationMs} ms.`;
    log(isError ? "warn" : "info", `${asked.name}(${shown}) ${said}`);
    return value;
  };
  if (!found)
    return keep(`There is no tool ${asked.name}. The tools are: ${[...tools.keys()].join(", ")}.`, true);
  if (!isObject(asked.input)) return keep("The arguments are not a JSON object.", true);
  if (memory.wasBegun(turn, index) && !mayRepeat(found)) {
    return keep(
      "Pawl was interrupted during this call, and does not know whether it took effect. Find out before you call it again.",
      true,
    );
  }
  await memory.keepBegun(turn, index);
  const since = performance.now();
  const spent = () => Math.round(performance.now() - since);
  try {
    const onProgress = (said: string) => log("info", `${asked.name} is at ${masker.text(said)}`);
    const limits = { signal, timeoutMs: found.timeoutMs, onProgress };
    const result = await found.session.call(found.tool.name, asked.input, limits);
    return await keep(textOf(result) || "(nothing)", result.isError === true, spent());
  } catch (error) {
    if (signal.aborted || !(error instanceof StepError)) throw error;
    return keep(`${error.code}: ${error.message}`, true, spent());
  }
}

/** Hints of a stranger; but of one whose tools the author of the job lets the agent use as it sees fit. */
function mayRepeat({ tool: { annotations } }: AgentTool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}

function cut(text: string, bytes: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  const kept = buffer
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd$/, "");
  return `${kept}\n[cut: ${buffer.length - bytes} bytes more]`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
