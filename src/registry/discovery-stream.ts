import { Readable } from "node:stream";
import { ApiError } from "../contract/errors.ts";
import type { DiscoveryEvent, DiscoveryStep } from "../contract/mcp-server.ts";
import { type DiscoverDeps, type DiscoveryWatch, discover } from "./discover.ts";

/**
 * A discovery as server-sent events: each step as it ends, then the whole. Resolves when the first step is there.
 * @throws ApiError what `discover` throws before it begins
 */
export async function discoveryStream(
  deps: DiscoverDeps,
  id: string,
  {
    signal,
    onUse,
    onFault,
  }: { signal: AbortSignal; onUse: DiscoveryWatch["onUse"]; onFault(error: unknown): void },
): Promise<Readable> {
  const stream = new Readable({ read() {} });
  // A handful of events: they may wait in memory for a client that reads slowly.
  const tell = ({ event, data }: DiscoveryEvent) => {
    if (!stream.destroyed) stream.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const { promise: begun, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
  let hasBegun = false;
  const onStep = (data: DiscoveryStep) => {
    hasBegun = true;
    begin();
    tell({ event: "step", data });
  };
  discover(deps, id, { signal, onUse, onStep }).then(
    (data) => {
      tell({ event: "end", data });
      stream.push(null);
    },
    (error: unknown) => {
      if (!hasBegun) return refuse(error);
      if (signal.aborted) return stream.destroy();
      const known = error instanceof ApiError;
      if (!known) onFault(error);
      const code = known ? error.code : "INTERNAL";
      const message = known ? error.message : "Something went wrong in Pawl while it discovered. Try again.";
      tell({ event: "fault", data: { code, message } });
      stream.push(null);
    },
  );
  await begun;
  return stream;
}
