import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Peer } from "./peers.ts";

/** A server of this process on a free port of loopback. */
export async function listening(server: Server, close: () => unknown = () => {}): Promise<Peer> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      await close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
