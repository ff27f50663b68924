import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "./root.tsx";

const home = createRoute({
  getParentRoute: () => frameRoute,
  path: "/",
  component: lazyRouteComponent(() => import("../features/home/home-page.tsx"), "HomePage"),
});

export const homeRoutes = [home] as const;
