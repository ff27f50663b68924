import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { isInputRequiredResult } from "@modelcontextprotocol/server";
import type * as z from "zod/v4";
import { ToolFault, toolFaultOf } from "./faults.ts";
import { mostBytes, sizeOf } from "./pages.ts";
import type { Caller } from "./platform.ts";
import { clean } from "./text.ts";
import type { Tool, ToolDeps } from "./tool.ts";

export interface CallLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One call of a tool: its arguments checked, the user's share of calls counted, its outcome written down. */
export async function callTool(
  tool: Tool,
  given: unknown,
  { caller, ctx, deps, log }: { caller: Caller; ctx: ServerContext; deps: ToolDeps; log: CallLog },
): Promise<CallToolResult | InputRequiredResult> {
  const began = performance.now();
  let outcome = "done";
  let executionId: unknown;
  try {
    const args = checked(tool.input, given);
    executionId = args.executionId;
    deps.limits.call(caller.userId, tool.name, !tool.annotations.readOnlyHint);
    const answer = await tool.run(args, { caller, ctx, signal: ctx.mcpReq.signal, deps });
    if (isInputRequiredResult(answer)) {
      outcome = "asked";
      return answer;
    }
    executionId ??= answer.executionId;
    if (sizeOf(answer) > mostBytes) throw tooLarge();
    return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
  } catch (error) {
    if (ctx.mcpReq.signal.aborted) outcome = "nobody waits for the answer any more";
    const fault = toolFaultOf(error, tool.subject);
    outcome = fault?.code ?? "INTERNAL";
    if (fault?.code === "PLATFORM_UNAVAILABLE") {
      log.warn({ err: fault.cause ?? error, tool: tool.name }, "The platform could not serve a tool.");
    }
    if (fault === undefined)
      log.error({ err: error, tool: tool.name }, "A tool failed for an unknown reason.");
    return refused(
      fault ?? new ToolFault("PLATFORM_UNAVAILABLE", "Something went wrong on our side. Try again once."),
    );
  } finally {
    log.info(
      {
        tool: tool.name,
        by: caller.userName,
        client: caller.client,
        executionId,
        outcome,
        ms: Math.round(performance.now() - began),
      },
      "tool call",
    );
  }
}

/** Where a refusal has its code, for programs. */
const errorKey = "pawl/error";

/** Beside the structured answer, not in it: clients hold that against the tool's outputSchema, refusals too (the Inspector does). */
function refused({ code, message, retryable }: ToolFault): CallToolResult {
  return {
    isError: true,
    content: [{ type: "text", text: `${code}: ${message}` }],
    _meta: { [errorKey]: { code, message, retryable } },
  };
}

function tooLarge(): ToolFault {
  return new ToolFault("RESULT_TOO_LARGE", "The answer is larger than 64 KiB. Ask for less at a time.");
}

/** @throws ToolFault INVALID_PARAMETERS with every fault and its place, so that the model can mend them at once */
function checked(shape: z.ZodObject, given: unknown): Record<string, unknown> {
  const { success, data, error } = shape.safeParse(given ?? {});
  if (success) return data;
  const faults = error.issues.map(({ path, message }) => `${path.join(".") || "the arguments"}: ${message}.`);
  throw new ToolFault("INVALID_PARAMETERS", clean(`Mend these and call again: ${faults.join(" ")}`, 3000));
}
