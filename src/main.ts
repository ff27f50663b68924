import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import { openAudit } from "./audit/open.ts";
import { auditRoutes } from "./audit/routes.ts";
import { composeBridge, startBridge } from "./compose-bridge.ts";
import { configurationRoutes, configurationSecrets, createConfiguration } from "./compose-configuration.ts";
import { composeIdentity } from "./compose-identity.ts";
import { checkpointSeal, composeRegistry } from "./compose-registry.ts";
import { composeRuntime } from "./compose-runtime.ts";
import { composeVault } from "./compose-vault.ts";
import type { Config } from "./config.ts";
import { startSweeping } from "./configuration/sweeper.ts";
import { vaultRoutes } from "./configuration/vault/routes.ts";
import { openDatabase } from "./database.ts";
import { isStoreUnavailable } from "./db/faults.ts";
import { forgetCheckpoints } from "./engines/embedded/checkpoint-store.ts";
import { openShared } from "./engines/embedded/shared.ts";
import { adminRoutes } from "./executions/admin-routes.ts";
import { controlRoutes } from "./executions/control-routes.ts";
import { controlStore } from "./executions/control-store.ts";
import { eventHub } from "./executions/event-hub.ts";
import { liveStore } from "./executions/live-store.ts";
import { overviewRoutes } from "./executions/overview-routes.ts";
import { overviewStore } from "./executions/overview-store.ts";
import { executionRoutes } from "./executions/routes.ts";
import { executionSearchStore } from "./executions/search-store.ts";
import { executionStore } from "./executions/store.ts";
import { createApp } from "./http/app.ts";
import { healthRoutes } from "./http/health.ts";
import { listen } from "./http/listen.ts";
import { close as closeApp } from "./http/shutdown.ts";
import { keepAdminToken } from "./identity/admin-token.ts";
import { ensureAdmin } from "./identity/first-start.ts";
import { createRecorder } from "./identity/last-used.ts";
import { findPrincipal } from "./identity/principals.ts";
import { identityRoutes } from "./identity/routes.ts";
import { makeSignInCode } from "./identity/session.ts";
import { sessionRoutes } from "./identity/session-routes.ts";
import { deleteExpired } from "./identity/session-store.ts";
import { createJobs } from "./jobs/jobs.ts";
import { jobRoutes } from "./jobs/routes.ts";
import { searchRoutes } from "./jobs/search-routes.ts";
import { createDialer } from "./lib/dialer.ts";
import { armFailpoint } from "./lib/failpoint.ts";
import { createLogger } from "./logger.ts";
import { stepTypes } from "./plugins/all.ts";
import { createStepRunner } from "./plugins/run.ts";
import { createSandbox } from "./plugins/sandbox/pool.ts";
import { mcpServerSecrets } from "./registry/sealed-store.ts";

export { removeEmbedded as removeData } from "./db/remove-embedded.ts";
export { abandonLostKeys, RecoveryError, resetAdminToken } from "./recovery.ts";

/** A running Pawl. */
export interface Pawl {
  url: string;
  /** Shown once: only at the first start of a database. */
  adminToken: string | undefined;
  /** Makes a link to the web interface that signs the administrator in, once and within the hour; just the address of a bridge alone. */
  signInLink(): Promise<string>;
  /** Executions that a former process left unfinished, and that this one goes on with. */
  resumed: number;
  /** Ends in order: requests and steps under way get PAWL_SHUTDOWN_GRACE. */
  close(): Promise<void>;
}

const logBytesPerTry = 256 * 1024;
const stepGraceMs = 5_000;
const hourMs = 3_600_000;
const heartbeatMs = 15_000;

/** Builds the parts, hands each what it needs of the others, and listens. */
export async function startPawl(config: Config): Promise<Pawl> {
  if (!config.services.includes("platform")) return startBridge(config);
  armFailpoint(config.failpoint);
  const log = createLogger(config);
  // Closed in the reverse order, also when a later part fails to start.
  await using opened = new AsyncDisposableStack();
  const fail = (error: Error) => {
    log.fatal({ err: error }, "Pawl can't go on, and ends. Nothing is lost: start it again.");
    process.exit(70);
  };

  const { url: databaseUrl, pool, port } = await openDatabase(config, log, opened, fail);
  const ownPorts = new Set<number>(port === undefined ? [] : [port]);

  const sources = [...configurationSecrets(pool), mcpServerSecrets(pool)];
  const keys = await composeVault(config, { pool, sources, log, opened });
  const auditing = openAudit({ pool, key: keys.vault.deriveKey("audit"), log });
  opened.defer(() => auditing.close());
  const dialer = createDialer({ policy: config.egress, allow: config.egressAllow, ownPorts: () => ownPorts });
  opened.defer(() => dialer.close());
  const configuration = createConfiguration({
    pool,
    vault: keys.vault,
    fileLimit: config.fileLimit,
    dialer,
  });

  const adminToken = await ensureAdmin(pool, {
    keep: async (token) => void (await keepAdminToken(config.dataDir, token)),
  });
  const uses = createRecorder(pool, { log });
  opened.defer(() => uses.close());

  let url = "";
  const publicUrl = () => config.publicUrl?.replace(/\/+$/, "") ?? url;
  const sessionKey = keys.vault.deriveKey("session");
  const identity = composeIdentity(config, { pool, uses, dialer, sessionKey, publicUrl });
  const { authenticator, openMcpSession } = identity;
  const sandbox = createSandbox();
  opened.defer(() => sandbox.close());
  const registry = composeRegistry({ pool, vault: keys.vault, dialer, audit: auditing.audit });
  const { configurationUrl, configurationToken } = config;
  const runtime = await composeRuntime({
    configuration,
    vault: keys.vault,
    remote:
      configurationUrl && configurationToken
        ? { url: configurationUrl, token: configurationToken }
        : undefined,
    log,
    audit: auditing.audit,
    hasServer: registry.hasServer,
  });
  opened.defer(() => runtime.close());
  const types = stepTypes({ dialer, sandbox, resources: runtime.resources, registry });
  const jobs = createJobs({ pool, stepTypes: types, ...runtime });

  const engine = await openShared({
    pool,
    url: databaseUrl,
    loadJob: jobs.loadCompiled,
    findJob: jobs.findCurrent,
    runStep: createStepRunner(types),
    protect: checkpointSeal(keys.vault),
    limits: { outputBytes: config.stepOutputLimit, logBytes: logBytesPerTry, graceMs: stepGraceMs },
    maxRunning: config.maxRunning,
    maxQueued: config.maxQueued,
    log,
  });
  opened.defer(() => engine.close(config.shutdownGraceMs));

  const engineClosed = new AbortController();

  const executions = executionStore(pool);
  const control = controlStore(pool);
  const cleaner = setInterval(() => {
    const work = [
      executions.forgetOldKeys(),
      control.forgetOldLinks(),
      forgetCheckpoints(pool),
      deleteExpired(pool, new Date()),
    ];
    Promise.all(work).catch((error: unknown) =>
      log.warn({ err: error }, "Old keys, links, checkpoints and sessions were not removed."),
    );
  }, hourMs);
  opened.defer(() => clearInterval(cleaner));

  opened.defer(startSweeping(configuration.contents, log));

  const app = await createApp({
    logger: log,
    authenticate: authenticator.authenticate,
    isStoreUnavailable,
    trustProxy: config.trustProxy,
    publicUrl: () => config.publicUrl,
    ui: fileURLToPath(new URL("../web/dist", import.meta.url)),
    audit: auditing.audit,
    limits: { signIns: config.signInLimit, decrypts: config.decryptLimit, probes: config.probeLimit },
  });
  adminRoutes(app, engine, manifest.version);
  vaultRoutes(app, keys);
  auditRoutes(app, auditing);
  healthRoutes(app, { database: () => pool.query("select 1"), engine: async () => engine.check() });
  identityRoutes(app, { pool, authenticator, uses, openMcpSession });
  sessionRoutes(app, { pool, oidc: identity.oidcSignIn, forget: authenticator.forget, now: Date.now });
  jobRoutes(app, jobs);
  searchRoutes(app, jobs);
  configurationRoutes(app, configuration, jobs);
  registry.routes(app);
  executionRoutes(app, {
    engine,
    store: executions,
    search: executionSearchStore(pool),
    findJob: jobs.findStartable,
    forgetJob: jobs.invalidate,
    findCompiled: jobs.loadCompiled,
    syncWaitLimitMs: config.syncWaitLimitMs,
    closed: engineClosed.signal,
  });
  overviewRoutes(app, { store: executions, overview: overviewStore(pool) });
  // At once, so that they share the grace: a caller may wait for an execution of which no further step will begin. It is
  // told so when the engine has closed, and has a moment to hear it.
  opened.defer(async () => {
    const engineDone = engine.close(config.shutdownGraceMs).finally(() => engineClosed.abort());
    await Promise.all([engineDone, closeApp(app, config.shutdownGraceMs + 500)]);
  });
  controlRoutes(app, {
    engine,
    store: executions,
    control,
    live: liveStore(pool),
    hub: eventHub(engine),
    heartbeatMs,
    findJob: jobs.findStartable,
    forgetJob: jobs.invalidate,
    findVersion: jobs.loadCompiled,
    findPrincipal: (id) => findPrincipal(pool, id),
    publicUrl,
  });
  const stateKey = keys.vault.deriveKey("requestState");
  await composeBridge(app, config, { identity, publicUrl, stateKey, log });
  await listen(app, { host: config.host, port: config.port });
  const address = app.server.address() as AddressInfo;
  ownPorts.add(address.port);
  url = `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;

  const parts = opened.move();
  return {
    url,
    adminToken: adminToken ?? undefined,
    async signInLink() {
      const code = await makeSignInCode(pool, Date.now());
      return `${publicUrl()}/ui/${code === undefined ? "" : `sign-in#${code}`}`;
    },
    resumed: engine.unfinishedAtStart,
    close: () => parts.disposeAsync(),
  };
}
