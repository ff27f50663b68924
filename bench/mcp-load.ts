import { Pool } from "undici";

export type Era = "modern" | "legacy";

/** So many keep-alive connections that send one JSON-RPC request again and again, as an assistant's client words it. */
export function openAssistants(given: {
  url: string;
  token: string;
  era: Era;
  method: string;
  params: object;
  connections: number;
  /** What must be in every answer. */
  expected: string;
}) {
  const { url, token, era, method, params, connections, expected } = given;
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(era === "modern" ? modernHeaders(method, params) : { "mcp-protocol-version": "2025-11-25" }),
  };
  const said = era === "modern" ? { ...params, _meta: envelope } : params;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: said });
  return {
    async ask(): Promise<void> {
      const answer = await pool.request({ method: "POST", path: "/mcp", headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200 || !text.includes(expected)) {
        throw new Error(`${method} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
      }
    },
    close: () => pool.close(),
  };
}

const revision = "2026-07-28";
const envelope = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
};

function modernHeaders(method: string, params: object) {
  return {
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...("name" in params ? { "mcp-name": String(params.name) } : {}),
  };
}
