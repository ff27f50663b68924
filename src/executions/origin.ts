import type { AssistantClient } from "../contract/bridge.ts";
import { ApiError } from "../contract/errors.ts";
import type { StartRequest } from "../contract/execution.ts";
import type { Principal } from "../http/principal.ts";

export const assistantSource = "mcp-server";

/** Where a start came from, as its execution keeps it. */
export interface Origin {
  triggeredBy: string;
  triggerSource: string | null;
  client: AssistantClient | null;
}

/**
 * An assistant's start says so, whatever it asked for; and nobody else can say so.
 * @throws ApiError VALIDATION_FAILED
 */
export function originOf(
  { assistant }: Principal,
  request: StartRequest,
  clientInfo: string | undefined,
): Origin {
  if (assistant) {
    const client = { id: assistant.clientId, ...nameAndVersion(clientInfo) };
    return { triggeredBy: "api", triggerSource: assistantSource, client };
  }
  const { triggeredBy = "api", triggerSource } = request;
  if (triggerSource !== assistantSource) {
    return { triggeredBy, triggerSource: triggerSource ?? null, client: null };
  }
  const message =
    "is kept for runs that assistants start through the MCP bridge. Name another source, or none.";
  throw new ApiError("VALIDATION_FAILED", `The request is not valid: /triggerSource ${message}`, {
    details: [{ path: "/triggerSource", message }],
  });
}

/** The bridge's header: JSON, percent-encoded. The bridge cuts it to size; what is no such thing tells nothing. */
function nameAndVersion(header: string | undefined): { name: string | null; version: string | null } {
  try {
    const { name, version } = JSON.parse(decodeURIComponent(header ?? ""));
    return { name: textOf(name), version: textOf(version) };
  } catch {
    return { name: null, version: null };
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== ""
    ? value.toWellFormed().replaceAll("\0", "").slice(0, 200)
    : null;
}
