import { fileURLToPath } from "node:url";

interface Assistant {
  where: string;
  snippet(url: string): string;
}

const token = "pawl_mcp_…";
const command = fileURLToPath(new URL("../../bin/pawl.js", import.meta.url));
const json = (value: unknown) => JSON.stringify(value, null, 2);

/** What the common assistants want to read, each in its own words. */
export const assistants = {
  "claude-desktop": {
    where: "Into claude_desktop_config.json (Settings, Developer, Edit Config):",
    snippet: (url) =>
      json({
        mcpServers: {
          pawl: { command: "node", args: [command, "mcp"], env: { PAWL_URL: url, PAWL_TOKEN: token } },
        },
      }),
  },
  "claude-code": {
    where: "In a terminal:",
    snippet: (url) =>
      `claude mcp add --transport http pawl ${url}/mcp --header "Authorization: Bearer ${token}"`,
  },
  vscode: {
    where: "Into .vscode/mcp.json; VS Code asks for the token and keeps it:",
    snippet: (url) =>
      json({
        inputs: [
          { type: "promptString", id: "pawl-token", description: "Pawl token for MCP", password: true },
        ],
        servers: {
          pawl: {
            type: "http",
            url: `${url}/mcp`,
            // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in
            headers: { Authorization: "Bearer ${input:pawl-token}" },
          },
        },
      }),
  },
  cursor: {
    where:
      "Into .cursor/mcp.json or ~/.cursor/mcp.json; the token is read from PAWL_TOKEN in Cursor's environment:",
    snippet: (url) =>
      json({
        mcpServers: {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: Cursor fills it in
          pawl: { url: `${url}/mcp`, headers: { Authorization: "Bearer ${env:PAWL_TOKEN}" } },
        },
      }),
  },
  generic: {
    where:
      "For any other: most take this, or ask for the URL and a header. One that only starts programs: `pawl mcp`, as for claude-desktop.",
    snippet: (url) =>
      json({
        mcpServers: {
          pawl: { type: "http", url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } },
        },
      }),
  },
} as const satisfies Record<string, Assistant>;

export function snippetFor(client: keyof typeof assistants, url: string): { where: string; text: string } {
  const { where, snippet } = assistants[client];
  return { where, text: snippet(url.replace(/\/+$/, "")) };
}
