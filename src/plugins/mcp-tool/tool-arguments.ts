import { compileParameters } from "../../lib/json-schema/parameters.ts";
import type { ListedTool } from "../../lib/mcp/tool-list.ts";

/** What of the arguments does not fit the tool's inputSchema, as sentences. */
export function argumentFaults({ inputSchema }: ListedTool, args: Record<string, unknown>): string[] {
  let read: ReturnType<typeof compileParameters>;
  try {
    read = compileParameters(inputSchema, { whose: "the tool", foreign: true });
  } catch {
    // A schema of another draft, or one that refers to elsewhere: nothing is fetched, and the server checks what it is sent.
    return [];
  }
  return read(args).faults.map(({ path, message }) => `${path || "they"} ${message}`);
}
