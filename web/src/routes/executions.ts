import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readTableState } from "../components/table/filters.ts";
import { frameRoute } from "./root.tsx";

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: "/executions",
  validateSearch: readTableState,
  component: lazyRouteComponent(() => import("../features/executions/executions-page.tsx"), "ExecutionsPage"),
});

export const stepViews = ["output", "input", "error", "log", "attempts"] as const;
export type StepView = (typeof stepViews)[number];

/** What the page of an execution shows, so that a link shows a colleague the same. */
export interface ExecutionSearch {
  /** Key of the step that is open. */
  step?: string | undefined;
  view?: StepView | undefined;
  /** Of the log: the try that it is of. */
  try?: number | undefined;
  /** Attempt; the latest when left out. */
  run?: number | undefined;
  /** A link to job-resume leads here: asks for the decision, with this choice at hand. */
  decide?: "approve" | "reject" | undefined;
}

const execution = createRoute({
  getParentRoute: () => frameRoute,
  path: "/executions/$executionId",
  validateSearch: ({ step, view, try: attempt, run, decide }: Record<string, unknown>): ExecutionSearch => ({
    step: typeof step === "string" ? step : undefined,
    view: stepViews.find((one) => one === view),
    try: typeof attempt === "number" && attempt > 0 ? attempt : undefined,
    run: typeof run === "number" && run > 0 ? run : undefined,
    decide: decide === "approve" || decide === "reject" ? decide : undefined,
  }),
  component: lazyRouteComponent(() => import("../features/executions/execution-page.tsx"), "ExecutionPage"),
});

export const executionRoutes = [list, execution] as const;
