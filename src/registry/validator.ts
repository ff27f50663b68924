import type {
  Discovery,
  DiscoveryError,
  DiscoveryStep,
  DiscoveryStepName,
  McpServerInfo,
} from "../contract/mcp-server.ts";
import type { Dialer } from "../lib/dialer.ts";
import { guardedFetch } from "../lib/dialer-fetch.ts";
import { type ListedTool, ToolListFault, toolLimits, toolList } from "../lib/mcp/tool-list.ts";
import {
  isModernOnly,
  type Legacy,
  latestLegacy,
  legacyHeaders,
  legacyOf,
  type Modern,
  modernHeaders,
  modernOf,
  modernParams,
  modernVersion,
  nameOf,
} from "./handshake.ts";
import {
  callMcp,
  DiscoveryFault,
  discoveryFault,
  endSession,
  notifyMcp,
  type Peer,
  rpcFault,
} from "./mcp-call.ts";
import type { Outbound } from "./outbound.ts";
import type { Era } from "./store.ts";

/** The report of a discovery: how each step went, and what was found. */
export interface Report {
  status: Discovery["status"];
  steps: DiscoveryStep[];
  protocolVersion: string | null;
  era: Era | null;
  serverInfo: McpServerInfo | null;
  tools: ListedTool[];
  /** Of the step that failed. */
  error: DiscoveryError | null;
}

export interface ValidatorOptions {
  dialer: Dialer;
  /** Answers the address and the headers; throws DiscoveryFault when a credential can't be opened. */
  outbound(): Outbound;
  signal?: AbortSignal;
  /** Told of each step as it ends. */
  onStep?(step: DiscoveryStep): void;
  /** For one request, and for all of them. */
  requestMs?: number;
  totalMs?: number;
  clientVersion: string;
}

export const validatorTimes = { requestMs: 10_000, totalMs: 30_000 } as const;

/**
 * Connects to an MCP server and lists its tools, step by step: initialize, then tools/list; for a server that has no initialize
 * server/discover. The first step that fails ends it; the rest are SKIPPED. Never throws for what the server does.
 */
export async function validateServer(rawUrl: string, options: ValidatorOptions): Promise<Report> {
  const { requestMs = validatorTimes.requestMs, totalMs = validatorTimes.totalMs } = options;
  const limit = AbortSignal.timeout(totalMs);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  const clientInfo = { name: "pawl", version: options.clientVersion };
  const steps: DiscoveryStep[] = [];
  let error: DiscoveryError | null = null;

  function done(
    name: DiscoveryStepName,
    status: DiscoveryStep["status"],
    message: string,
    since?: number,
    code?: string,
  ) {
    const durationMs = since === undefined ? 0 : Math.round(performance.now() - since);
    const made = { name, status, ...(code === undefined ? {} : { code }), message, durationMs };
    steps.push(made);
    options.onStep?.(made);
  }

  const skip = (name: DiscoveryStepName, why: string) => done(name, "SKIPPED", why);
  const notReached = () => `Not reached: ${error?.step} failed.`;

  /** Runs a step and reports it; undefined when it failed, or one before it has. */
  async function step<Result extends object>(
    name: DiscoveryStepName,
    work: () => Result | Promise<Result>,
    words: (result: Result) => string | { warning: string } | { skipped: string },
  ): Promise<Result | undefined> {
    if (error) {
      skip(name, notReached());
      return undefined;
    }
    const since = performance.now();
    try {
      const result = await work();
      const said = words(result);
      if (typeof said === "string") done(name, "SUCCESS", said, since);
      else if ("warning" in said) done(name, "WARNING", said.warning, since);
      else done(name, "SKIPPED", said.skipped, since);
      return result;
    } catch (thrown) {
      if (options.signal?.aborted) throw options.signal.reason;
      const { code, message } = faultOf(thrown);
      error = { step: name, code, message };
      done(name, "FAILED", message, since, code);
      return undefined;
    }
  }

  let peer: Peer | undefined;
  const rpc = (id: number, method: string, params: object, headers: Record<string, string>) =>
    callMcp(peer!, { id, method, params }, headers);

  const url = await step(
    "VALIDATE_URL",
    () => validUrl(rawUrl),
    () => "The URL can be called.",
  );
  await step(
    "RESOLVE_ADDRESS",
    () => reach(url!, options.dialer, Math.min(requestMs, totalMs), signal),
    () => "The host is there, and may be connected to.",
  );
  await step(
    "AUTHENTICATE",
    () => {
      const { url, headers } = options.outbound();
      const fetch = guardedFetch(options.dialer, { maxResponseBytes: toolLimits.listBytes });
      peer = { url, headers, fetch, requestMs, signal };
      return headers;
    },
    (headers) =>
      Object.keys(headers).length === 0 && peer!.url.search === url!.search
        ? "No credentials are sent."
        : "The credentials are ready to be sent.",
  );

  let session: string | null = null;
  const opened = await step(
    "INITIALIZE",
    async (): Promise<{ legacy?: Legacy }> => {
      const params = { protocolVersion: latestLegacy, capabilities: {}, clientInfo };
      const answer = await rpc(1, "initialize", params, {});
      session = answer.headers.get("mcp-session-id");
      if (!answer.error) return { legacy: legacyOf(answer.result!) };
      if (isModernOnly(answer)) return {};
      throw rpcFault(answer.error, "initialize");
    },
    ({ legacy }) => {
      if (!legacy) return { skipped: "The server has no initialize: it speaks 2026-07-28 or later only." };
      const said = `${nameOf(legacy.serverInfo)} speaks ${legacy.protocolVersion}.`;
      return legacy.hasTools ? said : { warning: `${said} It does not say that it has tools.` };
    },
  );
  const legacy = opened?.legacy;
  let modern: Modern | undefined;
  if (opened && !legacy) {
    skip("INITIALIZED", "Belongs to initialize.");
    modern = await step(
      "DISCOVER",
      async () => {
        const answer = await rpc(
          2,
          "server/discover",
          modernParams(clientInfo),
          modernHeaders("server/discover"),
        );
        if (answer.error) throw rpcFault(answer.error, "server/discover");
        return modernOf(answer.result!);
      },
      ({ serverInfo }) => `${nameOf(serverInfo)} speaks ${modernVersion}.`,
    );
  } else {
    await step(
      "INITIALIZED",
      async () => {
        await notifyMcp(peer!, "notifications/initialized", legacyHeaders(legacy!, session));
        return {};
      },
      () => "The server was told.",
    );
    skip("DISCOVER", error ? notReached() : "Needed only where a server has no initialize.");
  }

  const list = await step(
    "LIST_TOOLS",
    () =>
      listTools((id, cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        return modern
          ? rpc(id, "tools/list", { ...params, ...modernParams(clientInfo) }, modernHeaders("tools/list"))
          : rpc(id, "tools/list", params, legacyHeaders(legacy!, session));
      }),
    ({ tools, pages, remark }) => {
      const said = `${tools.length} ${tools.length === 1 ? "tool" : "tools"} in ${pages} ${pages === 1 ? "page" : "pages"}.`;
      return remark === undefined ? said : { warning: `${said} ${remark}` };
    },
  );

  if (session === null || !peer) skip("CLOSE_SESSION", error ? notReached() : "The server opened none.");
  else await closeSession(peer, { "mcp-session-id": session }, done);

  const found = legacy ?? modern;
  return {
    status: error ? "failure" : "success",
    steps,
    protocolVersion: found?.protocolVersion ?? null,
    era: legacy ? "legacy" : modern ? "modern" : null,
    serverInfo: found?.serverInfo ?? null,
    tools: list?.tools ?? [],
    error,
  };
}

function validUrl(raw: string): URL {
  const url = URL.parse(raw);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new DiscoveryFault("INVALID_URL", "The URL is not an absolute http or https URL.");
  }
  return url;
}

/** One connection, closed at once: where it fails, it is known that the network was to blame, and not the server. */
async function reach(url: URL, dialer: Dialer, timeoutMs: number, signal: AbortSignal): Promise<object> {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const socket = await dialer.connect(url.hostname, port, { signal, timeoutMs });
  socket.on("error", () => {});
  socket.destroy();
  return {};
}

async function listTools(page: (id: number, cursor: string | undefined) => ReturnType<typeof callMcp>) {
  const list = toolList();
  let cursor: string | undefined;
  for (let pages = 1; pages <= toolLimits.pages; pages++) {
    const { result, error } = await page(pages + 2, cursor);
    if (error) throw rpcFault(error, "tools/list");
    list.add(result!.tools);
    const { nextCursor } = result!;
    if (typeof nextCursor !== "string" || nextCursor === "") {
      return { tools: [...list.tools.values()], pages, remark: list.remark() };
    }
    cursor = nextCursor;
  }
  throw new DiscoveryFault("INVALID_TOOL_LIST", `The list of tools goes on after ${toolLimits.pages} pages.`);
}

/** Servers need not let a client end its session; one that fails to is still a good server. */
async function closeSession(
  peer: Peer,
  headers: Record<string, string>,
  done: (name: DiscoveryStepName, status: DiscoveryStep["status"], message: string, since: number) => void,
): Promise<void> {
  const since = performance.now();
  try {
    const status = await endSession(peer, headers);
    if (status < 400 || status === 405) done("CLOSE_SESSION", "SUCCESS", "The session is closed.", since);
    else
      done(
        "CLOSE_SESSION",
        "WARNING",
        `The server answered HTTP ${status} to the end of the session.`,
        since,
      );
  } catch (thrown) {
    done("CLOSE_SESSION", "WARNING", discoveryFault(thrown).message, since);
  }
}

function faultOf(thrown: unknown): DiscoveryFault {
  if (thrown instanceof ToolListFault) return new DiscoveryFault(thrown.code, thrown.message);
  return discoveryFault(thrown);
}
