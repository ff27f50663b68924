import { type McpServer, type McpServerItem, type McpTool, secretMask } from "../contract/mcp-server.ts";
import { mapSecrets } from "./auth-config.ts";
import type { ServerRow } from "./store.ts";

export function presentServer(row: ServerRow, tools: McpTool[]): McpServer {
  return {
    ...presentServerItem(row),
    authConfig: mapSecrets(row.authConfig, () => secretMask),
    discoveredTools: tools,
    protocolVersion: row.protocolVersion,
    era: row.era,
    serverInfo: row.serverInfo,
  };
}

export function presentServerItem(row: ServerRow): McpServerItem {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    description: row.description,
    authType: row.authType,
    status: row.status,
    toolCount: row.toolCount,
    tags: row.tags,
    lastCheckedAt: row.lastCheckedAt?.toISOString() ?? null,
    lastError: row.lastError,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy: row.updatedBy,
  };
}
