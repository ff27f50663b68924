import type { TestContext } from "node:test";
import { runtime } from "../../src/compose-service.ts";
import type { Usage } from "../../src/contract/configuration.ts";
import { noAudit } from "../../src/http/audit.ts";
import { createDialer } from "../../src/lib/dialer.ts";
import type { DiscoverDeps } from "../../src/registry/discover.ts";
import { serverLookup } from "../../src/registry/lookup.ts";
import { registryRoutes } from "../../src/registry/routes.ts";
import { serverStore } from "../../src/registry/store.ts";
import { identityApp } from "./identity-app.ts";
import { memoryVault } from "./vault.ts";

/** The registry's routes on a database of their own. `usage` is what jobs say that they use. */
export async function registryApp(t: TestContext, times?: DiscoverDeps["times"]) {
  const identity = await identityApp(t);
  const dialer = createDialer({ policy: "guarded", ownPorts: () => [] });
  t.after(() => dialer.close());
  const usage: Usage = { jobs: [], totalJobs: 0 };
  const vault = memoryVault();
  const store = serverStore(identity.pool);
  const deps = {
    store,
    vault,
    dialer,
    usageOf: async () => usage,
    version: "0.0.0",
    ...(times ? { times } : {}),
  };
  registryRoutes(identity.app, deps);
  const call = (method: string, path: string, payload?: object) =>
    identity.call(identity.admin, method, `/ai/mcp-servers${path}`, payload);
  const findServer = serverLookup({ store, vault, audit: noAudit, runtime });
  return { ...identity, as: identity.call, call, deps, findServer, usage };
}
