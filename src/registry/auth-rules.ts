import type { FaultDetail } from "../contract/errors.ts";
import type { McpAuthType } from "../contract/mcp-server.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { secretsOf } from "./auth-config.ts";

interface Rule {
  required: readonly string[];
  optional: readonly string[];
}

const rules: Record<Exclude<McpAuthType, "CUSTOM">, Rule> = {
  NONE: { required: [], optional: [] },
  BEARER: { required: ["token"], optional: [] },
  API_KEY: { required: ["apiKey"], optional: ["name", "placement"] },
  BASIC: { required: ["username", "password"], optional: [] },
};

/** The credentials without which a type of authentication is none. */
export function requiredSecrets(authType: McpAuthType): string[] {
  return authType === "CUSTOM" ? [] : rules[authType].required.filter((key) => key !== "username");
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// The protocol's and the connection's own: set by hand they break it, or let one request pass for two.
const notByHand =
  /^(accept|accept-encoding|cookie|connection|content-.*|expect|forwarded|host|keep-alive|last-event-id|mcp-.*|proxy-.*|te|trailer|transfer-encoding|upgrade|x-forwarded-.*)$/i;

/** What is wrong with an authConfig, by its type. Values that are sealed already are looked at when they are used. */
export function authFaults(authType: McpAuthType, config: Record<string, unknown>): FaultDetail[] {
  const faults: FaultDetail[] = [];
  const add = (path: string, message: string) => faults.push({ path: `/authConfig${path}`, message });
  if (authType === "CUSTOM") {
    customFaults(config, add);
  } else {
    const { required, optional } = rules[authType];
    const known = [...required, ...optional];
    for (const key of Object.keys(config).filter((key) => !known.includes(key))) {
      const fields = known.length === 0 ? "takes no credentials" : `has ${known.join(", ")}`;
      add(`/${escaped(key)}`, `is not a field here: ${authType} ${fields}.${didYouMean(key, known)}`);
    }
    for (const key of required.filter((key) => config[key] === undefined)) add(`/${key}`, "is required.");
    for (const key of known) stringFault(config[key], `/${key}`, add);
  }
  for (const [path, value] of secretsOf(config)) {
    if (typeof value !== "string") add(path, "must be a string.");
    else if (value === "") add(path, "must not be empty.");
  }
  const { username, name, placement = "header" } = config;
  if (authType === "BASIC" && typeof username === "string" && username.includes(":")) {
    add("/username", "can't have a colon.");
  }
  if (authType === "API_KEY") {
    if (placement !== "header" && placement !== "query") add("/placement", "must be header or query.");
    if (placement === "header" && typeof name === "string") headerNameFault(name, "/name", add);
  }
  for (const key of ["token", "apiKey"]) valueFault(config[key], `/${key}`, add);
  return faults;
}

type Add = (path: string, message: string) => void;

function customFaults({ headers, query }: Record<string, unknown>, add: Add): void {
  if (headers === undefined && query === undefined) {
    add("", "must have headers or query: CUSTOM sends those.");
  }
  for (const [group, entries] of Object.entries({ headers, query })) {
    if (entries === undefined) continue;
    if (typeof entries !== "object" || entries === null || Array.isArray(entries)) {
      add(`/${group}`, "must be an object, from names to values.");
      continue;
    }
    for (const [name, value] of Object.entries(entries)) {
      const path = `/${group}/${escaped(name)}`;
      if (typeof value !== "string") add(path, "must be a string.");
      if (group === "headers") {
        headerNameFault(name, path, add);
        valueFault(value, path, add);
      }
    }
  }
}

function headerNameFault(name: string, path: string, add: Add): void {
  if (!token.test(name)) add(path, "is not a name that a header can have.");
  else if (notByHand.test(name))
    add(path, "is a header that belongs to the connection or to MCP, and can't be set.");
}

function stringFault(value: unknown, path: string, add: Add): void {
  if (value !== undefined && typeof value !== "string") add(path, "must be a string.");
  else if (value === "") add(path, "must not be empty.");
}

function valueFault(value: unknown, path: string, add: Add): void {
  if (typeof value === "string" && !fitsHeader(value)) {
    add(path, "has a line break or a character that a header can't have.");
  }
}

/** Whether a text can be the value of a header: visible Latin-1, blanks and tabs. */
export function fitsHeader(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if ((code < 32 && code !== 9) || code === 127 || code > 255) return false;
  }
  return true;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
