import type { FastifyInstance, FastifyReply } from "fastify";
import { answerBrokenHttp } from "./broken-http.ts";

const longestMs = 30_000;

/**
 * A body that trickles in does not hold a socket for long, except on routes that take uploads. Node's own requestTimeout
 * knows no exceptions, so this stands in for it; one look at all of them every few seconds costs a request next to nothing.
 */
export function refuseSlowBodies(app: FastifyInstance, { limitMs = longestMs, everyMs = 5_000 } = {}): void {
  const arriving = new Map<FastifyReply, number>();
  app.addHook("onRequest", (request, reply, done) => {
    const { headers } = request.raw;
    const hasBody = "transfer-encoding" in headers || (headers["content-length"] ?? "0") !== "0";
    if (hasBody && !request.routeOptions.config?.pawl?.route.takesBytes) {
      arriving.set(reply, performance.now());
    }
    done();
  });
  app.addHook("preValidation", (_request, reply, done) => {
    arriving.delete(reply);
    done();
  });
  const watch = setInterval(() => {
    for (const [reply, since] of arriving) {
      const { raw } = reply.request;
      if (!raw.complete && !raw.destroyed && performance.now() - since <= limitMs) continue;
      arriving.delete(reply);
      if (raw.complete || raw.destroyed) continue;
      // Answered already, without a look at the body.
      if (reply.raw.headersSent) raw.destroy();
      else answerBrokenHttp(tooSlow, raw.socket);
    }
  }, everyMs).unref();
  app.addHook("onClose", (_app, done) => {
    clearInterval(watch);
    done();
  });
}

const tooSlow = Object.assign(new Error("The request is too slow."), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
