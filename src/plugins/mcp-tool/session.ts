import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client";
import type { Dialer } from "../../lib/dialer.ts";
import { guardedFetch } from "../../lib/dialer-fetch.ts";
import { createMasker } from "../../lib/masker.ts";
import { type ListedTool, toolLimits, toolList } from "../../lib/mcp/tool-list.ts";
import { StepError } from "../../lib/step-error.ts";
import { serverNotFound, sessionFault, toolChanged, toolNotFound } from "./faults.ts";
import { progressWords } from "./result.ts";
import type { FindServer, RegisteredServer, ServerAsker } from "./servers.ts";

/** An open connection to a registered server. Nothing that comes out of it shows the credentials that went in. */
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
  /** Told of the progress that the server reports, in words: once a second at most, however often it does. */
  onProgress?(said: string): void;
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
/** All that comes before the first call: the client gathers every page before it shows one. */
const openingBytes = toolLimits.listBytes + 1024 * 1024;
const closeMs = 2_000;
const mostResumptions = 100;
const progressEachMs = 1_000;

/** Connects to a registered server and lists its tools. */
export async function openSession(server: RegisteredServer, options: SessionOptions): Promise<McpSession> {
  const { signal, timeoutMs } = options;
  const masker = createMasker(server.secrets);
  const account = { left: openingBytes };
  // The client goes on waiting when a stream of events breaks: it might be taken up again. One that is too large will not be.
  const broken = new AbortController();
  const onTooLarge = (error: StepError) => broken.abort(error);
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
    fetch: withoutStream(
      guardedFetch(options.dialer, { maxResponseBytes: answerBytes, account, onTooLarge }),
    ),
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
  const close = () => closed(client, transport);
  const fault = (error: unknown, given: AbortSignal) => {
    if (given.aborted) return given.reason;
    const { code, message, retryable } = sessionFault(broken.signal.reason ?? error, server);
    // Without the cause: what it says is not masked.
    return new StepError(code, masker.text(message), { retryable });
  };
  const listed = new Map<string, Tool>();
  const tools = new Map<string, ListedTool>();
  try {
    const either = AbortSignal.any([signal, broken.signal]);
    const request = { signal: either, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
    // What answered initialize at its discovery is not asked again which era it is of.
    await client.connect(transport, {
      ...request,
      ...(server.era === "legacy" ? { prior: { kind: "legacy" } as const } : {}),
    });
    const { tools: raw } = await client.listTools(undefined, request);
    const list = toolList();
    list.add(raw);
    for (const tool of raw) listed.set(tool.name, tool);
    for (const [name, tool] of list.tools) tools.set(name, masker.value(tool));
    account.left = Number.POSITIVE_INFINITY;
  } catch (error) {
    await close();
    throw fault(error, signal);
  }

  function require(name: string): ListedTool {
    const tool = tools.get(name);
    if (!tool) throw toolNotFound(server, name);
    if (server.tools.get(name) !== tool.hash) throw toolChanged(server, name);
    return tool;
  }

  return {
    server,
    tools,
    require,
    async call(name, args, limits) {
      require(name);
      try {
        const result = await client.callTool(
          { name, arguments: args },
          {
            signal: AbortSignal.any([limits.signal, broken.signal]),
            timeout: limits.timeoutMs,
            maxTotalTimeout: limits.timeoutMs * 10,
            resetTimeoutOnProgress: true,
            onprogress: sparsely(progressEachMs, (progress) =>
              limits.onProgress?.(progressWords(masker.value(progress))),
            ),
            toolDefinition: listed.get(name)!,
          },
        );
        return masker.value(result);
      } catch (error) {
        throw fault(error, limits.signal);
      }
    },
    close,
  };
}

/** Calls at once, and then at most once in so long; what comes between is left out. */
function sparsely<T>(ms: number, call: (value: T) => void): (value: T) => void {
  let next = Number.NEGATIVE_INFINITY;
  return (value) => {
    const now = performance.now();
    if (now < next) return;
    next = now + ms;
    call(value);
  };
}

/**
 * Never opens the stream on which a server of before 2026 may say what nobody asked for: nothing here listens to it, and it would be
 * one more thing that does not end. One that goes on after a break has the last event's id.
 */
function withoutStream(inner: typeof fetch): typeof fetch {
  let resumed = 0;
  return (async (input: string | URL, init: RequestInit = {}) => {
    if (init.method !== "GET") return inner(input, init);
    const resumes = new Headers(init.headers).has("last-event-id");
    // A server says how soon it wants to be asked again, and it may say at once, each time.
    if (!resumes || ++resumed > mostResumptions) return new Response(null, { status: 405 });
    return inner(input, init);
  }) as typeof fetch;
}

/** Ends the session at the server too, where there is one; how that goes is of no interest to the step. */
async function closed(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, closeMs);
  await Promise.race([transport.terminateSession().catch(() => {}), limit.promise]);
  clearTimeout(timer);
  await client.close().catch(() => {});
}

/** The server that a step names. @throws StepError MCP_SERVER_NOT_FOUND, DECRYPT_FAILED */
export async function requireServer(
  findServer: FindServer,
  which: { id: string } | { name: string },
  asker: ServerAsker,
): Promise<RegisteredServer> {
  const server = await findServer(which, asker);
  if (!server) throw serverNotFound(which);
  return server;
}
