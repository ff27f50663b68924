import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import manifest from "../package.json" with { type: "json" };
import { type BridgeOptions, mountBridge } from "./bridge/bridge.ts";
import { CheckFault } from "./bridge/health.ts";
import { probeBridge } from "./bridge/probe.ts";
import { remotePlatform } from "./bridge/remote-platform.ts";
import { createClient } from "./client/client.ts";
import type { Identity } from "./compose-identity.ts";
import { type Config, ConfigError } from "./config.ts";
import type { BridgeCheck } from "./contract/bridge.ts";
import { ApiError } from "./contract/errors.ts";
import { createApp } from "./http/app.ts";
import { healthRoutes } from "./http/health.ts";
import { injectedFetch } from "./http/inject.ts";
import { listen } from "./http/listen.ts";
import { route } from "./http/route.ts";
import { close as closeApp } from "./http/shutdown.ts";
import { createLogger } from "./logger.ts";

type Log = FastifyBaseLogger;

export interface BridgeDeps {
  identity: Identity;
  publicUrl(): string;
  /** Signs what a client holds while its user is asked. */
  stateKey: Uint8Array;
  log: Log;
}

/** What the configuration says of a bridge, wherever it runs. */
function optionsOf(
  config: Config,
  log: Log,
): Omit<BridgeOptions, "platform" | "publicUrl" | "stateKey" | "checks"> {
  return {
    version: manifest.version,
    allowedHosts: config.mcpAllowedHosts,
    allowedOrigins: config.mcpAllowedOrigins,
    issuer: config.oidcIssuer,
    confirm: config.mcpConfirm,
    callsPerMinute: config.mcpCallsPerMinute,
    requestsPerMinute: config.mcpRequestsPerMinute,
    wrongTokensPerMinute: config.signInLimit,
    log,
  };
}

/** The bridge in the platform's own process, if it is to run there, and what the platform says of it in either case. */
export async function composeBridge(app: FastifyInstance, config: Config, deps: BridgeDeps): Promise<void> {
  const { identity, publicUrl, log } = deps;
  const isHere = config.services.includes("bridge");
  const own = injectedFetch(app);
  if (isHere) {
    const platform = { url: "http://pawl.internal", fetch: own, openSession: identity.openMcpSession };
    const close = await mountBridge(app, {
      ...optionsOf(config, log),
      platform,
      publicUrl,
      stateKey: deps.stateKey,
      checks: {
        async platform() {
          await createClient(platform).ready();
        },
      },
    });
    app.addHook("preClose", close);
  }

  route(app, "mcpBridgeHealth", async ({ principal }) => {
    const health = await probeBridge({
      url: isHere ? publicUrl() : config.mcpBridgeUrl,
      // To an address that the operator has set, like that of the database: not through the guarded dialer.
      fetch: isHere ? own : fetch,
      token: identity.probeToken(principal.id),
      besides: () => verifierCheck(identity),
    });
    return { data: health, message: `MCP bridge is ${health.status}` };
  });
}

async function verifierCheck({ oidc }: Identity): Promise<BridgeCheck[]> {
  if (oidc === undefined) return [];
  const name = "token-verifier";
  try {
    await oidc.check();
    return [{ name, status: "PASS" }];
  } catch (error) {
    const message = error instanceof ApiError ? error.message : "The identity provider's keys can't be had.";
    return [{ name, status: "FAIL", code: "ISSUER_UNAVAILABLE", message }];
  }
}

/** The bridge alone, for a platform elsewhere: it has no database, and no rights but to ask what an assistant's token is good for. */
export async function startBridge(config: Config) {
  const log = createLogger(config);
  const platform = remotePlatform(platformOf(config));
  const app = await createApp({
    logger: log,
    authenticate: () => {
      throw new ApiError(
        "UNAUTHENTICATED",
        "This is the MCP bridge alone: the API is at the platform's address.",
      );
    },
    isStoreUnavailable: () => false,
    trustProxy: config.trustProxy,
    describe: false,
  });
  healthRoutes(
    app,
    Object.fromEntries(Object.entries(platform.checks).map(([name, check]) => [name, asReady(check)])),
  );
  let url = "";
  const close = await mountBridge(app, {
    ...optionsOf(config, log),
    platform,
    publicUrl: () => config.publicUrl ?? url,
    // Of this process: who is asked by one bridge and answers another is asked once more.
    stateKey: randomBytes(32),
    checks: platform.checks,
  });
  app.addHook("preClose", close);
  await listen(app, { host: config.host, port: config.port });
  const { address, family, port } = app.server.address() as AddressInfo;
  url = `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
  const signInLink = async () => url;
  return {
    url,
    adminToken: undefined,
    signInLink,
    resumed: 0,
    close: () => closeApp(app, config.shutdownGraceMs),
  };
}

/** Readiness tells anyone who asks: what a check says of itself is fit for that. */
function asReady(check: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await check();
    } catch (error) {
      throw error instanceof CheckFault ? new ApiError("STORE_UNAVAILABLE", error.message) : error;
    }
  };
}

function platformOf({ platformUrl: url, bridgeToken: credential }: Config) {
  if (url !== undefined && credential !== undefined) return { url, credential };
  const missing = [url === undefined && "PAWL_PLATFORM_URL", credential === undefined && "PAWL_BRIDGE_TOKEN"];
  throw new ConfigError(
    missing
      .filter((name) => name !== false)
      .map(
        (name) =>
          `${name} is needed where the bridge runs alone: the platform's address, and an API token for it.`,
      ),
  );
}
