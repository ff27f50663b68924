import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { RangeName } from "../features/home/ranges.ts";
import { frameRoute } from "./root.tsx";

const rangeNames: RangeName[] = ["day", "week", "month"];

const home = createRoute({
  getParentRoute: () => frameRoute,
  path: "/",
  validateSearch: ({ range }: Record<string, unknown>): { range?: RangeName | undefined } => ({
    range: rangeNames.find((one) => one === range && one !== "day"),
  }),
  component: lazyRouteComponent(() => import("../features/home/home-page.tsx"), "HomePage"),
});

export const homeRoutes = [home] as const;
