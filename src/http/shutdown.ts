import type { FastifyInstance } from "fastify";
import { ApiError } from "../contract/errors.ts";

const closing = new WeakSet<FastifyInstance>();

/** Makes the app refuse, in the envelope, what still comes on open connections while it shuts down. */
export function drainable(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, reply, done) => {
    if (!closing.has(app)) return done();
    reply.header("connection", "close");
    done(new ApiError("OVERLOADED", "The server is shutting down. Try again in a moment."));
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    // Else the client would send its next request on a connection that is about to end.
    if (closing.has(app)) reply.header("connection", "close");
    done();
  });
}

/**
 * Stops accepting, closes idle connections, lets what is in flight finish for up to `graceMs`, then cuts it. Resolves when
 * every connection is gone.
 */
export async function close(app: FastifyInstance, graceMs: number): Promise<void> {
  closing.add(app);
  const limit = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(limit);
  }
}
