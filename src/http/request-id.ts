import type { IncomingMessage } from "node:http";
import { uuidv7 } from "uuidv7";

/** The id of a request: the client's own X-Request-Id when it is harmless to log and to send back, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : uuidv7();
}
