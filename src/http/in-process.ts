import type { FastifyInstance, InjectOptions } from "fastify";

/** A `fetch` that reaches this app without a network: for the client of the API, in the process that serves it. */
export function inProcessFetch(app: FastifyInstance): typeof fetch {
  return async (address, init = {}) => {
    const { pathname, search } = new URL(String(address));
    const signal = init.signal ?? undefined;
    signal?.throwIfAborted();
    const request = {
      method: init.method ?? "GET",
      url: pathname + search,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body == null ? {} : { payload: init.body }),
      ...(signal ? { signal } : {}),
    } as InjectOptions;
    const { statusCode, headers, rawPayload } = await app.inject(request);
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    );
    return new Response(rawPayload.length === 0 ? null : new Uint8Array(rawPayload), {
      status: statusCode,
      headers: lines,
    });
  };
}
