import type { Received, RunningPawl } from "../../helpers/running-pawl.ts";
import type { Era } from "./client.ts";

export const revision = "2026-07-28";

export interface RawCall {
  token?: string | null;
  era?: Era;
  method: string;
  params?: Record<string, unknown>;
  headers?: Record<string, string>;
  capabilities?: object;
}

/** A JSON-RPC request as it goes over the wire, in either era. */
export function rpc(pawl: Pick<RunningPawl, "send">, call: RawCall): Promise<Received> {
  const { token, era = "modern", method, params = {}, headers = {}, capabilities = {} } = call;
  const name = params.name ?? params.taskId;
  const modern = {
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  };
  return pawl.send({
    method: "POST",
    path: "/mcp",
    token,
    headers: {
      accept: "application/json, text/event-stream",
      ...(era === "modern" ? modern : { "mcp-protocol-version": "2025-11-25" }),
      ...headers,
    },
    body: { jsonrpc: "2.0", id: 1, method, params: era === "modern" ? { ...params, _meta: meta } : params },
  });
}

/** The answer of a tool, out of JSON or of the one event that holds it. */
export function resultOf({ text, json }: Received) {
  const message = json ?? JSON.parse(/^data: (\{.*\})$/m.exec(text)![1]!);
  return message.result ?? message;
}
