import { type Audit, actorOf } from "../http/audit.ts";
import type { Principal } from "../http/principal.ts";
import { StepError } from "../lib/step-error.ts";
import type { Vault } from "../vault/vault.ts";
import { openOutbound } from "./discover.ts";
import { DiscoveryFault } from "./mcp-call.ts";
import type { Outbound } from "./outbound.ts";
import type { Era, ServerRow, ServerStore } from "./store.ts";

/** A server that is about to be called, its credentials in the clear. */
export interface OpenServer {
  id: string;
  name: string;
  url: URL;
  headers: Record<string, string>;
  secrets: string[];
  era: Era | null;
  /** Hashes of its tools by name. */
  tools: Map<string, string>;
}

/** An expression can make any text; the database takes no NUL, and so nothing is called so. */
const isName = (text: string) => !text.includes("\0");
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether there is this server, by its id or its name. */
export function serverFinder(store: ServerStore) {
  return async (idOrName: string): Promise<boolean> => {
    if (!isName(idOrName)) return false;
    const found = await (uuid.test(idOrName) ? store.find(idOrName) : store.findByName(idOrName));
    return found !== undefined;
  };
}

/** The step that is about to call a server. */
export interface CallingStep {
  executionId: string;
  idempotencyKey: string;
}

export interface LookupDeps {
  store: ServerStore;
  vault: Vault;
  audit: Pick<Audit, "mustRecord">;
  /** As whom steps use credentials. */
  runtime: Principal;
}

/**
 * Opens servers for the steps that call them: nothing of this is ever answered or stored. Each time that a credential is opened is on
 * the audit record before it can be used.
 */
export function serverLookup({ store, vault, audit, runtime }: LookupDeps) {
  /** @throws StepError DECRYPT_FAILED, ApiError STORE_UNAVAILABLE when it can't be recorded */
  return async (
    which: { id: string } | { name: string },
    { executionId, idempotencyKey }: CallingStep,
  ): Promise<OpenServer | undefined> => {
    if ("id" in which ? !uuid.test(which.id) : !isName(which.name)) return undefined;
    const row = await ("id" in which ? store.find(which.id) : store.findByName(which.name));
    if (!row) return undefined;
    const tools = await store.hashes(row.id);
    const { id, name, era } = row;
    const outbound = opened(vault, row);
    if (outbound.secrets.length > 0) {
      await audit.mustRecord({
        actor: actorOf(runtime),
        action: "useMcpServer",
        target: { type: "mcpServer", id, name },
        changed: [],
        outcome: "success",
        request: { id: idempotencyKey, ip: null, client: `execution ${executionId}` },
      });
    }
    return { id, name, era, tools, ...outbound };
  };
}

function opened(vault: Vault, row: ServerRow): Outbound {
  try {
    return openOutbound(vault, row);
  } catch (error) {
    if (!(error instanceof DiscoveryFault)) throw error;
    const message = `The MCP server "${row.name}" can't be called. ${error.message}`;
    throw new StepError("DECRYPT_FAILED", message, { retryable: false });
  }
}
