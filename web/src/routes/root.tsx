import { createRootRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Frame } from "../components/shell/frame.tsx";
import { NotFound } from "../components/shell/not-found.tsx";

export const rootRoute = createRootRoute({ notFoundComponent: NotFound });

/** The frame around every page of somebody who is signed in. */
export const frameRoute = createRoute({ getParentRoute: () => rootRoute, id: "frame", component: Frame });

/** What no other route takes: with the navigation around it, for those who are signed in. */
export const nowhereRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/$",
  component: NotFound,
});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } => ({
    // Only to a page of ours: a link that signs in must not lead elsewhere.
    to: typeof to === "string" && /^\/(?![/\\])/.test(to) ? to : undefined,
  }),
  component: lazyRouteComponent(() => import("../features/session/sign-in-page.tsx"), "SignInPage"),
});
