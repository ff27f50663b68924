import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { type Command, Option } from "commander";
import { ClientError } from "../client/error.ts";
import { assistants, snippetFor } from "../contract/assistant-snippets.ts";
import { type McpScope, mcpScopes } from "../contract/bridge.ts";
import { CliError } from "./exit.ts";
import { relay } from "./mcp-relay.ts";
import { pawl } from "./own-name.ts";
import { openSession, type Session } from "./session.ts";
import { onEndRequested } from "./signals.ts";
import { paint, safe, table } from "./text.ts";
import { collect, scopesOf } from "./token.ts";

export function addMcp(program: Command): void {
  const group = program
    .command("mcp")
    .description("let an AI assistant on this machine run jobs: MCP on standard input and output")
    .option("--scope <scope>", `what it may do at most (${mcpScopes.join(", ")}); repeat for more`, collect)
    .addHelpText(
      "after",
      `
For assistants that start a program instead of calling a URL. It carries what they say to Pawl's /mcp and back.
PAWL_TOKEN is a token for MCP; with an API token, or on the machine that Pawl runs on, one is made for a day and revoked at the end.

Examples:
  $ ${pawl} mcp snippet --client claude-desktop
  $ PAWL_URL=https://pawl.example PAWL_TOKEN=pawl_mcp_… ${pawl} mcp
  $ ${pawl} token create --for mcp --scope jobs:read --scope jobs:run`,
    )
    .action(async ({ scope }: { scope?: string[] }, command: Command) => {
      const session = openSession(command);
      const end = onEndRequested({ force: true });
      const { token, revoke } = await mcpToken(session, scope ? scopesOf(scope) : [...mcpScopes]);
      session.note(`Pawl's tools at ${session.url} are on standard input and output.`);
      try {
        await relay({
          endpoint: `${session.url.replace(/\/+$/, "")}/mcp`,
          token,
          input: process.stdin,
          output: process.stdout,
          signal: end.requested,
        });
      } finally {
        await revoke();
        end.release();
        process.stdin.unref?.();
      }
    });

  group
    .command("health")
    .description("show whether assistants can run and monitor jobs")
    .action(async (_options, command: Command) => {
      const session = openSession(command);
      const { data } = await session.client.mcpBridgeHealth();
      const colour = data.status === "Healthy" ? "green" : "red";
      session.result(data, () => {
        const rows = data.checks.map(({ name, status, message }) => [name, status, safe(message ?? "")]);
        return `${paint(["bold", colour], data.status)}  ${safe(data.message)}\n\n${table(["CHECK", "RESULT", ""], rows)}`;
      });
      if (data.status !== "Healthy") process.exitCode = 1;
    });

  group
    .command("snippet")
    .description("print what to put into an assistant's configuration")
    .addOption(
      new Option("--client <client>", "whose").choices(Object.keys(assistants)).default("claude-desktop"),
    )
    .action(({ client }: { client: keyof typeof assistants }, command: Command) => {
      const session = openSession(command);
      const program = fileURLToPath(new URL("../../bin/pawl.js", import.meta.url));
      const { where, text } = snippetFor(client, { url: session.url, command: ["node", program] });
      session.note(
        `${where}\nThe token: ${pawl} token create --for mcp ${mcpScopes.map((scope) => `--scope ${scope}`).join(" ")}\n`,
      );
      session.result({ client, where, snippet: text }, () => text);
    });
}

/** The session's token, if it is for MCP; else one that is made with it, for as long as this runs. */
async function mcpToken(session: Session, scopes: McpScope[]) {
  const { token, client } = session;
  if (token === undefined) {
    throw new CliError("usage", "There is no token. Set PAWL_TOKEN to one that is made for MCP.", {
      hint: `\`${pawl} token create --for mcp --scope jobs:read\` makes one.`,
    });
  }
  const isApiToken = token.startsWith("pawl_") && !token.startsWith("pawl_mcp_");
  if (!isApiToken) return { token, revoke: async () => {} };
  try {
    const { data: me } = await client.whoAmI();
    const { data: made } = await client.createToken({
      body: {
        principalId: me.id,
        name: `mcp@${hostname()}`.slice(0, 100),
        for: "mcp",
        scopes,
        expiresInDays: 1,
      },
    });
    // When Pawl has gone meanwhile, the token ends by itself.
    const revoke = () =>
      client.revokeToken({ params: { id: made.id } }).then(
        () => {},
        () => {},
      );
    return { token: made.token, revoke };
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "FORBIDDEN") throw error;
    throw new CliError("refused", "This token is for the API, and may not make one for MCP.", {
      hint: `Ask an administrator for \`${pawl} token create --principal … --for mcp --scope jobs:read\`, and set PAWL_TOKEN to that.`,
    });
  }
}
