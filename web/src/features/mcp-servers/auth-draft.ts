import { type McpAuthType, type McpServer, secretMask } from "@contract/mcp-server.ts";
import { keepSecret, type SecretChange } from "../configuration/secret-input.tsx";

/** A header or query value that a server is sent. */
export interface Pair {
  key: number;
  name: string;
  value: SecretChange;
  /** There is one of this name already. */
  isSet: boolean;
}

/** The credentials of a server as its form has them. */
export interface AuthDraft {
  authType: McpAuthType;
  token: SecretChange;
  apiKey: SecretChange;
  keyName: string;
  placement: "header" | "query";
  username: string;
  password: SecretChange;
  headers: Pair[];
  query: Pair[];
}

let made = 0;
export const newPair = (): Pair => ({ key: ++made, name: "", value: keepSecret, isSet: false });

type Config = Record<string, unknown>;

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

function pairsOf(value: unknown): Pair[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).map((name) => ({ key: ++made, name, value: keepSecret, isSet: true }));
}

export function authDraftOf(server?: McpServer): AuthDraft {
  const config: Config = server?.authConfig ?? {};
  return {
    authType: server?.authType ?? "NONE",
    token: keepSecret,
    apiKey: keepSecret,
    keyName: textOf(config.name),
    placement: config.placement === "query" ? "query" : "header",
    username: textOf(config.username),
    password: keepSecret,
    headers: pairsOf(config.headers),
    query: pairsOf(config.query),
  };
}

/** Whether the stored credentials can be kept: of the same type, and sent to the same origin. */
export function keepsCredentials(
  server: McpServer | undefined,
  { authType }: AuthDraft,
  url: string,
): boolean {
  if (!server || server.authType !== authType) return false;
  return URL.parse(url)?.origin === URL.parse(server.url)?.origin;
}

/** The authConfig to send. A credential that stays is sent as its mask. */
export function authConfigOf(draft: AuthDraft, server: McpServer | undefined): Config {
  const same = server?.authType === draft.authType;
  const secret = (change: SecretChange) =>
    change.kind === "enter" ? change.text : change.kind === "keep" && same ? secretMask : undefined;
  const pairs = (list: Pair[]) => {
    const entries = list
      .filter(({ name }) => name !== "")
      .map(({ name, value, isSet }): [string, string] => [
        name,
        value.kind === "enter" ? value.text : isSet && same ? secretMask : "",
      ]);
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  };
  const all: Record<McpAuthType, Config> = {
    NONE: {},
    BEARER: { token: secret(draft.token) },
    API_KEY: { apiKey: secret(draft.apiKey), name: draft.keyName || undefined, placement: draft.placement },
    BASIC: { username: draft.username, password: secret(draft.password) },
    CUSTOM: { ...otherFields(draft, server), headers: pairs(draft.headers), query: pairs(draft.query) },
  };
  return Object.fromEntries(Object.entries(all[draft.authType]).filter(([, value]) => value !== undefined));
}

/** What CUSTOM keeps besides, and does not send: the form has no fields for it, and does not lose it. */
function otherFields({ authType }: AuthDraft, server: McpServer | undefined): Config {
  if (server?.authType !== "CUSTOM" || authType !== "CUSTOM") return {};
  const { headers: _headers, query: _query, ...rest } = server.authConfig;
  return rest;
}
