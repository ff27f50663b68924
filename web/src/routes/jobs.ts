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
  component: lazyRouteComponent(() => import("../features/jobs/job-layout.tsx"), "JobLayout"),
});

const overview = createRoute({
  getParentRoute: () => job,
  path: "/",
  component: lazyRouteComponent(() => import("../features/jobs/job-overview.tsx"), "JobOverview"),
});

const start = createRoute({
  getParentRoute: () => job,
  path: "/start",
  component: lazyRouteComponent(() => import("../features/jobs/start-page.tsx"), "StartPage"),
});

const runs = createRoute({
  getParentRoute: () => job,
  path: "/runs",
  validateSearch: readTableState,
  component: lazyRouteComponent(() => import("../features/jobs/job-runs.tsx"), "JobRuns"),
});

const wholeNumber = (value: unknown) =>
  Number.isInteger(value) && (value as number) > 0 ? (value as number) : undefined;

const versions = createRoute({
  getParentRoute: () => job,
  path: "/versions",
  validateSearch: ({
    version,
    against,
  }: Record<string, unknown>): { version?: number; against?: number } => ({
    version: wholeNumber(version),
    against: wholeNumber(against),
  }),
  component: lazyRouteComponent(() => import("../features/jobs/job-versions.tsx"), "JobVersions"),
});

const edit = createRoute({
  getParentRoute: () => job,
  path: "/edit",
  component: lazyRouteComponent(() => import("../features/jobs/edit-page.tsx"), "EditPage"),
});

const create = createRoute({
  getParentRoute: () => frameRoute,
  path: "/jobs/new",
  component: lazyRouteComponent(() => import("../features/jobs/new-job-page.tsx"), "NewJobPage"),
});

export const jobRoutes = [list, create, job.addChildren([overview, start, runs, versions, edit])] as const;
