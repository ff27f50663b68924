import type { McpServer, McpServerItem } from "@contract/mcp-server.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { searchSource } from "../configuration/search-source.ts";

export const serverSource = searchSource<McpServerItem>("mcp-servers", api.searchMcpServers);

export function serverQuery(id: string) {
  return queryOptions({
    queryKey: ["mcp-servers", "one", id],
    queryFn: async ({ signal }): Promise<McpServer> =>
      (await api.getMcpServer({ params: { id }, signal })).data,
  });
}

export const bridgeHealthQuery = queryOptions({
  queryKey: ["mcp-bridge", "health"],
  queryFn: async ({ signal }) => (await api.mcpBridgeHealth({ signal })).data,
  refetchInterval: 15_000,
});
