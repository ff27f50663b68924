import assert from "node:assert/strict";
import { createDialer } from "../../../src/lib/dialer.ts";
import { type McpSession, openSession } from "../../../src/plugins/mcp-tool/session.ts";
import { validateServer } from "../../../src/registry/validator.ts";

// What the official suite starts and looks at: the registry's validator, or the client that steps call tools with. Arguments: which,
// and the server's URL.
const [which, url] = process.argv.slice(2) as ["validator" | "session", string];
const dialer = createDialer({ policy: "guarded", ownPorts: () => [] });

if (which === "validator") {
  const report = await validateServer(url, {
    dialer,
    outbound: () => ({ url: new URL(url), headers: {}, secrets: [] }),
    clientVersion: "1",
  });
  assert.equal(report.status, "success", JSON.stringify(report));
} else {
  const signal = AbortSignal.timeout(20_000);
  const limits = { signal, timeoutMs: 10_000 };
  const known = new Map<string, string>();
  const server = {
    id: "1",
    name: "suite",
    url: new URL(url),
    headers: {},
    secrets: [],
    era: null,
    tools: known,
  };
  const session = await openSession(server as never, { dialer, version: "1", ...limits });
  // As a discovery just before would have it.
  for (const [name, { hash }] of session.tools) known.set(name, hash);
  for (const [name, args] of calls(session.tools)) {
    await session.call(name, args, limits);
  }
  await session.close();
}
await dialer.close();

/** What the scenario says that is to be called; or every tool once, with what some of them need. */
function calls(tools: McpSession["tools"]): [string, Record<string, unknown>][] {
  const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
  const { toolCalls } = JSON.parse(context) as {
    toolCalls?: { name: string; arguments: Record<string, unknown> }[];
  };
  if (toolCalls) return toolCalls.map(({ name, arguments: args }) => [name, args]);
  // Its server lists, and can't be called.
  if (scenario === "json-schema-ref-no-deref") return [];
  if (scenario === "json-schema-2020-12-preservation") {
    return [["json_schema_echo", { schema: tools.get("json_schema_2020_12_tool")!.inputSchema }]];
  }
  const given: Record<string, Record<string, unknown>> = {
    add_numbers: { a: 5, b: 3 },
    valid_tool: { region: "eu" },
  };
  return [...tools.keys()].map((name) => [name, given[name] ?? {}]);
}
