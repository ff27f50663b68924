import type { McpServerInfo } from "../contract/mcp-server.ts";
import { type callMcp, DiscoveryFault, excerpt } from "./mcp-call.ts";

export const latestLegacy = "2025-11-25";
const legacyVersions: readonly unknown[] = [latestLegacy, "2025-06-18", "2025-03-26", "2024-11-05"];
export const modernVersion = "2026-07-28";
const meta = "io.modelcontextprotocol";

/** What a server says of itself before it is asked for tools. */
export interface Legacy {
  protocolVersion: string;
  serverInfo: McpServerInfo;
  hasTools: boolean;
}
export type Modern = Omit<Legacy, "hasTools">;

/** Whether the refusal of initialize says that there is none: the protocol took it out in 2026. */
export function isModernOnly({ status, error }: Awaited<ReturnType<typeof callMcp>>): boolean {
  if (error?.code === -32601) return true;
  const { supported } = (error?.data ?? {}) as { supported?: unknown };
  // A modern server may say first that headers or _meta are missing, which initialize never had.
  if (Array.isArray(supported)) return supported.includes(modernVersion);
  return status === 400 && error !== undefined && error.code <= -32020 && error.code >= -32022;
}

export function legacyOf({ protocolVersion, serverInfo, capabilities }: Record<string, unknown>): Legacy {
  if (!legacyVersions.includes(protocolVersion)) {
    throw new DiscoveryFault(
      "UNSUPPORTED_VERSION",
      `The server wants to speak version ${excerpt(String(protocolVersion))}, which Pawl does not know.`,
    );
  }
  const hasTools = isObject(capabilities) && isObject(capabilities.tools);
  return { protocolVersion: protocolVersion as string, serverInfo: infoOf(serverInfo), hasTools };
}

export function modernOf({ supportedVersions, _meta, serverInfo }: Record<string, unknown>): Modern {
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(modernVersion)) {
    throw new DiscoveryFault("UNSUPPORTED_VERSION", `The server does not speak ${modernVersion}.`);
  }
  const info = serverInfo ?? (isObject(_meta) ? _meta[`${meta}/serverInfo`] : undefined);
  return { protocolVersion: modernVersion, serverInfo: infoOf(info) };
}

function infoOf(info: unknown): McpServerInfo {
  const { name, version, title } = isObject(info) ? info : {};
  return {
    name: excerpt(typeof name === "string" && name !== "" ? name : "A server without a name"),
    version: excerpt(typeof version === "string" ? version : ""),
    ...(typeof title === "string" ? { title: excerpt(title) } : {}),
  };
}

export function nameOf({ name, version }: McpServerInfo): string {
  return `${name} ${version}`.trim();
}

export function legacyHeaders({ protocolVersion }: Legacy, session: string | null): Record<string, string> {
  return {
    "mcp-protocol-version": protocolVersion,
    ...(session === null ? {} : { "mcp-session-id": session }),
  };
}

export function modernHeaders(method: string): Record<string, string> {
  return { "mcp-protocol-version": modernVersion, "mcp-method": method };
}

export function modernParams(clientInfo: object): object {
  return {
    _meta: {
      [`${meta}/protocolVersion`]: modernVersion,
      [`${meta}/clientCapabilities`]: {},
      [`${meta}/clientInfo`]: clientInfo,
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
