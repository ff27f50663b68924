import { cleanText } from "../lib/mcp/clean-text.ts";
import { eventData } from "../lib/mcp/event-stream.ts";
import { StepError } from "../lib/step-error.ts";

/** Why a step of a discovery failed: a code of the contract, and a sentence. */
export class DiscoveryFault extends Error {
  override readonly name = "DiscoveryFault";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** What a server made of a request. */
export interface RpcAnswer {
  status: number;
  headers: Headers;
  result?: Record<string, unknown>;
  error?: RpcError;
}

export interface Peer {
  url: URL;
  headers: Record<string, string>;
  fetch: typeof fetch;
  /** For one request, from its first byte to the last of its answer. */
  requestMs: number;
  signal: AbortSignal;
}

const longestMessage = 200;

/** Sends a JSON-RPC request and reads the answer to it, be it JSON or the one message of an event stream that has its id. */
export async function callMcp(
  peer: Peer,
  message: { id: number; method: string; params?: unknown },
  headers: Record<string, string>,
): Promise<RpcAnswer> {
  const response = await send(peer, message, headers);
  const { status } = response;
  if (status === 202) await drop(response);
  refuseStatus(response);
  const type = mediaType(response);
  let answer: Record<string, unknown> | undefined;
  if (type === "application/json") answer = parseMessage(await response.text());
  else if (type === "text/event-stream" && status < 400) answer = await eventWithId(response, message.id);
  else await drop(response);
  const error = answer && rpcError(answer);
  if (error) return { status, headers: response.headers, error };
  if (status >= 400) throw new DiscoveryFault(`HTTP_${status}`, httpFault(status));
  if (answer?.jsonrpc !== "2.0") throw notMcp(type);
  if (answer.id !== message.id || !isObject(answer.result)) {
    throw new DiscoveryFault("NOT_MCP", `The answer to ${message.method} is not an answer to that request.`);
  }
  return { status, headers: response.headers, result: answer.result };
}

/** Sends a JSON-RPC notification. */
export async function notifyMcp(peer: Peer, method: string, headers: Record<string, string>): Promise<void> {
  const response = await send(peer, { method }, headers);
  await drop(response);
  refuseStatus(response);
  if (response.status >= 400) throw new DiscoveryFault(`HTTP_${response.status}`, httpFault(response.status));
}

/** Ends a session. Answers the status; servers need not allow it. */
export async function endSession(peer: Peer, headers: Record<string, string>): Promise<number> {
  const response = await fetched(peer, { method: "DELETE", headers: { ...peer.headers, ...headers } });
  await drop(response);
  return response.status;
}

/** A remote error in words that may be kept: short, on one line, without what hides in it. */
export function rpcFault({ code, message }: RpcError, method: string): DiscoveryFault {
  return new DiscoveryFault(`RPC_${code}`, `The server refused ${method}: ${excerpt(message)} (${code})`);
}

export function excerpt(text: string): string {
  const line = cleanText(text).replace(/\s+/g, " ").trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage).toWellFormed()}…` : line;
}

function send(peer: Peer, message: object, headers: Record<string, string>): Promise<Response> {
  return fetched(peer, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "user-agent": "pawl",
      ...peer.headers,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

async function fetched(peer: Peer, init: RequestInit): Promise<Response> {
  const signal = AbortSignal.any([peer.signal, AbortSignal.timeout(peer.requestMs)]);
  return peer.fetch(peer.url, { ...init, signal });
}

function refuseStatus(response: Response): void {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    void drop(response);
    const location = URL.parse(headers.get("location") ?? "", response.url || undefined);
    const where = location ? ` to ${location.origin}${location.pathname}` : "";
    throw new DiscoveryFault(
      "REDIRECT_NOT_ALLOWED",
      `The server redirects (${status})${excerpt(where) && ` ${excerpt(where)}`}. Register that address, if it is right.`,
    );
  }
  if (status === 401 || status === 403) {
    void drop(response);
    throw status === 401
      ? new DiscoveryFault(
          "AUTH_REQUIRED",
          "The server wants a credential, or another one (401). Check authType and authConfig.",
        )
      : new DiscoveryFault(
          "FORBIDDEN",
          "The server refuses the credential (403). Check what it may do, and whether it is of this server.",
        );
  }
}

function httpFault(status: number): string {
  if (status === 404 || status === 405) {
    return `There is no MCP at this address (HTTP ${status}): it has to take POST, as Streamable HTTP does. HTTP+SSE, the transport of 2024, is not supported; most such servers have /mcp too.`;
  }
  return `The server answered HTTP ${status}, and no MCP.`;
}

function notMcp(type: string): DiscoveryFault {
  return new DiscoveryFault(
    "NOT_MCP",
    `What answers there does not speak MCP: it sent ${type === "" ? "no content type" : excerpt(type)}.`,
  );
}

function mediaType(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Reads only until the message comes: the server may keep the stream open, or never end it. */
async function eventWithId(response: Response, id: number): Promise<Record<string, unknown> | undefined> {
  // Leaving the loop cancels the body, and with it the connection.
  for await (const data of eventData(response.body as ReadableStream<Uint8Array>)) {
    const message = parseMessage(data);
    if (message?.id === id && message.method === undefined) return message;
  }
  throw new DiscoveryFault("NOT_MCP", "The server ended its event stream without an answer.");
}

function parseMessage(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function rpcError({ error }: Record<string, unknown>): RpcError | undefined {
  if (!isObject(error) || !Number.isInteger(error.code)) return undefined;
  return { code: error.code as number, message: String(error.message ?? ""), data: error.data };
}

async function drop(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What stopped a step, whatever threw it, as a fault that may be kept. */
export function discoveryFault(error: unknown): DiscoveryFault {
  if (error instanceof DiscoveryFault) return error;
  if (error instanceof Error && error.name === "TimeoutError") {
    return new DiscoveryFault("TIMEOUT", "The server did not answer in time.");
  }
  if (error instanceof StepError) {
    const [code, message] = networkWords(error);
    return new DiscoveryFault(code, message);
  }
  throw error;
}

function networkWords(error: StepError): [string, string] {
  const cause = causeCode(error.cause);
  if (error.code === "EGRESS_BLOCKED") return ["BLOCKED_ADDRESS", error.message];
  if (error.code === "RESPONSE_TOO_LARGE") return ["TOO_LARGE", error.message];
  if (error.code === "TLS_FAILED") return ["TLS_FAILED", error.message];
  if (cause === "ENOTFOUND" || cause === "EAI_AGAIN") return ["DNS_FAILED", error.message];
  if (cause === "ECONNREFUSED") return ["CONNECTION_REFUSED", error.message];
  if (cause === "ETIMEDOUT" || cause.endsWith("_TIMEOUT")) return ["TIMEOUT", error.message];
  return ["CONNECTION_FAILED", error.message];
}

function causeCode(cause: unknown): string {
  if (cause instanceof AggregateError) return causeCode(cause.errors[0]);
  return String((cause as NodeJS.ErrnoException | undefined)?.code ?? "");
}
