// Runs in a sandbox process only.
import jsonata from "jsonata";
import { MAX_RESULT_CHARS, type SandboxOutcome } from "../sandbox/protocol.ts";

export async function runTransform(task: { data: string; expression: string }): Promise<SandboxOutcome> {
  try {
    const result: unknown = await jsonata(task.expression).evaluate(JSON.parse(task.data));
    const json = JSON.stringify(result, withoutFunctions) ?? "null";
    if (json.length <= MAX_RESULT_CHARS) return { json };
    return { code: "OUTPUT_TOO_LARGE", message: `its result has more than ${MAX_RESULT_CHARS} characters` };
  } catch (error) {
    return failure(error, task.expression);
  }
}

export function checkTransform(task: { expression: string }): SandboxOutcome {
  try {
    jsonata(task.expression);
    return { json: "null" };
  } catch (error) {
    return failure(error, task.expression);
  }
}

function failure(error: unknown, expression: string): SandboxOutcome {
  // JSONata throws plain objects as often as errors.
  const { message, position } = (error ?? {}) as { message?: string; position?: number };
  const text = (message ?? String(error)).slice(0, 1_000).replace(/\.$/, "");
  return { code: "FAILED", message: text + place(expression, position) };
}

function place(expression: string, position: number | undefined): string {
  if (typeof position !== "number") return "";
  const before = expression.slice(0, position).split("\n");
  return ` (line ${before.length}, column ${Math.max(1, before.at(-1)!.length)})`;
}

/** A lambda in the result is an object that leads back to the whole environment. */
function withoutFunctions(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return "_jsonata_lambda" in value || "_jsonata_function" in value ? undefined : value;
}
