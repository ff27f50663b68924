import type { Client } from "../client/client.ts";
import type { McpServerItem } from "../contract/mcp-server.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { CliError } from "./exit.ts";
import { pawl } from "./own-name.ts";

/** The MCP server of this name, whatever its case, or of this id. */
export async function findMcpServer(client: Client, nameOrId: string): Promise<McpServerItem> {
  const field = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(nameOrId) ? "id" : "name";
  // Names are unique without their case, and of the match modes only these go by that.
  const constraints = (["startsWith", "endsWith"] as const).map((matchMode) => ({
    value: nameOrId,
    matchMode,
  }));
  const filter =
    field === "id"
      ? { operator: "and" as const, constraints: [{ value: nameOrId, matchMode: "equals" as const }] }
      : { operator: "and" as const, constraints };
  const { data } = await client.searchMcpServers({ body: { size: 100, filters: { [field]: filter } } });
  const same = (name: string) => name.toLowerCase() === nameOrId.trim().toLowerCase();
  const hit = field === "id" ? data[0] : data.find(({ name }) => same(name));
  if (hit) return hit;
  const all = await client.searchMcpServers({ body: { size: 200, sortBy: "name", sortOrder: "asc" } });
  const names = all.data.map(({ name }) => name);
  throw new CliError("refused", `There is no MCP server named "${nameOrId}".${didYouMean(nameOrId, names)}`, {
    hint: `\`${pawl} mcp-server list\` shows those that there are.`,
  });
}
