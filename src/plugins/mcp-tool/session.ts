import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client";
import type { Dialer } from "../../lib/dialer.ts";
import { guardedFetch } from "../../lib/dialer-fetch.ts";
import { cleanText } from "../../lib/mcp/clean-text.ts";
import { type ListedTool, ToolListFault, toolLimits, toolList } from "../../lib/mcp/tool-list.ts";
import { StepError } from "../../lib/step-error.ts";
import type { RegisteredServer } from "./servers.ts";

/** An open connection to a registered server, and the tools that it offers now. */
export interface McpSession {
  server: RegisteredServer;
  /** As the server lists them now, whether they have changed or not. */
  tools: ReadonlyMap<string, ListedTool>;
  /** @throws StepError MCP_TOOL_CHANGED, MCP_TOOL_NOT_FOUND */
  require(tool: string): ListedTool;
  /** Calls a tool; a result that says `isError` is a result. */
  call(tool: string, args: Record<string, unknown>, limits: CallLimits): Promise<CallToolResult>;
  close(): Promise<void>;
}

export interface CallLimits {
  signal: AbortSignal;
  /** Without a sign of life; a server that reports progress may take longer, up to ten times. */
  timeoutMs: number;
}

export interface SessionOptions {
  dialer: Dialer;
  /** Pawl's, which servers are told. */
  version: string;
  signal: AbortSignal;
  timeoutMs: number;
}

/** One answer, before a step's own limit cuts it. */
const answerBytes = 8 * 1024 * 1024;
const closeMs = 2_000;

/** Connects to a registered server and lists its tools. */
export async function openSession(server: RegisteredServer, options: SessionOptions): Promise<McpSession> {
  const { signal, timeoutMs } = options;
  const client = new Client(
    { name: "pawl", version: options.version },
    {
      capabilities: {},
      versionNegotiation: { mode: "auto" },
      listMaxPages: toolLimits.pages,
      // Output schemas are the server's: a pattern in one could hold this process up for hours.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  const transport = new StreamableHTTPClientTransport(server.url, {
    requestInit: { headers: { ...server.headers } },
    fetch: guardedFetch(options.dialer, { maxResponseBytes: answerBytes }),
  });
  const close = () => closed(client, transport);
  const listed = new Map<string, Tool>();
  let tools: ReadonlyMap<string, ListedTool>;
  try {
    const request = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
    // What answered initialize at its discovery is not asked again which era it is of.
    await client.connect(transport, {
      ...request,
      ...(server.era === "legacy" ? { prior: { kind: "legacy" } as const } : {}),
    });
    const list = toolList();
    const { tools: raw } = await client.listTools(undefined, request);
    list.add(raw);
    for (const tool of raw) listed.set(tool.name, tool);
    tools = list.tools;
  } catch (error) {
    await close();
    throw stepError(error, server, signal);
  }

  function require(name: string): ListedTool {
    const tool = tools.get(name);
    const known = server.tools.get(name);
    if (tool === undefined) throw notFound(server, name, known !== undefined);
    if (known === undefined) throw notDiscovered(server, name);
    if (known !== tool.hash) throw changed(server, name);
    return tool;
  }

  return {
    server,
    tools,
    require,
    async call(name, args, limits) {
      require(name);
      try {
        return await client.callTool(
          { name, arguments: args },
          {
            signal: limits.signal,
            timeout: limits.timeoutMs,
            maxTotalTimeout: limits.timeoutMs * 10,
            resetTimeoutOnProgress: true,
            onprogress: () => {},
            toolDefinition: listed.get(name)!,
          },
        );
      } catch (error) {
        throw stepError(error, server, limits.signal);
      }
    },
    close,
  };
}

/** Ends the session at the server too, where there is one; how that goes is of no interest to the step. */
async function closed(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  const ended = transport.terminateSession().catch(() => {});
  const limit = AbortSignal.timeout(closeMs);
  await Promise.race([ended, new Promise((resolve) => limit.addEventListener("abort", resolve))]);
  await client.close().catch(() => {});
}

function stepError(error: unknown, server: RegisteredServer, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof StepError) return error;
  const of = `The MCP server "${server.name}"`;
  if (error instanceof ToolListFault) {
    return new StepError("MCP_FAILED", `${of} can't be used: ${error.message}`, {
      retryable: false,
      cause: error,
    });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new StepError("MCP_TIMEOUT", `${of} did not answer in time.`, { cause: error });
  }
  const said = cleanText(error instanceof Error ? error.message : String(error)).slice(0, 500);
  const retryable = !(error instanceof ProtocolError);
  return new StepError("MCP_FAILED", `${of} failed: ${said}`, { retryable, cause: error });
}

function notFound(server: RegisteredServer, tool: string, before: boolean): StepError {
  const gone = before ? " any more" : "";
  const message = `The MCP server "${server.name}" has no tool "${tool}"${gone}. GET /ai/mcp-servers/${server.id}/tools lists those it had at its last discovery.`;
  return new StepError("MCP_TOOL_NOT_FOUND", message, { retryable: false });
}

function notDiscovered(server: RegisteredServer, tool: string): StepError {
  const message = `The tool "${tool}" of the MCP server "${server.name}" was not there at its last discovery. Discover the server, look at the tool, then run this again.`;
  return new StepError("MCP_TOOL_CHANGED", message, { retryable: false });
}

function changed(server: RegisteredServer, tool: string): StepError {
  const message = `The tool "${tool}" of the MCP server "${server.name}" is not what it was at its last discovery. Discover the server, look at what changed, then run this again.`;
  return new StepError("MCP_TOOL_CHANGED", message, { retryable: false });
}

/** The server that a step names. */
export async function requireServer(
  findServer: (which: { id: string } | { name: string }) => Promise<RegisteredServer | undefined>,
  which: { id: string } | { name: string },
): Promise<RegisteredServer> {
  const server = await findServer(which);
  if (server) return server;
  const named = "id" in which ? `the id ${which.id}` : `the name "${which.name}"`;
  throw new StepError("MCP_SERVER_NOT_FOUND", `There is no MCP server with ${named} in the registry.`, {
    retryable: false,
  });
}
