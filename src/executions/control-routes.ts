import type { FastifyInstance } from "fastify";
import { ApiError, errorCatalogue } from "../contract/errors.ts";
import { route } from "../http/route.ts";
import { linkPage, pageHeaders, plainPage, readForm } from "./approval-page.ts";
import { bulkControl } from "./bulk.ts";
import { pauseExecution, resumeExecution, stopExecution } from "./control.ts";
import { decide } from "./decide.ts";
import { type LinkDeps, makeLinks, openLink, submitLink } from "./links.ts";
import type { LiveStore } from "./live-store.ts";
import { refusePrefetch } from "./prefetch.ts";
import { type RestartDeps, restartExecution } from "./restart.ts";
import { type WatchDeps, watchExecution, watchExecutions } from "./watch.ts";

export interface ControlRouteDeps extends LinkDeps, RestartDeps, WatchDeps {
  live: LiveStore;
}

/** Registers what holds, stops, winds back, decides and watches executions. */
export function controlRoutes(app: FastifyInstance, deps: ControlRouteDeps): void {
  route(app, "stopExecution", async (call) => {
    call.audit(about(call.body));
    return { body: await stopExecution(deps, call.principal, call.body) };
  });
  route(app, "pauseExecution", async (call) => {
    call.audit(about(call.body));
    return { body: await pauseExecution(deps, call.principal, call.body) };
  });
  route(app, "resumeExecution", async (call) => {
    call.audit(about(call.body));
    return { body: await resumeExecution(deps, call.principal, call.body) };
  });
  route(app, "restartExecution", async (call) => {
    call.audit(about(call.body));
    return { body: await restartExecution(deps, call.principal, call.body) };
  });
  route(app, "decideExecution", async (call) => {
    refusePrefetch(call.headers);
    // A browser sends its session along with whatever link it follows, so a link alone decides nothing: the page asks.
    if (call.principal.bySession) return askInPage(call.query);
    call.audit(about(call.query));
    return { body: await decide(deps, call.principal, call.query) };
  });
  route(app, "answerExecution", async (call) => {
    call.audit(about(call.body));
    return { body: await decide(deps, call.principal, call.body) };
  });
  route(app, "bulkControl", async (call) => {
    const data = await bulkControl(deps, call.principal, call.body);
    const done = data.outcomes.filter((outcome) => outcome.done);
    for (const { executionId } of done) call.audit(about({ jobExecutionId: executionId }));
    if (done.length === 0) call.audit({ target: { name: data.dryRun ? "none: a dry run" : "none" } });
    const message = data.dryRun
      ? `It would act on ${data.matched}.`
      : `Done with ${data.done}, ${data.failed} refused, ${data.remaining} left for the next call.`;
    return { data, message };
  });
  linkRoutes(app, deps);
  watchRoutes(app, deps);
}

function askInPage({ jobExecutionId, approve }: { jobExecutionId: string; approve: boolean }) {
  const location = `/ui/executions/${jobExecutionId}?decide=${approve ? "approve" : "reject"}`;
  return { body: null as never, status: 303, headers: { location } };
}

function about({ jobExecutionId: id }: { jobExecutionId: string }) {
  return { target: { id } };
}

function linkRoutes(app: FastifyInstance, deps: LinkDeps): void {
  const type = "text/html";
  const headers = pageHeaders;

  route(app, "createApprovalLinks", async ({ principal, params, body }) => ({
    data: await makeLinks(deps, principal, params.id, body),
    message: "Links that decide once. Whoever has one may use it.",
  }));
  route(app, "showApproval", async (call) => {
    const link = await openLink(deps, call.params.token).catch((error) => toldInHtml(call, error));
    if ("page" in link) return { body: link.page, status: link.status, type, headers };
    return { body: linkPage(link), type, headers };
  });
  route(app, "submitApproval", async (call) => {
    const { params, body } = call;
    const link = await openLink(deps, params.token).catch((error) => toldInHtml(call, error));
    if ("page" in link) return { body: link.page, status: link.status, type, headers };
    const given = typeof body === "string" ? readForm(body, link.decision.form) : body;
    call.audit({ target: { id: link.pair.executionId }, by: `${link.pair.madeBy} (approval link)` });
    try {
      await submitLink(deps, link, given);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "VALIDATION_FAILED")) {
        const { page, status } = toldInHtml(call, error);
        return { body: page, status, type, headers };
      }
      return { body: linkPage(link, error.details, given), status: 400, type, headers };
    }
    const text = link.approve ? "The execution goes on." : "The execution is stopped.";
    return { body: plainPage(link.approve ? "Approved" : "Rejected", text), type, headers };
  });
}

/** A refusal as a page, for a browser; anybody else gets it as every other. */
function toldInHtml(call: object, error: unknown): { page: string; status: number } {
  const { accept } = (call as { headers: { accept?: string } }).headers;
  if (!(error instanceof ApiError) || !accept?.includes("text/html")) throw error;
  const { status } = errorCatalogue[error.code];
  return { page: plainPage(status === 404 ? "No such link" : "Nothing to decide", error.message), status };
}

function watchRoutes(app: FastifyInstance, deps: WatchDeps): void {
  route(app, "watchExecution", async (call) => ({
    stream: await watchExecution(deps, { ...watchCall(call), outputs: call.query.outputs }, call.params.id),
  }));
  route(app, "watchExecutions", async (call) => ({ stream: watchExecutions(deps, watchCall(call)) }));
  // Streams would hold a shutdown up until its grace is over.
  app.addHook("preClose", async () => deps.hub.close());
}

type Watching = Parameters<typeof watchExecutions>[1];

function watchCall(
  call: Pick<Watching, "principal" | "signal" | "readmit"> & { headers: { "last-event-id"?: string } },
): Watching {
  return {
    principal: call.principal,
    lastEventId: call.headers["last-event-id"],
    signal: call.signal,
    readmit: () => call.readmit(),
  };
}
