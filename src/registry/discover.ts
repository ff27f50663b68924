import { ApiError } from "../contract/errors.ts";
import type { Discovery, DiscoveryStep } from "../contract/mcp-server.ts";
import type { Dialer } from "../lib/dialer.ts";
import { newId } from "../lib/ids.ts";
import { createMasker } from "../lib/masker.ts";
import { SealError, type Vault } from "../vault/vault.ts";
import { secretsOf } from "./auth-config.ts";
import { DiscoveryFault } from "./mcp-call.ts";
import { type Outbound, outboundOf } from "./outbound.ts";
import { openConfig } from "./secrets.ts";
import { readServer } from "./servers.ts";
import type { ServerRow, ServerStore } from "./store.ts";
import { type Report, validateServer, validatorTimes } from "./validator.ts";

export interface DiscoverDeps {
  store: ServerStore;
  vault: Vault;
  dialer: Dialer;
  /** Pawl's own, which servers are told. */
  version: string;
  times?: { requestMs: number; totalMs: number };
}

export interface DiscoveryWatch {
  signal?: AbortSignal;
  onStep?(step: DiscoveryStep): void;
  /** Called before the credentials of the server are opened; what it throws ends the discovery. */
  onUse(server: ServerRow): Promise<void>;
}

/** Longer than any discovery takes: what is claimed for longer was left by a process that died. */
const claimMarginMs = 15_000;

/**
 * Connects to a server, lists its tools, and keeps what it found. Answers also when that fails.
 * @throws ApiError NOT_FOUND, INVALID_STATE (one is under way; or the server was changed meanwhile), and what `onUse` throws
 */
export async function discover(deps: DiscoverDeps, id: string, watch: DiscoveryWatch): Promise<Discovery> {
  const { store, times = validatorTimes } = deps;
  const discoveryId = newId();
  if (!(await store.claim(id, discoveryId, times.totalMs + claimMarginMs))) {
    await readServer(store, id);
    throw new ApiError(
      "INVALID_STATE",
      "A discovery of this server is under way. Wait for its end, then try again.",
    );
  }
  try {
    // Read now that it has its place: a change from here on takes that away, and one of before would go unnoticed.
    const server = await readServer(store, id);
    const since = performance.now();
    const secrets: string[] = [];
    const { signal, onStep } = watch;
    if (secretsOf(server.authConfig).size > 0) await watch.onUse(server);
    const report = await validateServer(server.url, {
      dialer: deps.dialer,
      clientVersion: deps.version,
      ...times,
      ...(signal && { signal }),
      ...(onStep && { onStep: (step) => onStep(createMasker(secrets).value(step)) }),
      outbound() {
        const found = openOutbound(deps.vault, server);
        secrets.push(...found.secrets);
        return found;
      },
    });
    // A server can put the credential that it was sent into anything that it answers.
    const clean = createMasker(secrets).value(report);
    const kept = await keep(store, id, discoveryId, clean);
    return { serverId: id, ...kept, ...shown(clean), durationMs: Math.round(performance.now() - since) };
  } finally {
    await store.release(id, discoveryId);
  }
}

/** The address and headers of a server, credentials in the clear. */
export function openOutbound(vault: Vault, { id, url, authType, authConfig }: ServerRow): Outbound {
  try {
    return outboundOf(url, authType, openConfig(vault, id, authConfig));
  } catch (error) {
    if (error instanceof SealError || error instanceof TypeError) {
      throw new DiscoveryFault("DECRYPT_FAILED", `The credentials can't be used. ${error.message}`);
    }
    throw error;
  }
}

async function keep(
  store: ServerStore,
  id: string,
  discoveryId: string,
  { status, tools, error, protocolVersion, era, serverInfo }: Report,
): Promise<Pick<Discovery, "serverStatus" | "toolCount" | "lastCheckedAt" | "changes">> {
  if (status === "failure") {
    const failed = await store.fail(id, discoveryId, error!);
    if (!failed) throw changedMeanwhile();
    return {
      serverStatus: "OFFLINE",
      toolCount: failed.toolCount,
      lastCheckedAt: failed.at.toISOString(),
      changes: { added: [], removed: [], changed: [] },
    };
  }
  return store.transaction(async (client) => {
    const found = { protocolVersion: protocolVersion!, era: era!, serverInfo: serverInfo!, tools };
    const at = await store.succeed(client, id, discoveryId, found);
    if (!at) throw changedMeanwhile();
    const before = await store.hashes(id, client);
    await store.replaceTools(client, id, tools);
    const now = new Map(tools.map(({ name, hash }) => [name, hash]));
    const changes = {
      added: [...now.keys()].filter((name) => !before.has(name)),
      removed: [...before.keys()].filter((name) => !now.has(name)),
      changed: [...now].filter(([name, hash]) => (before.get(name) ?? hash) !== hash).map(([name]) => name),
    };
    return {
      serverStatus: "ONLINE" as const,
      toolCount: tools.length,
      lastCheckedAt: at.toISOString(),
      changes,
    };
  });
}

function shown({ status, steps, protocolVersion, era, serverInfo, error }: Report) {
  return { status, steps, protocolVersion, era, serverInfo, error };
}

function changedMeanwhile(): ApiError {
  return new ApiError(
    "INVALID_STATE",
    "The server was changed or deleted while it was discovered, so nothing was kept. Discover it again.",
  );
}
