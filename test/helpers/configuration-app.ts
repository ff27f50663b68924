import type { TestContext } from "node:test";
import { configurationRoutes, createConfiguration } from "../../src/compose-configuration.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Audit, AuditEntry } from "../../src/http/audit.ts";
import { jobsApp } from "./jobs-app.ts";

/** The configuration service beside the jobs, on a database of its own, with what was recorded in a list. */
export async function configurationApp(t: TestContext, { fileLimit = 1024 * 1024 } = {}) {
  const trail = { entries: [] as AuditEntry[], isAway: false };
  const audit: Audit = {
    record: async (entry) => void trail.entries.push(entry),
    async mustRecord(entry) {
      if (trail.isAway) throw new ApiError("STORE_UNAVAILABLE", "The audit record can't be written.");
      trail.entries.push(entry);
    },
  };
  const app = await jobsApp(t, { audit });
  const { vault } = app;
  const configuration = createConfiguration({ pool: app.pool, vault, fileLimit, dialer: app.dialer });
  configurationRoutes(app.app, configuration, app.jobs);
  return { ...app, trail, ...configuration };
}
