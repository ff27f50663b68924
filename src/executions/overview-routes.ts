import type { FastifyInstance } from "fastify";
import { route } from "../http/route.ts";
import { countOverTime, listApprovals, type OverviewDeps, summariseJobs } from "./overview.ts";

/** Registers what shows many executions at a glance. */
export function overviewRoutes(app: FastifyInstance, deps: OverviewDeps): void {
  route(app, "summariseJobs", async ({ principal, body }) => ({
    data: await summariseJobs(deps, principal, body.jobIds),
    message: "Summaries of the jobs' executions.",
  }));
  route(app, "getTimeline", async ({ principal, query }) => ({
    data: await countOverTime(deps, principal, query),
    message: "Executions over time.",
  }));
  route(app, "listApprovals", async ({ principal, query }) => {
    const found = await listApprovals(deps, principal, query);
    const total = found.meta.totalElements;
    const message =
      total === 1 ? "1 execution waits for a decision." : `${total} executions wait for a decision.`;
    return { ...found, message };
  });
}
