import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Command } from "commander";
import { type Client, createClient } from "../client/client.ts";
import { type Config, loadConfig } from "../config.ts";
import { CliError } from "./exit.ts";

/** What every command is given: where Pawl is, how to call it, and how to speak. */
export interface Session {
  config: Config;
  url: string;
  client: Client;
  token: string | undefined;
  /** Where the token came from; undefined when there is none. */
  tokenFrom: string | undefined;
  json: boolean;
  /** The command's result: JSON with --json, else what `human` makes of it. Standard output. */
  result(value: unknown, human: () => string): void;
  /** A message beside the result. Standard error. */
  note(text: string): void;
}

interface GlobalOptions {
  json?: boolean;
  url?: string;
  token?: string;
}

export const adminTokenFile = "admin-token";

/** Reads the global options, the environment and the admin token; calls nothing yet. `local`: nor will it ever. */
export function openSession(
  command: Command,
  how: { local?: boolean; settings?: Record<string, string | undefined> } = {},
): Session {
  const options = command.optsWithGlobals<GlobalOptions>();
  const commandLine = { PAWL_URL: options.url, PAWL_TOKEN: options.token, ...how.settings };
  const config = loadConfig(process.env, { commandLine });
  const url = how.local ? "" : (config.url ?? localUrl(config));
  const [token, tokenFrom] = how.local ? [] : findToken(config, url);
  const json = options.json ?? false;
  return {
    config,
    url,
    client: createClient({ url, token }),
    token,
    tokenFrom,
    json,
    result: (value, human) => console.log(json ? JSON.stringify(value, null, 2) : human()),
    note: (text) => console.error(text),
  };
}

/** The address that a Pawl with this configuration answers at on this machine. */
function localUrl(config: Config): string {
  if (config.port === 0) {
    throw new CliError(
      "usage",
      "PAWL_PORT is 0, so Pawl's port can't be known: set PAWL_URL, or pass --url.",
    );
  }
  const unspecified: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const host = unspecified[config.host] ?? config.host;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${config.port}`;
}

function findToken(config: Config, url: string): [string | undefined, string | undefined] {
  if (config.token !== undefined) return [config.token, "PAWL_TOKEN"];
  // The admin token of this machine's Pawl is not shown to another host, whatever a .env file says PAWL_URL is.
  if (!isThisMachine(new URL(url).hostname, config.host)) return [undefined, undefined];
  const file = join(config.dataDir, adminTokenFile);
  try {
    return [readFileSync(file, "utf8").trim(), file];
  } catch {
    return [undefined, undefined];
  }
}

function isThisMachine(host: string, own: string): boolean {
  return host === own || host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
