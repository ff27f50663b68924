import type { McpAuthType } from "../contract/mcp-server.ts";
import { secretsOf } from "./auth-config.ts";
import { fitsHeader } from "./auth-rules.ts";
import type { Config } from "./secrets.ts";

/** How a server is called: with these headers, at this address. */
export interface Outbound {
  url: URL;
  headers: Record<string, string>;
  /** What must not be seen in anything that is kept or shown of the answers. */
  secrets: string[];
}

/**
 * The address and the headers of a server, from an authConfig in the clear.
 * @throws TypeError when a value can't be sent
 */
export function outboundOf(url: string, authType: McpAuthType, config: Config): Outbound {
  const target = new URL(url);
  const headers: Record<string, string> = {};
  const secrets = [...secretsOf(config).values()].map(String);
  const text = (key: string) => String(config[key]);
  switch (authType) {
    case "BEARER":
      headers.authorization = `Bearer ${text("token")}`;
      break;
    case "API_KEY": {
      const name = config.name === undefined ? "X-API-Key" : text("name");
      if (config.placement === "query") target.searchParams.set(name, text("apiKey"));
      else headers[name.toLowerCase()] = text("apiKey");
      break;
    }
    case "BASIC": {
      const pair = Buffer.from(`${text("username")}:${text("password")}`).toString("base64");
      headers.authorization = `Basic ${pair}`;
      secrets.push(pair);
      break;
    }
    case "CUSTOM":
      for (const [name, value] of entries(config.headers)) headers[name.toLowerCase()] = value;
      for (const [name, value] of entries(config.query)) target.searchParams.set(name, value);
      break;
    case "NONE":
      break;
  }
  for (const value of Object.values(headers)) {
    if (!fitsHeader(value)) throw new TypeError("A credential has a character that a header can't have.");
  }
  return { url: target, headers, secrets };
}

function entries(group: unknown): [string, string][] {
  return Object.entries((group ?? {}) as Record<string, string>);
}
