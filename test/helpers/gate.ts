import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { httpServer } from "./http-server.ts";

/** Who has not come by then never will. */
const LIMIT_MS = 60_000;

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
      if (response) return Promise.resolve(response);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("Nobody asks.")), LIMIT_MS);
        askers.push((response) => {
          clearTimeout(timer);
          resolve(response);
        });
      });
    },
    /** Whoever asked has gone. */
    gone: (response: ServerResponse) =>
      response.destroyed
        ? Promise.resolve([])
        : once(response, "close", { signal: AbortSignal.timeout(LIMIT_MS) }),
  };
}
