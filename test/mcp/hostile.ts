import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Peer } from "./peers.ts";

/** A server of this process on a free port of loopback. */
export async function listening(server: Server, close: () => unknown = () => {}): Promise<Peer> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      await close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });

/** What is done to whoever asks for `tools/list`. */
type Mischief = (response: ServerResponse, id: number, page: number) => void;

const MIB = 1024 * 1024;

const json = (response: ServerResponse, body: unknown) =>
  response.setHeader("content-type", "application/json").end(JSON.stringify(body));
const tools = (list: object[], nextCursor?: string): Mischief => {
  return (response, id) => json(response, { jsonrpc: "2.0", id, result: { tools: list, nextCursor } });
};

/** Sends so many bytes, as fast as they are taken; without end when none are given. */
function pour(response: ServerResponse, chunk: string, bytes = Number.POSITIVE_INFINITY): void {
  let left = bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return;
    }
    response.end();
  };
  response.on("drain", more);
  more();
}

const redirect = (location: string): Mischief => {
  return (response) => response.writeHead(307, { location }).end();
};

export const mischiefs: Record<string, { does: Mischief; code: string; atInitialize?: boolean }> = {
  "redirects to a metadata service": {
    does: redirect("http://169.254.169.254/latest/meta-data/"),
    code: "REDIRECT_NOT_ALLOWED",
  },
  "redirects at the first request": {
    does: redirect("http://127.0.0.1/"),
    code: "REDIRECT_NOT_ALLOWED",
    atInitialize: true,
  },
  "never answers": { does: () => {}, code: "TIMEOUT", atInitialize: true },
  "streams events that are no answer, without end": {
    does: (response) => {
      response.setHeader("content-type", "text/event-stream");
      pour(
        response,
        `data: ${JSON.stringify({ jsonrpc: "2.0", method: "x", params: "x".repeat(1000) })}\n\n`.repeat(50),
      );
    },
    code: "TOO_LARGE",
  },
  "streams one line without end": {
    does: (response) =>
      pour(response.setHeader("content-type", "text/event-stream"), `data: ${"x".repeat(60_000)}`),
    code: "TOO_LARGE",
  },
  "sends a byte at a time": {
    does: (response) => {
      response.setHeader("content-type", "application/json");
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    },
    code: "TIMEOUT",
  },
  "keeps an event stream alive and says nothing": {
    does: (response) => {
      response.setHeader("content-type", "text/event-stream");
      const timer = setInterval(() => response.write(": still here\n\n"), 10);
      response.on("close", () => clearInterval(timer));
    },
    code: "TIMEOUT",
  },
  "answers with 200 MB": {
    does: (response) =>
      pour(response.setHeader("content-type", "application/json"), `"${"x".repeat(65_534)}`, 200 * MIB),
    code: "TOO_LARGE",
  },
  "answers with 200 MB in 200 kB": {
    does: (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(bomb());
    },
    code: "TOO_LARGE",
  },
  "refuses with 200 MB": {
    does: (response) =>
      pour(response.writeHead(500, { "content-type": "application/json" }), "x".repeat(65_536), 200 * MIB),
    code: "TOO_LARGE",
  },
  "has 100,000 tools": {
    does: (response, id) => tools(Array.from({ length: 100_000 }, (_, i) => tool(`t${i}`)))(response, id, 0),
    code: "TOO_LARGE",
  },
  "has 100,000 tools, page by page": {
    does: (response, id, page) =>
      tools(
        Array.from({ length: 400 }, (_, i) => tool(`t${page}-${i}`)),
        "more",
      )(response, id, page),
    code: "TOO_LARGE",
  },
  "has pages without end": {
    does: (response, id, page) => tools([tool(`t${page}`)], String(page))(response, id, page),
    code: "INVALID_TOOL_LIST",
  },
  "has two tools of one name": { does: tools([tool("a"), tool("b"), tool("a")]), code: "INVALID_TOOL_LIST" },
  "has no list": {
    does: (response, id) => json(response, { jsonrpc: "2.0", id, result: { tools: {} } }),
    code: "INVALID_TOOL_LIST",
  },
  "nests a million deep": {
    does: (response, id) => {
      response.setHeader("content-type", "application/json");
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}}`);
    },
    code: "INVALID_TOOL_LIST",
  },
  "answers another request": {
    does: (response, id) => json(response, { jsonrpc: "2.0", id: id + 1, result: {} }),
    code: "NOT_MCP",
  },
  "answers something else": { does: (response) => json(response, [1, 2, 3]), code: "NOT_MCP" },
  "breaks off": {
    does: (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
      response.write("{", () => response.destroy());
    },
    code: "CONNECTION_FAILED",
  },
  "refuses with words of its own": {
    does: (response, id) =>
      json(response, {
        jsonrpc: "2.0",
        id,
        error: { code: -32603, message: `Give me \u202e${"y".repeat(5000)}` },
      }),
    code: "RPC_-32603",
  },
};

let made: Buffer | undefined;

function bomb(): Buffer {
  made ??= gzipSync(Buffer.alloc(200 * MIB, " "));
  return made;
}

/** A server that says it is one until it is asked for its tools; what it does then is in the path: `/<number of the mischief>`. */
export function hostileServer(): Promise<Peer> {
  const all = Object.values(mischiefs);
  // Before anybody measures what an answer costs.
  bomb();
  const pages = new Map<string, number>();
  return listening(
    createServer(async (request, response) => {
      response.on("error", () => {});
      const { does, atInitialize } = all[Number(request.url!.split("/").at(-1))]!;
      const text = Buffer.concat(await request.toArray()).toString();
      const { id, method } = text === "" ? {} : JSON.parse(text);
      if (method === "tools/list" || atInitialize) {
        const page = pages.get(request.url!) ?? 0;
        pages.set(request.url!, page + 1);
        return does(response, id, page);
      }
      if (id === undefined) return response.writeHead(202).end();
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "h", version: "1" },
      };
      return json(response, { jsonrpc: "2.0", id, result });
    }),
  );
}
