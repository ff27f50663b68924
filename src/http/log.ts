import { LogController } from "fastify";

/** What the logger must be told to leave out, wherever a part of Pawl logs a request. Give it to pino as `redact`. */
export const redact: string[] = [
  "authorization",
  "cookie",
  "*.authorization",
  "*.cookie",
  "headers.authorization",
  "headers.cookie",
  'headers["set-cookie"]',
  "*.headers.authorization",
  "*.headers.cookie",
  '*.headers["set-cookie"]',
];

/** One line a request, when it is over: no headers, no body, and no query string, which may hold what people typed. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Parameters<LogController["requestCompleted"]>[0],
    request: Parameters<LogController["requestCompleted"]>[1],
    reply: Parameters<LogController["requestCompleted"]>[2],
  ): void {
    const entry = request.routeOptions.config?.pawl;
    const level = entry?.route.tag === "Health" ? "debug" : "info";
    request.log[level](
      {
        method: request.method,
        // A token in the path is a key to what is behind it.
        path: entry?.route.path.includes("/:token") ? entry.route.path : pathOf(request.url),
        route: entry?.name,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        by: request.principal?.name,
        ...(error ? { aborted: error.message } : {}),
      },
      "request",
    );
  }

  // The error handler logs what deserves it.
  override defaultErrorLog(): void {}
  override routeNotFound(): void {}
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return (end < 0 ? url : url.slice(0, end)).slice(0, 500);
}
