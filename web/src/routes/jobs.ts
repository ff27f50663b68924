import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readTableState } from "../components/table/filters.ts";
import { frameRoute } from "./root.tsx";

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: "/jobs",
  validateSearch: readTableState,
  component: lazyRouteComponent(() => import("../features/jobs/jobs-page.tsx"), "JobsPage"),
});

const job = createRoute({
  getParentRoute: () => frameRoute,
  path: "/jobs/$jobId",
  component: lazyRouteComponent(() => import("../features/jobs/job-page.tsx"), "JobPage"),
});

export const jobRoutes = [list, job] as const;
