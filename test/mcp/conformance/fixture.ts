import { McpServer } from "@modelcontextprotocol/server";
import Fastify from "fastify";
import { mountMcp } from "../../../src/bridge/mount.ts";
import { addContent } from "./fixture-content.ts";
import { addInputs, states } from "./fixture-inputs.ts";
import { addLegacy } from "./fixture-legacy.ts";
import { addTools } from "./fixture-tools.ts";

const aSecond = { ttlMs: 1000, cacheScope: "private" } as const;

/**
 * What the official suite wants to find on a server, on the HTTP stack of the bridge: the bridge itself has nine tools, and neither
 * resources nor prompts. Nobody is asked for a token, since the suite has none to send.
 */
export async function startFixture() {
  const app = Fastify();
  const mounted = await mountMcp(app, {
    factory: ({ era }) => {
      const server = new McpServer(
        { name: "pawl-conformance", version: "1" },
        {
          capabilities: {
            tools: { listChanged: true },
            prompts: { listChanged: true },
            resources: { listChanged: true, ...(era === "legacy" ? { subscribe: true } : {}) },
            completions: {},
            logging: {},
          },
          cacheHints: {
            "tools/list": aSecond,
            "prompts/list": aSecond,
            "resources/list": aSecond,
            "resources/templates/list": aSecond,
            "resources/read": aSecond,
            "server/discover": aSecond,
          },
          requestState: { verify: states.verify },
        },
      );
      addTools(server, {
        toolsChanged: () => mounted.notify.toolsChanged(),
        promptsChanged: () => mounted.notify.promptsChanged(),
      });
      addContent(server);
      addInputs(server);
      if (era === "legacy") addLegacy(server);
      return server;
    },
    allowedHosts: () => ["localhost", "127.0.0.1", "[::1]"],
    allowedOrigins: () => ["localhost", "127.0.0.1", "[::1]"],
    onError: () => {},
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    async close() {
      await mounted.close();
      await app.close();
    },
  };
}
