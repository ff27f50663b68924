interface Assistant {
  /** As people call it. */
  label: string;
  /** What to do with the snippet. */
  where: string;
  snippet(options: SnippetOptions): string;
}

export interface SnippetOptions {
  /** Of Pawl, without /mcp. */
  url: string;
  /** Of an assistant that reads it from the snippet; a placeholder unless it is there to be shown. */
  token?: string;
  /** How this machine starts `pawl`: the words of the command. */
  command?: readonly [string, ...string[]];
}

const placeholder = "pawl_mcp_…";
const json = (value: unknown) => JSON.stringify(value, null, 2);

/** What the common assistants want to read to use Pawl's bridge, each in its own words. */
export const assistants = {
  "claude-desktop": {
    label: "Claude Desktop",
    where: "Into claude_desktop_config.json (Settings, Developer, Edit Config):",
    snippet: ({ url, token = placeholder, command: [command, ...args] = ["pawl"] }) =>
      json({
        mcpServers: {
          pawl: { command, args: [...args, "mcp"], env: { PAWL_URL: url, PAWL_TOKEN: token } },
        },
      }),
  },
  "claude-code": {
    label: "Claude Code",
    where: "In a terminal:",
    snippet: ({ url, token = placeholder }) =>
      `claude mcp add --transport http pawl ${url}/mcp --header "Authorization: Bearer ${token}"`,
  },
  vscode: {
    label: "VS Code",
    where: "Into .vscode/mcp.json; VS Code asks for the token and keeps it:",
    snippet: ({ url }) =>
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
    label: "Cursor",
    where:
      "Into .cursor/mcp.json or ~/.cursor/mcp.json; the token is read from PAWL_TOKEN in Cursor's environment:",
    snippet: ({ url }) =>
      json({
        mcpServers: {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: Cursor fills it in
          pawl: { url: `${url}/mcp`, headers: { Authorization: "Bearer ${env:PAWL_TOKEN}" } },
        },
      }),
  },
  generic: {
    label: "Others",
    where:
      "For any other: most take this, or ask for the URL and a header. One that only starts programs: `pawl mcp`, as for claude-desktop.",
    snippet: ({ url, token = placeholder }) =>
      json({
        mcpServers: {
          pawl: { type: "http", url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } },
        },
      }),
  },
} as const satisfies Record<string, Assistant>;

export type AssistantName = keyof typeof assistants;

/** The snippet for an assistant, and where it goes. */
export function snippetFor(name: AssistantName, options: SnippetOptions): { where: string; text: string } {
  const { where, snippet } = assistants[name];
  return { where, text: snippet({ ...options, url: options.url.replace(/\/+$/, "") }) };
}
