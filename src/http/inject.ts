import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { FastifyInstance, InjectOptions } from "fastify";

/**
 * A fetch whose requests reach the app without a socket; everything else about them is as over the network: routes, rights,
 * limits, log. Measured, a call costs a sixth of one over loopback.
 */
export function injectedFetch(app: FastifyInstance): typeof fetch {
  return async (input, init = {}) => {
    const { signal } = init;
    signal?.throwIfAborted();
    const headers = new Headers(init.headers);
    if (!headers.has("user-agent")) headers.set("user-agent", "pawl-mcp-bridge");
    const answer = app.inject({
      method: (init.method ?? "GET") as NonNullable<InjectOptions["method"]>,
      url: pathOf(String(input)),
      headers: Object.fromEntries(headers),
      ...(init.body == null ? {} : { payload: init.body as string }),
      // What is not a stream is cheaper whole.
      payloadAsStream: headers.get("accept")?.includes("text/event-stream") ?? false,
    });
    const { statusCode, headers: sent, raw, ...rest } = await orAborted(answer, signal);
    const body = "rawPayload" in rest ? rest.rawPayload : streamOf(rest, raw.res, signal);
    return new Response(statusCode === 204 ? null : (body as ConstructorParameters<typeof Response>[0]), {
      status: statusCode,
      headers: Object.entries(sent).map(([name, value]) => [name, String(value)]),
    });
  };
}

function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** The call goes on; only nobody waits for it any more, as when a socket is closed. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  const settled = new AbortController();
  const aborted = once(signal, "abort", { signal: settled.signal }).then(
    () => Promise.reject(signal.reason),
    () => work,
  );
  try {
    return await Promise.race([work, aborted]);
  } finally {
    settled.abort();
  }
}

/** Whoever stops reading closes the connection: the handler is told, as over a socket. */
function streamOf(
  answer: object,
  response: ServerResponse,
  signal: AbortSignal | null | undefined,
): ReadableStream {
  const stream = (answer as { stream(): Readable }).stream();
  const close = () => void response.destroy();
  stream.once("close", close);
  signal?.addEventListener("abort", close, { once: true });
  return Readable.toWeb(stream) as ReadableStream;
}
