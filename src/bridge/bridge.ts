import type {} from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { CallLog } from "./call.ts";
import { confirmationCodec, noConfirmation, stopConfirmation } from "./confirm.ts";
import { bearerGate } from "./gate.ts";
import { type Check, ownHealth } from "./health.ts";
import { usualHosts } from "./hosts.ts";
import { createLimits } from "./limits.ts";
import { mcpPath, mountMcp } from "./mount.ts";
import type { Platform } from "./platform.ts";
import { resourceMetadata } from "./resource-metadata.ts";
import { toolServer } from "./server.ts";

export interface BridgeOptions {
  platform: Platform;
  version: string;
  /** Where people and assistants reach this bridge, without a path of its own. */
  publicUrl(): string;
  /** Left out: the public address and this machine's. */
  allowedHosts: string[];
  allowedOrigins: string[];
  /** The identity provider whose tokens the platform takes besides its own. */
  issuer: string | undefined;
  /** Whether a stop has to be confirmed. */
  confirm: "argument" | "off";
  callsPerMinute: number;
  requestsPerMinute: number;
  /** Of one address; 0: any number. */
  wrongTokensPerMinute: number;
  /** Signs what a client holds while its user is asked. The same in every process that serves this address. */
  stateKey: Uint8Array;
  /** What has to be right for it to work. */
  checks: Record<string, Check>;
  log: CallLog;
}

const waitsOfUser = 10;

/** The MCP bridge: /mcp, what an OAuth client has to know of it, and how it is. Answers how to end it. */
export async function mountBridge(
  app: FastifyInstance,
  options: BridgeOptions,
): Promise<() => Promise<void>> {
  const { platform, version, publicUrl, log } = options;
  const codec = confirmationCodec(options.stateKey);
  const resource = () => new URL(publicUrl().replace(/\/+$/, "") + mcpPath);
  const metadata = resourceMetadata({ resource, issuer: options.issuer });
  metadata.serve(app);

  const health = ownHealth({ version, checks: options.checks, warn: (...said) => log.warn(...said) });
  app.get(`${mcpPath}/health`, async (_request, reply) => {
    const answer = await health();
    return reply.code(answer.status === "Healthy" ? 200 : 503).send(answer);
  });

  const hosts = (given: string[]) => (given.length > 0 ? given : usualHosts(publicUrl()));
  const { close } = await mountMcp(app, {
    factory: toolServer({
      version,
      platform,
      states: codec,
      deps: {
        limits: createLimits({ callsPerMinute: options.callsPerMinute, waits: waitsOfUser }),
        confirmStop: options.confirm === "off" ? noConfirmation : stopConfirmation(codec),
      },
      log,
    }),
    gate: bearerGate({
      openSession: platform.openSession,
      resource,
      metadataUrl: metadata.url,
      requestsPerMinute: options.requestsPerMinute,
      countWrong: wrongTokens(app, options.wrongTokensPerMinute),
      onUnavailable: (error) => log.warn({ err: error }, "A token for MCP could not be looked at."),
    }),
    allowedHosts: () => hosts(options.allowedHosts),
    allowedOrigins: () => hosts(options.allowedOrigins),
    onError: (error) => log.info({ reason: error.message }, "An MCP request was refused."),
  });
  return close;
}

/** Of addresses as the API counts them: of IPv6 by network. */
function wrongTokens(app: FastifyInstance, max: number): (request: FastifyRequest) => Promise<number> {
  if (max === 0) return async () => 0;
  const count = app.createRateLimit({ max, timeWindow: 60_000 });
  return async (request) => {
    const state = await count(request);
    return state.isAllowed || !state.isExceeded ? 0 : Math.max(1, state.ttlInSeconds);
  };
}
