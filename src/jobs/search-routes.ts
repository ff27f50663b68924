import type { FastifyInstance } from "fastify";
import { route } from "../http/route.ts";
import { createCollection, deleteCollection, readCollection, replaceCollection } from "./collections.ts";
import type { Jobs } from "./jobs.ts";
import { presentCollection, presentItem, presentJob, presentStepRecord } from "./present.ts";
import { type Page, readStep, searchAll, searchCollections, searchJobs, searchSteps } from "./search.ts";

/** Registers the searches, and the routes of steps and collections. */
export function searchRoutes(app: FastifyInstance, jobs: Jobs): void {
  route(app, "searchAll", async ({ principal, query, body }) =>
    answer(await searchAll(jobs, principal, query.type ?? "all", body), presentItem, body, "item"),
  );
  route(app, "searchJobs", async ({ principal, body }) =>
    answer(await searchJobs(jobs, principal, body), presentJob, body, "job"),
  );
  route(app, "searchSteps", async ({ principal, body }) =>
    answer(await searchSteps(jobs, principal, body), presentStepRecord, body, "step"),
  );
  route(app, "searchCollections", async ({ principal, body }) =>
    answer(await searchCollections(jobs, principal, body), presentCollection, body, "collection"),
  );
  route(app, "getStep", async ({ principal, params }) => ({
    data: presentStepRecord(await readStep(jobs, principal, params.id)),
    message: "The step.",
  }));
  route(app, "createCollection", async (call) => {
    const made = await createCollection(jobs, call.principal, call.body);
    call.audit({ target: { id: made.id, name: made.name }, changed: Object.keys(call.body) });
    return { data: presentCollection(made), message: "The collection is created." };
  });
  route(app, "getCollection", async ({ principal, params }) => ({
    data: presentCollection(await readCollection(jobs.collections, principal, params.id)),
    message: "The collection.",
  }));
  route(app, "replaceCollection", async (call) => {
    const changed = await replaceCollection(jobs, call.principal, call.params.id, call.body);
    call.audit({ target: { name: changed.name } });
    return { data: presentCollection(changed), message: "The collection is changed." };
  });
  route(app, "deleteCollection", async ({ principal, params, query }) => {
    const moved = await deleteCollection(jobs, principal, params.id, query.moveTo);
    return { data: null, message: `The collection is deleted.${moved > 0 ? ` Jobs moved: ${moved}.` : ""}` };
  });
}

function answer<Row, Shown>(
  { rows, total, page, size, suggestion }: Page<Row>,
  present: (row: Row) => Shown,
  { searchText }: { searchText?: string | null },
  noun: string,
) {
  const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
  const nothing = searchText?.trim() ? `Nothing is found for "${searchText.trim()}".` : `No ${noun}s found.`;
  const found = total === 1 ? `1 ${noun} found.` : `${total} ${noun}s found.`;
  return {
    data: rows.map(present),
    meta: { totalElements: total, page, size },
    message: total === 0 ? `${nothing}${hint}` : found,
  };
}
