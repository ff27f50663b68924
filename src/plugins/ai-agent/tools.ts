import type { ListedTool } from "../../lib/mcp/tool-list.ts";
import { StepError } from "../../lib/step-error.ts";
import type { McpDeps } from "../mcp-tool/mcp-tool.ts";
import type { ServerAsker } from "../mcp-tool/servers.ts";
import { type McpSession, openSession, requireServer } from "../mcp-tool/session.ts";
import type { ServerConfig } from "./input.ts";
import { modelNames } from "./tool-names.ts";

/** A tool that the model may call, under a name of its own. */
export interface AgentTool {
  session: McpSession;
  tool: ListedTool;
  timeoutMs: number;
  description: string;
  inputSchema: Record<string, unknown>;
}

export interface Toolbox {
  /** By the name that the model sees: `<server>__<tool>`. */
  tools: ReadonlyMap<string, AgentTool>;
  /** `<server>: <tool>`, of tools that have changed since their discovery. */
  refused: string[];
  /** Texts that must not be seen in anything that is kept. */
  secrets: string[];
  close(): Promise<void>;
}

const connectMs = 30_000;

/**
 * Connects to the servers of a step and gathers the tools that it may use: those of the last discovery that the server still
 * lists unchanged, of these the included and not the excluded.
 */
export async function openToolbox(
  deps: McpDeps,
  configs: readonly ServerConfig[],
  { maxTools, asker }: { maxTools: number; asker: ServerAsker },
): Promise<Toolbox> {
  const servers = await Promise.all(
    configs.map(({ serverId }) => requireServer(deps.findServer, { id: serverId }, asker)),
  );
  const opened = await Promise.allSettled(
    servers.map((server) => openSession(server, { ...deps, signal: asker.signal, timeoutMs: connectMs })),
  );
  const sessions = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const close = async () => void (await Promise.all(sessions.map((session) => session.close())));
  try {
    for (const each of opened) if (each.status === "rejected") throw each.reason;
    const refused: string[] = [];
    const offered = sessions.flatMap((session, i) => toolsOf(session, configs[i]!, refused));
    const names = modelNames(
      offered.map(({ session, tool }) => ({ server: session.server, tool: tool.name })),
    );
    const tools = new Map(offered.map((tool, i) => [names[i]!, tool]));
    if (tools.size > maxTools) throw tooMany(tools.size, maxTools);
    return { tools, refused, secrets: servers.flatMap(({ secrets }) => [...secrets]), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Notes those that have changed since the last discovery as refused. */
function toolsOf(
  session: McpSession,
  { includeTools, excludeTools = [], timeoutMs = 60_000 }: ServerConfig,
  refused: string[],
): AgentTool[] {
  const { server } = session;
  // What is named must be there, and as it was.
  for (const name of includeTools ?? []) session.require(name);
  const tools: AgentTool[] = [];
  for (const tool of session.tools.values()) {
    if (excludeTools.includes(tool.name) || (includeTools && !includeTools.includes(tool.name))) continue;
    if (server.tools.get(tool.name) !== tool.hash) {
      refused.push(`${server.name}: ${tool.name}`);
      continue;
    }
    const { description, inputSchema } = tool;
    tools.push({ session, tool, timeoutMs, description, inputSchema });
  }
  return tools;
}

function tooMany(count: number, limit: number): StepError {
  const message = `The servers have ${count} tools, and limits.maxTools is ${limit}. Name those that the agent needs in includeTools: it chooses better among few.`;
  return new StepError("AGENT_LIMIT", message, { retryable: false });
}
