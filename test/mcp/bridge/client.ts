import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { McpScope } from "../../../src/contract/bridge.ts";
import type { JobLimits } from "../../../src/contract/identity.ts";
import type { RunningPawl } from "../../helpers/running-pawl.ts";

export type Era = "modern" | "legacy";
export const eras: readonly Era[] = ["modern", "legacy"];
const allScopes: McpScope[] = ["jobs:read", "jobs:run", "jobs:control"];

/** A user with these rights and a token for MCP. */
export async function assistantOf(
  pawl: RunningPawl,
  authorities: string[] = ["JobService:*:*"],
  { scopes = allScopes, jobs = null }: { scopes?: McpScope[]; jobs?: JobLimits | null } = {},
) {
  const user = await pawl.principal(authorities, jobs);
  const { data } = await pawl.client.createToken({
    body: { principalId: user.id, name: "assistant", for: "mcp", scopes },
  });
  return { ...user, mcpToken: data.token, mcpTokenId: data.id };
}

/** A client of the official library, connected. */
export async function connect(
  url: string,
  token: string,
  era: Era,
  { capabilities = {} }: { capabilities?: object } = {},
) {
  const mode = era === "modern" ? { pin: "2026-07-28" as const } : ("legacy" as const);
  const client = new Client(
    { name: "test-assistant", version: "1.2.3" },
    { capabilities, versionNegotiation: { mode } },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }));
  return client;
}

/** Calls a tool and answers what it said: the structured answer, or the code of its failure. */
export async function call(client: Client, name: string, args: object = {}, options: object = {}) {
  const result = await client.callTool({ name, arguments: { ...args } }, options);
  return {
    ...result,
    answer: result.structuredContent as never as Record<string, never>,
    error: result.isError ? errorIn(result) : undefined,
  };
}

/** What a refusal says to programs. */
export function errorIn({ _meta }: { _meta?: Record<string, unknown> | undefined }) {
  return _meta?.["pawl/error"] as { code: string; message: string; retryable: boolean } | undefined;
}
