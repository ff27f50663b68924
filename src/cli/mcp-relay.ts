import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { aborted } from "./signals.ts";

export interface RelayOptions {
  /** The bridge's endpoint. */
  endpoint: string;
  token: string;
  input: Readable;
  output: Writable;
  /** Aborted when it is to end. */
  signal: AbortSignal;
}

interface Message {
  jsonrpc?: unknown;
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; taskId?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: unknown };
}

/**
 * Carries MCP between a desktop assistant's standard input and output and the bridge: a line is a request, and what comes back
 * is lines. It knows nothing of tools; permissions, limits and history are the bridge's. Resolves when the input ends.
 */
export async function relay(options: RelayOptions): Promise<void> {
  const { input, output, signal } = options;
  const underWay = new Map<unknown, AbortController>();
  const calls = new Set<Promise<void>>();
  // Of the legacy era: what initialize agreed on goes with each request after it.
  let agreed: string | undefined;

  const write = (message: unknown) => void output.write(`${JSON.stringify(message)}\n`);
  const fail = (id: Message["id"], message: string) =>
    write({ jsonrpc: "2.0", id: id ?? null, error: { code: -32000, message } });

  async function send(message: Message): Promise<void> {
    const abort = new AbortController();
    const isRequest = message.id !== undefined && message.method !== undefined;
    if (isRequest) underWay.set(message.id, abort);
    try {
      const response = await fetch(options.endpoint, {
        method: "POST",
        redirect: "manual",
        headers: headersOf(message, options.token, agreed),
        body: JSON.stringify(message),
        signal: AbortSignal.any([abort.signal, signal]),
      });
      for await (const answer of answersOf(response)) {
        if (message.method === "initialize") agreed = versionIn(answer) ?? agreed;
        write(answer);
      }
      if (!response.ok && isRequest) fail(message.id, await refusalOf(response));
    } catch (error) {
      // What was cancelled is answered by nobody.
      if (isRequest && !abort.signal.aborted && !signal.aborted) fail(message.id, silenceOf(error, options));
    } finally {
      underWay.delete(message.id);
    }
  }

  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  signal.addEventListener("abort", () => lines.close(), { once: true });
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const message = parsed(line);
    if (message === undefined) {
      write({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "The line is not JSON." } });
    } else if (message.method === "notifications/cancelled") {
      // Over HTTP, a request is cancelled by closing its answer.
      underWay.get(message.params?.requestId)?.abort();
    } else {
      const call = send(message).finally(() => calls.delete(call));
      calls.add(call);
    }
  }
  // Whoever sends a line from a script ends the input at once and wants the answer.
  await Promise.race([
    Promise.all(calls),
    aborted(AbortSignal.any([signal, AbortSignal.timeout(lastAnswersMs)])),
  ]);
  for (const abort of underWay.values()) abort.abort();
  await Promise.all(calls);
}

const lastAnswersMs = 5_000;

/** The modern era wants the body's version, method and name in headers too. */
function headersOf({ method, params }: Message, token: string, agreed: string | undefined) {
  const modern = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  const version = typeof modern === "string" ? modern : method === "initialize" ? undefined : agreed;
  const name = method?.startsWith("tasks/") ? params?.taskId : params?.name;
  return {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    ...(typeof modern === "string" && method !== undefined ? { "mcp-method": method } : {}),
    ...(typeof modern === "string" && typeof name === "string" && isPlain(name) ? { "mcp-name": name } : {}),
  };
}

/** What can't be in a header as it is names no tool of ours: the bridge refuses it anyway. */
function isPlain(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** What of the answer is JSON-RPC. The body of any other is left for who says what was refused. */
async function* answersOf(response: Response): AsyncGenerator<unknown> {
  if (!response.ok) return;
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    yield* eventsOf(response.body!);
    return;
  }
  const message = parsed(await response.text());
  if (message !== undefined) yield message;
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const frames = text.split(/\r?\n\r?\n/);
    text = frames.pop()!;
    for (const frame of frames) {
      const data = frame
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n");
      const message = data === "" ? undefined : parsed(data);
      if (message !== undefined) yield message;
    }
  }
}

/** A refusal of the door is OAuth's, not JSON-RPC's: its sentence is what the reader needs. */
async function refusalOf(response: Response): Promise<string> {
  const scope = /error="insufficient_scope".*\bscope="([^"]+)"/.exec(
    response.headers.get("www-authenticate") ?? "",
  )?.[1];
  if (scope !== undefined) {
    return `The token lacks the scope ${scope}. A token that has it: pawl token create --for mcp --scope ${scope}`;
  }
  const body = (parsed(await response.text()) ?? {}) as {
    error_description?: unknown;
    error?: { message?: unknown };
  };
  const why = body.error_description ?? body.error?.message;
  return typeof why === "string" ? why : `Pawl refused the request (HTTP ${response.status}).`;
}

function silenceOf(error: unknown, { endpoint }: RelayOptions): string {
  const cause = (error as { cause?: { code?: string } }).cause?.code;
  return `Pawl does not answer at ${endpoint}${cause ? ` (${cause})` : ""}: is it running?`;
}

function versionIn(answer: unknown): string | undefined {
  const version = (answer as Message).result?.protocolVersion;
  return typeof version === "string" ? version : undefined;
}

function parsed(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return undefined;
  }
}
