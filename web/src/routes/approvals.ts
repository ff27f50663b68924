import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "./root.tsx";

const inbox = createRoute({
  getParentRoute: () => frameRoute,
  path: "/approvals",
  validateSearch: ({ execution }: Record<string, unknown>): { execution?: string | undefined } => ({
    execution: typeof execution === "string" ? execution : undefined,
  }),
  component: lazyRouteComponent(() => import("../features/approvals/approvals-page.tsx"), "ApprovalsPage"),
});

export const approvalRoutes = [inbox] as const;
