import type { TestContext } from "node:test";
import { composeConfiguration } from "../../src/compose-configuration.ts";
import { jobsApp } from "./jobs-app.ts";
import { memoryVault } from "./vault.ts";

/** The configuration service beside the jobs, on a database of its own. */
export async function configurationApp(t: TestContext) {
  const app = await jobsApp(t);
  const vault = memoryVault();
  const configuration = composeConfiguration(app.app, { pool: app.pool, vault });
  return { ...app, vault, ...configuration };
}
