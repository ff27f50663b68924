import type { FastifyInstance } from "fastify";
import { route } from "../http/route.ts";
import { listExecutions, readExecution, readLastExecution, readLogs, summariseExecutions } from "./read.ts";
import { searchExecutions } from "./search.ts";
import type { ExecutionSearchStore } from "./search-store.ts";
import { type StartDeps, startJob } from "./start.ts";
import { readStep, type StepInputDeps } from "./step-input.ts";

/** Registers the routes of execution control and queries. */
export function executionRoutes(
  app: FastifyInstance,
  deps: StartDeps & StepInputDeps & { search: ExecutionSearchStore },
): void {
  const { store, search } = deps;

  route(app, "startJob", async (call) => {
    const { response, ended } = await startJob(deps, {
      principal: call.principal,
      request: call.body,
      idempotencyKey: call.headers["idempotency-key"],
      clientInfo: call.headers["pawl-mcp-client"],
      // Only a start that waits asks whether its client is still there.
      signal:
        call.body.async === false
          ? AbortSignal.any([call.signal, ...(deps.closed ? [deps.closed] : [])])
          : undefined,
    });
    return { body: response, status: ended ? 200 : 202 };
  });
  route(app, "searchExecutions", async ({ principal, body }) => {
    const found = await searchExecutions(search, principal, body);
    const total = found.meta.totalElements;
    return { ...found, message: total === 1 ? "1 execution found." : `${total} executions found.` };
  });
  route(app, "getExecution", async ({ principal, params, query }) => ({
    data: await readExecution(store, principal, params.id, query),
    message: "The execution.",
  }));
  route(app, "getStepExecution", async ({ principal, params, query, signal }) => ({
    data: await readStep(deps, principal, { ...params, ...query, signal }),
    message: "The step.",
  }));
  route(app, "getLastExecution", async ({ principal, params }) => ({
    data: await readLastExecution(store, principal, params.jobId),
    message: "The most recent execution of the job.",
  }));
  route(app, "listExecutions", async ({ principal, params, body }) => ({
    ...(await listExecutions(store, principal, params.jobId, body)),
    message: "Executions of the job.",
  }));
  route(app, "getExecutionSummary", async ({ principal, params }) => ({
    data: await summariseExecutions(store, principal, params.jobId),
    message: "Summary of the job's executions.",
  }));
  route(app, "getExecutionLogs", async ({ principal, params, query }) => ({
    ...(await readLogs(store, principal, params.id, query)),
    message: "Log of the steps.",
  }));
}
