import { createServer } from "node:http";
import { createClient } from "../src/client/client.ts";
import { toolServer } from "../test/mcp/agent/tool-server.ts";
import { listening } from "../test/mcp/hostile.ts";
import { everything } from "../test/mcp/peers.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { startServer } from "./server.ts";
import { benchDatabase } from "./setup.ts";
import { round, table } from "./table.ts";

/** How long a discovery takes, from the request to its answer, one at a time, on the whole server in a process of its own. */
export async function benchDiscovery({ repeat }: { repeat: number }) {
  const machine = describeMachine();
  await using database = await benchDatabase();
  const postgres = await describePostgres(database.pool);
  await using server = await startServer(database.url);
  const { url, token } = server;
  const client = createClient({ url, token });
  const peers = {
    "1 tool, answers at once": await listed(1),
    "512 tools of 1 KiB": await listed(512),
    "server-everything, 2025-11-25": await everything(),
    "SDK server, 2026-07-28 only": await toolServer({ legacy: false }),
  };
  const runs = [];
  try {
    for (const [name, peer] of Object.entries(peers)) {
      const made = await client.registerMcpServer({ body: { name, url: peer.url } });
      const { id } = made.data;
      const taken: number[] = [];
      let tools = 0;
      for (let i = -2; i < repeat; i++) {
        const since = performance.now();
        const { data } = await client.discoverMcpServer({ params: { id } });
        // The first two are warm-up.
        if (i >= 0) taken.push(performance.now() - since);
        if (data.status !== "success") throw new Error(`${name}: ${JSON.stringify(data.error)}`);
        tools = data.toolCount;
      }
      taken.sort((a, b) => a - b);
      const at = (part: number) => taken[Math.floor((taken.length - 1) * part)]!;
      runs.push({ peer: name, tools, p50Ms: at(0.5), p99Ms: at(0.99) });
    }
  } finally {
    await Promise.all(Object.values(peers).map((peer) => peer[Symbol.asyncDispose]()));
  }
  return { machine, postgres, repeat, runs };
}

/** A server with so many tools that costs next to nothing itself. */
function listed(count: number) {
  const tools = Array.from({ length: count }, (_, i) => ({
    name: `tool_${i}`,
    description: "x".repeat(700),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        "abcde".split("").map((name) => [name, { type: "string", description: `The ${name}` }]),
      ),
      required: ["a"],
    },
  }));
  const answers: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "listed", version: "1" },
    },
    "tools/list": { tools },
  };
  return listening(
    createServer(async (request, response) => {
      const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      if (id === undefined) return response.writeHead(202).end();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }));
    }),
  );
}

export function printDiscovery({ runs, repeat }: Awaited<ReturnType<typeof benchDiscovery>>): string {
  const rows = runs.map(({ peer, tools, p50Ms, p99Ms }) => [peer, tools, round(p50Ms, 1), round(p99Ms, 1)]);
  return `${table(["peer", "tools", "p50 ms", "p99 ms"], rows)}\n\n${repeat} discoveries each, one after another.`;
}
