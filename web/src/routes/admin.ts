import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readTableState } from "../components/table/filters.ts";
import { frameRoute } from "./root.tsx";

const admin = createRoute({
  getParentRoute: () => frameRoute,
  path: "/admin",
  component: lazyRouteComponent(() => import("../features/admin/admin-layout.tsx"), "AdminLayout"),
});

const first = createRoute({
  getParentRoute: () => admin,
  path: "/",
  component: lazyRouteComponent(() => import("../features/admin/admin-layout.tsx"), "FirstAdminPage"),
});

const tokens = createRoute({
  getParentRoute: () => admin,
  path: "/tokens",
  component: lazyRouteComponent(() => import("../features/admin/tokens-page.tsx"), "TokensPage"),
});

const principals = createRoute({
  getParentRoute: () => admin,
  path: "/principals",
  component: lazyRouteComponent(() => import("../features/admin/principals-page.tsx"), "PrincipalsPage"),
});

const newPrincipal = createRoute({
  getParentRoute: () => frameRoute,
  path: "/admin/principals/new",
  component: lazyRouteComponent(() => import("../features/admin/principal-page.tsx"), "NewPrincipalPage"),
});

const principal = createRoute({
  getParentRoute: () => frameRoute,
  path: "/admin/principals/$principalId",
  component: lazyRouteComponent(() => import("../features/admin/principal-page.tsx"), "PrincipalPage"),
});

const audit = createRoute({
  getParentRoute: () => admin,
  path: "/audit",
  validateSearch: readTableState,
  component: lazyRouteComponent(() => import("../features/admin/audit-page.tsx"), "AuditPage"),
});

const system = createRoute({
  getParentRoute: () => admin,
  path: "/system",
  component: lazyRouteComponent(() => import("../features/admin/system-page.tsx"), "SystemPage"),
});

export const adminRoutes = [
  admin.addChildren([first, tokens, principals, audit, system]),
  newPrincipal,
  principal,
] as const;
