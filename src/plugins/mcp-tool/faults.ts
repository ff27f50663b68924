import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { cleanText } from "../../lib/mcp/clean-text.ts";
import { ToolListFault } from "../../lib/mcp/tool-list.ts";
import { StepError } from "../../lib/step-error.ts";
import type { RegisteredServer } from "./servers.ts";

const longestMessage = 500;

/** What went wrong between a step and a server, in words for a person. Not masked yet: it may quote the server. */
export function sessionFault(error: unknown, { name }: RegisteredServer): StepError {
  const own = stepErrorIn(error);
  if (own) return own;
  const of = `The MCP server "${name}"`;
  if (error instanceof ToolListFault) {
    return new StepError("MCP_FAILED", `${of} can't be used: ${error.message}`, { retryable: false });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new StepError("MCP_TIMEOUT", `${of} did not answer in time.`);
  }
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (status === 401 || status === 403) {
    const message = `${of} refuses the credential (HTTP ${status}). Check authType and authConfig of the server in the registry.`;
    return new StepError("MCP_FAILED", message, { retryable: false });
  }
  const words = cleanText(error instanceof Error ? error.message : String(error));
  const said = words.replace(/\s+/g, " ").slice(0, longestMessage);
  // What the protocol refuses once it refuses again.
  return new StepError("MCP_FAILED", `${of} failed: ${said.toWellFormed()}`, {
    retryable: !(error instanceof ProtocolError),
  });
}

/** The dialer's own words, however often they were wrapped. */
function stepErrorIn(error: unknown): StepError | undefined {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < 8; depth++) {
    if (cause instanceof StepError) return cause;
    // The client's errors carry what they wrap in their data.
    cause = cause.cause ?? (cause as { data?: { cause?: unknown } }).data?.cause;
  }
  return undefined;
}

export function serverNotFound(which: { id: string } | { name: string }): StepError {
  const named = "id" in which ? `the id ${which.id}` : `the name "${which.name}"`;
  const message = `There is no MCP server with ${named} in the registry. POST /ai/mcp-servers/search finds those that there are.`;
  return new StepError("MCP_SERVER_NOT_FOUND", message, { retryable: false });
}

export function toolNotFound(server: RegisteredServer, tool: string): StepError {
  const gone = server.tools.has(tool) ? " any more" : "";
  const message = `The MCP server "${server.name}" has no tool "${tool}"${gone}. GET /ai/mcp-servers/${server.id}/tools lists those it had at its last discovery.`;
  return new StepError("MCP_TOOL_NOT_FOUND", message, { retryable: false });
}

export function toolChanged(server: RegisteredServer, tool: string): StepError {
  const what = server.tools.has(tool)
    ? "is not what it was at its last discovery. Discover the server, look at what changed, then run this again."
    : "was not there at its last discovery. Discover the server, look at the tool, then run this again.";
  const message = `The tool "${tool}" of the MCP server "${server.name}" ${what}`;
  return new StepError("MCP_TOOL_CHANGED", message, { retryable: false });
}
