import type { IncomingMessage } from "node:http";

export const mostBody = 1024 * 1024;
/** A request around what the platform takes: parameters of a job may be 64 levels deep. */
const mostDepth = 70;
const mostValues = 100_000;

/** Why a body is no message, as HTTP and JSON-RPC say it. */
export interface BodyFault {
  status: 400 | 408 | 413;
  code: -32700 | -32600 | -32000;
  message: string;
}

/**
 * Reads the one message of a request. Batches are refused: no current revision has them, and each would pass the limit
 * on requests as one.
 */
export async function readMessage(
  request: IncomingMessage,
  { withinMs = 30_000 } = {},
): Promise<{ message: object } | { fault: BodyFault }> {
  const text = await inTime(readText(request), withinMs);
  if (text === late) return fault(408, -32000, "The body came too slowly.");
  if (text === tooLong) return fault(413, -32000, "The body is larger than 1 MiB.");
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return fault(400, -32700, "The body is not JSON.");
  }
  if (Array.isArray(message)) {
    return fault(400, -32600, "Batches are not part of the protocol any more: send one message at a time.");
  }
  if (typeof message !== "object" || message === null) {
    return fault(400, -32600, "The body is not a message of JSON-RPC.");
  }
  if (!isWalkable(message)) {
    return fault(400, -32600, `A message has ${mostDepth} levels and ${mostValues} values at most.`);
  }
  return { message };
}

const late = Symbol("late");
const tooLong = Symbol("too long");

/** The watch of the app over slow bodies ends before this one is read. */
async function inTime<T>(reading: Promise<T>, withinMs: number): Promise<T | typeof late> {
  const limit = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => limit.resolve(late), withinMs);
  try {
    return await Promise.race([reading, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What broke off is not JSON either: nobody is there to hear more. */
async function readText(request: IncomingMessage): Promise<string | typeof tooLong> {
  if (Number(request.headers["content-length"]) > mostBody) return tooLong;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // A request that is destroyed takes its socket along, and the answer with it.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBody) return tooLong;
      chunks.push(chunk);
    }
  } catch {
    return "";
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What reads it recurses: a million brackets would end its stack. */
function isWalkable(message: object): boolean {
  let level: object[] = [message];
  let left = mostValues;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > mostDepth) return false;
    const next: object[] = [];
    for (const value of level.flatMap((it) => Object.values(it))) {
      if (left-- === 0) return false;
      if (typeof value === "object" && value !== null) next.push(value);
    }
    level = next;
  }
  return true;
}

function fault(status: BodyFault["status"], code: BodyFault["code"], message: string): { fault: BodyFault } {
  return { fault: { status, code, message } };
}
