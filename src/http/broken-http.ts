import type { Socket } from "node:net";
import { uuidv7 } from "uuidv7";
import { ApiError } from "../contract/errors.ts";
import { failureBody } from "./failure.ts";

/** Answers what is not HTTP, or too slow or too long to become a request: the same envelope, straight to the socket. */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  // Nobody is there, or an answer is already under way.
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = uuidv7();
  const body = JSON.stringify(
    failureBody(new ApiError("VALIDATION_FAILED", messageFor(error.code)), requestId),
  );
  socket.end(
    [
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      "Cache-Control: no-store",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

function messageFor(code: string | undefined): string {
  if (code === "HPE_HEADER_OVERFLOW")
    return "The headers are longer than 16 KiB. Send fewer or shorter ones.";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "The request took too long to arrive. Send it again.";
  return "This is not a valid HTTP request.";
}
