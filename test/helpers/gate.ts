import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { httpServer } from "./http-server.ts";

/**
 * A server whose answers a test gives by hand, so that a step which asks it stands still in the middle: `asked` resolves
 * with the answer that is yet to be given.
 */
export async function gate() {
  const waiting: ServerResponse[] = [];
  const askers: ((response: ServerResponse) => void)[] = [];
  const server = await httpServer((_request, response) => {
    const asker = askers.shift();
    if (asker) asker(response);
    else waiting.push(response);
  });
  return {
    ...server,
    asked(): Promise<ServerResponse> {
      const response = waiting.shift();
      return response ? Promise.resolve(response) : new Promise((resolve) => askers.push(resolve));
    },
    /** Whoever asked has gone. */
    gone: (response: ServerResponse) => (response.destroyed ? Promise.resolve([]) : once(response, "close")),
  };
}
