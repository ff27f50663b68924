import { StepError } from "../lib/step-error.ts";
import type { Vault } from "../vault/vault.ts";
import { openOutbound } from "./discover.ts";
import { DiscoveryFault } from "./mcp-call.ts";
import type { Era, ServerStore } from "./store.ts";

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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether there is this server, by its id or its name. */
export function serverFinder(store: ServerStore) {
  return async (idOrName: string): Promise<boolean> => {
    const found = await (uuid.test(idOrName) ? store.find(idOrName) : store.findByName(idOrName));
    return found !== undefined;
  };
}

/** Opens servers for the steps that call them: nothing of this is ever answered or stored. */
export function serverLookup({ store, vault }: { store: ServerStore; vault: Vault }) {
  /** @throws StepError DECRYPT_FAILED */
  return async (which: { id: string } | { name: string }): Promise<OpenServer | undefined> => {
    if ("id" in which && !uuid.test(which.id)) return undefined;
    const row = await ("id" in which ? store.find(which.id) : store.findByName(which.name));
    if (!row) return undefined;
    try {
      const tools = await store.hashes(row.id);
      return { id: row.id, name: row.name, era: row.era, tools, ...openOutbound(vault, row) };
    } catch (error) {
      if (!(error instanceof DiscoveryFault)) throw error;
      throw new StepError(
        "DECRYPT_FAILED",
        `The MCP server "${row.name}" can't be called. ${error.message}`,
        {
          retryable: false,
        },
      );
    }
  };
}
