import type { FastifyInstance } from "fastify";
import type { AuditNote } from "../http/audit.ts";
import { route } from "../http/route.ts";
import { type DiscoverDeps, discover } from "./discover.ts";
import { discoveryStream } from "./discovery-stream.ts";
import { presentServer, presentServerItem } from "./present.ts";
import { searchServers } from "./search.ts";
import {
  deleteServer,
  readServer,
  readTools,
  registerServer,
  replaceServer,
  type ServerDeps,
} from "./servers.ts";
import type { ServerRow } from "./store.ts";

/** Registers the routes of the MCP server registry. */
export function registryRoutes(app: FastifyInstance, deps: ServerDeps & DiscoverDeps): void {
  const { store } = deps;
  const whole = async (row: ServerRow) => presentServer(row, await store.tools(row.id));

  route(app, "registerMcpServer", async (call) => {
    const row = await registerServer(deps, call.principal, call.body);
    call.audit({ target: { id: row.id, name: row.name } });
    return {
      data: await whole(row),
      message: "The MCP server is registered. Discover it to see its tools.",
    };
  });
  route(app, "searchMcpServers", async ({ body }) => {
    const { rows, total, page, size } = await searchServers(store, body);
    return {
      data: rows.map(presentServerItem),
      meta: { totalElements: total, page, size },
      message: total === 1 ? "1 MCP server found." : `${total} MCP servers found.`,
    };
  });
  route(app, "getMcpServer", async ({ params }) => ({
    data: await whole(await readServer(store, params.id)),
    message: "The MCP server.",
  }));
  route(app, "replaceMcpServer", async (call) => {
    const row = await replaceServer(deps, call.principal, call.params.id, call.body);
    call.audit({ target: { id: row.id, name: row.name } });
    const next = row.status === "UNKNOWN" ? " Discover it anew." : "";
    return { data: await whole(row), message: `The MCP server is changed.${next}` };
  });
  route(app, "deleteMcpServer", async (call) => {
    const { id, name } = await deleteServer(deps, call.principal, call.params.id, call.query.force ?? false);
    call.audit({ target: { id, name } });
    return { data: null, message: "The MCP server is deleted." };
  });
  route(app, "listMcpServerTools", async ({ params, query }) => {
    const { tools, total, page, size } = await readTools(store, params.id, query);
    return { data: tools, meta: { totalElements: total, page, size }, message: "Tools of the MCP server." };
  });
  route(app, "getMcpServerUsage", async ({ principal, params }) => {
    const data = await deps.usageOf(principal, await readServer(store, params.id));
    return { data, message: `Jobs that refer to the MCP server: ${data.totalJobs}.` };
  });
  // It uses the credentials: recorded before, as any other use of them.
  route(app, "discoverMcpServer", async (call) => {
    const found = await discover(deps, call.params.id, { onUse: recordedBy(call) });
    const message =
      found.status === "success"
        ? `The MCP server is online: ${found.toolCount} ${found.toolCount === 1 ? "tool" : "tools"}.`
        : `The MCP server is offline: ${found.error!.message}`;
    return { data: found, message };
  });
  route(app, "watchMcpServerDiscovery", async (call) => ({
    stream: await discoveryStream(deps, call.params.id, {
      signal: call.signal,
      onUse: recordedBy(call),
      onFault: (error) => call.log.error({ err: error }, "A discovery failed while it was watched."),
    }),
  }));
}

function recordedBy(call: { mustAudit(note: AuditNote): Promise<void> }) {
  return ({ id, name }: ServerRow) => call.mustAudit({ target: { id, name } });
}
