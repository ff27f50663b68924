import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readTableState } from "../components/table/filters.ts";
import { frameRoute } from "./root.tsx";

const getParentRoute = () => frameRoute;

const list = createRoute({
  getParentRoute,
  path: "/mcp-servers",
  validateSearch: readTableState,
  component: lazyRouteComponent(() => import("../features/mcp-servers/servers-page.tsx"), "McpServersPage"),
});

const bridge = createRoute({
  getParentRoute,
  path: "/mcp-servers/bridge",
  component: lazyRouteComponent(() => import("../features/mcp-servers/bridge-page.tsx"), "BridgePage"),
});

const create = createRoute({
  getParentRoute,
  path: "/mcp-servers/new",
  component: lazyRouteComponent(() => import("../features/mcp-servers/new-server-page.tsx"), "NewServerPage"),
});

const server = createRoute({
  getParentRoute,
  path: "/mcp-servers/$serverId",
  component: lazyRouteComponent(() => import("../features/mcp-servers/server-layout.tsx"), "ServerLayout"),
});

const tools = createRoute({
  getParentRoute: () => server,
  path: "/",
  component: lazyRouteComponent(() => import("../features/mcp-servers/server-tools.tsx"), "ServerTools"),
});

const settings = createRoute({
  getParentRoute: () => server,
  path: "/settings",
  component: lazyRouteComponent(
    () => import("../features/mcp-servers/server-settings.tsx"),
    "ServerSettings",
  ),
});

export const mcpServerRoutes = [list, bridge, create, server.addChildren([tools, settings])] as const;
