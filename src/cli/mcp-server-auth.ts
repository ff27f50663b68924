import type { McpServerInput } from "../contract/mcp-server.ts";
import { CliError } from "./exit.ts";
import { readSecrets } from "./secrets.ts";

export interface AuthOptions {
  auth: keyof typeof kinds;
  username?: string;
  keyName?: string;
  placement?: "header" | "query";
  header?: string[];
}

export const kinds = {
  none: "NONE",
  bearer: "BEARER",
  "api-key": "API_KEY",
  basic: "BASIC",
  custom: "CUSTOM",
} as const;

/** What the options say of a server's credential; asks for what is secret. */
export async function authOf(options: AuthOptions): Promise<Pick<McpServerInput, "authType" | "authConfig">> {
  const { auth, username, keyName, placement, header = [] } = options;
  const given = {
    "--username": username,
    "--key-name": keyName,
    "--placement": placement,
    "--header": options.header,
  };
  const belongs: Record<string, string> = {
    "--username": "basic",
    "--key-name": "api-key",
    "--placement": "api-key",
    "--header": "custom",
  };
  for (const [option, value] of Object.entries(given)) {
    if (value === undefined || belongs[option] === auth) continue;
    throw new CliError("usage", `${option} goes with --auth ${belongs[option]}, and this is --auth ${auth}.`);
  }
  const authType = kinds[auth];
  switch (auth) {
    case "none":
      return { authType };
    case "bearer":
      return { authType, authConfig: await readSecrets([{ name: "token" }]) };
    case "api-key": {
      const { apiKey } = await readSecrets([{ name: "apiKey" }]);
      const name = keyName === undefined ? {} : { name: keyName };
      return { authType, authConfig: { apiKey, ...name, ...(placement === undefined ? {} : { placement }) } };
    }
    case "basic": {
      if (username === undefined) throw new CliError("usage", "--auth basic needs --username.");
      const { password } = await readSecrets([{ name: "password" }]);
      return { authType, authConfig: { username, password } };
    }
    case "custom": {
      if (header.length === 0) {
        throw new CliError(
          "usage",
          "--auth custom needs --header with the name of each header that the server wants.",
        );
      }
      return { authType, authConfig: { headers: await readSecrets(header.map((name) => ({ name }))) } };
    }
  }
}
