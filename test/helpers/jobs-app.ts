import type { TestContext } from "node:test";
import { createConfiguration } from "../../src/compose-configuration.ts";
import { composeRegistry } from "../../src/compose-registry.ts";
import { composeRuntime } from "../../src/compose-runtime.ts";
import { type Audit, noAudit } from "../../src/http/audit.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { jobRoutes } from "../../src/jobs/routes.ts";
import { searchRoutes } from "../../src/jobs/search-routes.ts";
import { createDialer } from "../../src/lib/dialer.ts";
import { stepTypes } from "../../src/plugins/all.ts";
import { createSandbox } from "../../src/plugins/sandbox/pool.ts";
import { identityApp } from "./identity-app.ts";
import { memoryVault } from "./vault.ts";

/** The job routes on a database of their own, with the real step types and principals. */
export async function jobsApp(t: TestContext, options: { audit?: Audit } = {}) {
  const identity = await identityApp(t, options);
  const dialer = createDialer({ policy: "guarded", allow: [], ownPorts: () => new Set() });
  const sandbox = createSandbox();
  t.after(async () => {
    await sandbox.close();
    await dialer.close();
  });
  const { pool } = identity;
  const { log } = identity.app;
  const vault = memoryVault();
  const configuration = createConfiguration({ pool, vault, fileLimit: 1024, dialer });
  const audit = options.audit ?? noAudit;
  const registry = composeRegistry({ pool, vault, dialer, audit });
  const { hasServer } = registry;
  const runtime = await composeRuntime({ configuration, vault, log, audit, hasServer });
  t.after(() => runtime.close());
  const types = stepTypes({ dialer, sandbox, resources: runtime.resources, registry });
  const jobs = createJobs({ pool, stepTypes: types, ...runtime });
  jobRoutes(identity.app, jobs);
  searchRoutes(identity.app, jobs);
  const call = (method: string, url: string, payload?: object) =>
    identity.call(identity.admin, method, url, payload);

  /** Creates a job and answers it. */
  async function make(job: object) {
    const made = await call("POST", "/jobs", job);
    if (made.status !== 201) throw new Error(made.response.body);
    return made.data;
  }

  /** Sends YAML to `POST /jobs/import`. */
  async function importYaml(text: string, query = "", token = identity.admin) {
    const response = await identity.app.inject({
      method: "POST",
      url: `/jobs/import${query}`,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/yaml" },
      payload: text,
    });
    return { response, status: response.statusCode, body: response.json(), data: response.json().data };
  }

  return { ...identity, as: identity.call, jobs, vault, dialer, call, make, importYaml };
}

/** A job that is valid with little; what is given replaces its fields. */
export function jobOf(changes: object = {}) {
  return {
    name: "orders",
    steps: [
      { key: "first", type: "set", input: { values: { n: 1 } } },
      { key: "second", type: "log", input: { message: "n is {{ steps.first.output.n }}" } },
    ],
    ...changes,
  };
}
