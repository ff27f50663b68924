import type { FastifyInstance } from "fastify";
import { route } from "../http/route.ts";
import type { Jobs } from "./jobs.ts";
import { type JobRow, presentJob, presentVersion } from "./present.ts";
import { readJob, readVersion, readVersions } from "./read.ts";
import { presentStepType } from "./step-type.ts";
import { checkJob, exportJob, importJob, namesOfConnections } from "./transfer.ts";
import { createJob, deleteJob, replaceJob, restoreVersion } from "./write.ts";

/** Registers the routes of job definitions. */
export function jobRoutes(app: FastifyInstance, jobs: Jobs): void {
  const { store } = jobs;

  route(app, "createJob", async (call) => {
    const job = await createJob(jobs, call.principal, call.body);
    call.audit(about(job));
    return { data: presentJob(job), message: "The job is created." };
  });
  route(app, "importJob", async (call) => {
    const onExisting = call.query.onExisting ?? "replace";
    const { job, created } = await importJob(jobs, call.principal, call.body, onExisting);
    call.audit(about(job));
    return {
      data: presentJob(job),
      message: created ? "The job is created." : `The job is at version ${job.version}.`,
      status: created ? 201 : 200,
    };
  });
  route(app, "checkJob", async ({ principal, body }) => {
    await checkJob(jobs, principal, body);
    return { data: null, message: "The job can be saved." };
  });
  route(app, "getJob", async ({ principal, params }) => ({
    data: presentJob(await readJob(store, principal, params.id)),
    message: "The job.",
  }));
  route(app, "replaceJob", async (call) => {
    const { params, query, body } = call;
    const job = await replaceJob(jobs, call.principal, params.id, body, query.expectedVersion);
    call.audit(about(job));
    return { data: presentJob(job), message: `The job is at version ${job.version}.` };
  });
  route(app, "deleteJob", async (call) => {
    call.audit({ target: { name: await deleteJob(jobs, call.principal, call.params.id) } });
    return { data: null, message: "The job is deleted. Its executions stay readable." };
  });
  route(app, "listJobVersions", async ({ principal, params, query }) => {
    const { rows, total, page, size } = await readVersions(store, principal, params.id, query);
    return {
      data: rows.map(presentVersion),
      meta: { totalElements: total, page, size },
      message: "Versions of the job, newest first.",
    };
  });
  route(app, "getJobVersion", async ({ principal, params }) => ({
    data: presentVersion(await readVersion(store, principal, params.id, params.version)),
    message: `Version ${params.version} of the job.`,
  }));
  route(app, "restoreJobVersion", async (call) => {
    const { params } = call;
    const job = await restoreVersion(jobs, call.principal, params.id, params.version);
    call.audit(about(job));
    return {
      data: presentJob(job),
      message: `Version ${params.version} is restored as version ${job.version}.`,
    };
  });
  route(app, "exportJob", async ({ principal, params, query }) => {
    const job = await readJob(store, principal, params.id);
    const connections = await namesOfConnections(jobs.references, job.definition);
    return exportJob(job.definition, query.format ?? "yaml", connections);
  });
  route(app, "listStepTypes", () => ({
    data: [...jobs.types.values()].map(presentStepType),
    message: "The step types.",
  }));
}

/** What changed is in the versions of the job. */
function about({ id, definition }: JobRow) {
  return { target: { id, name: definition.name } };
}
