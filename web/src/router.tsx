import { createRouter } from "@tanstack/react-router";
import { PageFault } from "./components/error-boundary.tsx";
import { PageSkeleton } from "./components/page-skeleton.tsx";
import { adminRoutes } from "./routes/admin.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { configurationRoutes } from "./routes/configuration.ts";
import { executionRoutes } from "./routes/executions.ts";
import { homeRoutes } from "./routes/home.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { mcpServerRoutes } from "./routes/mcp-servers.ts";
import { frameRoute, nowhereRoute, rootRoute, signInRoute } from "./routes/root.tsx";

/** Every page of the interface. A noun's routes are in its file of `routes/`; their pages are loaded when they are opened. */
const routeTree = rootRoute.addChildren([
  signInRoute,
  frameRoute.addChildren([
    ...homeRoutes,
    ...jobRoutes,
    ...executionRoutes,
    ...approvalRoutes,
    ...configurationRoutes,
    ...mcpServerRoutes,
    ...adminRoutes,
    nowhereRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: "/ui",
  defaultPreload: "intent",
  // What a page reads, the query cache holds.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: PageFault,
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 150,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
