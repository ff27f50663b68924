import type { InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import type * as z from "zod/v4";
import type { McpScope } from "../contract/bridge.ts";
import type { ConfirmStop } from "./confirm.ts";
import type { Limits } from "./limits.ts";
import type { Caller } from "./platform.ts";

/** What of the outside a tool works with. */
export interface ToolDeps {
  limits: Limits;
  confirmStop: ConfirmStop;
}

export interface ToolCall {
  caller: Caller;
  ctx: ServerContext;
  /** Aborted when nobody waits for the answer any more. What it asked for goes on. */
  signal: AbortSignal;
  deps: ToolDeps;
}

/** One tool. Its text is constant: nothing that a user wrote is in what a model reads before it calls. */
export interface Tool<In extends z.ZodObject = z.ZodObject, Out extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  scope: McpScope;
  /** What a NOT_FOUND of the platform is about. */
  subject: "job" | "run";
  /** All four are set: what is left out counts as destructive and open. */
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
  input: In;
  output: Out;
  run(args: z.output<In>, call: ToolCall): Promise<z.input<Out> | InputRequiredResult>;
}

/** Keeps the types of arguments and answer together. */
export function tool<In extends z.ZodObject, Out extends z.ZodObject>(made: Tool<In, Out>): Tool {
  return made as unknown as Tool;
}

export const reads = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
