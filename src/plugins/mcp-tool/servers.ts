import type { InputFault, ResourceReference, StepContext } from "../plugin.ts";
import { isWrittenOut } from "../resources.ts";

/** A server of the registry, ready to be called: credentials in the clear, for the length of one step. */
export interface RegisteredServer {
  id: string;
  name: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Texts that must not be seen in what is kept or shown of its answers. */
  secrets: readonly string[];
  /** How the last discovery spoke to it; null before the first. */
  era: "legacy" | "modern" | null;
  /** Hashes of the tools that the last good discovery found, by name. */
  tools: ReadonlyMap<string, string>;
}

/** The step that calls a server: the use of a credential is recorded in its name. */
export interface ServerAsker {
  executionId: string;
  idempotencyKey: string;
  signal: AbortSignal;
}

/**
 * Finds a server of the registry.
 * @throws StepError DECRYPT_FAILED
 */
export type FindServer = (
  which: { id: string } | { name: string },
  asker: ServerAsker,
) => Promise<RegisteredServer | undefined>;

/** The one who asks, as the context of its step says. */
export function serverAsker(
  { scope, idempotencyKey }: Pick<StepContext<unknown>, "scope" | "idempotencyKey">,
  signal: AbortSignal,
): ServerAsker {
  return { executionId: String(scope.execution.id), idempotencyKey, signal };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What is wrong with the id of a server as a step has it: it is for an expression to say, or it is one. */
export function idFaults(id: unknown, path: string): InputFault[] {
  if (!isWrittenOut(id) || uuid.test(id)) return [];
  return [{ path, message: "must be the id of an MCP server, as GET /ai/mcp-servers/{id} takes it." }];
}

/** That a step uses this server, by id or name. */
export function serverReference(idOrName: unknown, path: string): ResourceReference {
  return { kind: "mcpServer", access: "read", name: isWrittenOut(idOrName) ? idOrName : undefined, path };
}
