import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/v4";

/** What only the older revisions have, as far as a server without sessions can have it. */
export function addLegacy({ server }: McpServer): void {
  for (const method of ["resources/subscribe", "resources/unsubscribe"] as const) {
    server.setRequestHandler(method, { params: z.looseObject({ uri: z.string() }) }, () => ({}));
  }
}
