import { type Command, Option } from "commander";
import type { Discovery, McpServerItem, McpTool } from "../contract/mcp-server.ts";
import { confirm, count } from "./ask.ts";
import { where } from "./filters.ts";
import { findMcpServer } from "./find-mcp-server.ts";
import { type AuthOptions, authOf, kinds } from "./mcp-server-auth.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";
import { duration, fields, localTime, oneLine, paint, safe, table } from "./text.ts";
import { collect } from "./token.ts";

interface AddOptions extends AuthOptions {
  description?: string;
  tag?: string[];
  discover?: boolean;
}

export function addMcpServer(program: Command): void {
  const group = program
    .command("mcp-server")
    .description("register MCP servers, whose tools steps and agents may call");

  group
    .command("add")
    .argument("<name>", "unique, whatever its case")
    .argument("<url>", "where it takes Streamable HTTP")
    .description("register an MCP server; nothing is asked of it yet")
    .addOption(new Option("--auth <type>", "its credential").choices(Object.keys(kinds)).default("none"))
    .option("--username <name>", "with --auth basic")
    .option("--key-name <name>", "with --auth api-key: the header's or query parameter's name (X-API-Key)")
    .addOption(new Option("--placement <where>", "with --auth api-key").choices(["header", "query"]))
    .option("--header <name>", "with --auth custom: a header that it wants; repeat for more", collect)
    .option("--description <text>", "what it is for")
    .option("--tag <tag...>", "tags")
    .option("--discover", "and connect to it at once")
    .addHelpText(
      "after",
      `
What is secret is asked for, or read from standard input: one as it is, several headers as YAML or JSON. It is sealed, and never
shown again.

Examples:
  $ ${pawl} mcp-server add weather https://mcp.example.org/mcp --auth bearer --discover
  $ ${pawl} mcp-server add files http://10.0.0.7:3931/mcp
  $ pass show crm | ${pawl} mcp-server add crm https://crm.example/mcp --auth custom --header X-Team-Key`,
    )
    .action(async (name: string, url: string, options: AddOptions, command: Command) => {
      const session = openSession(command);
      const { description, tag: tags } = options;
      const texts = { ...(description === undefined ? {} : { description }), ...(tags ? { tags } : {}) };
      const body = { name, url, ...texts, ...(await authOf(options)) };
      const { data } = await session.client.registerMcpServer({ body });
      if (options.discover) {
        session.note(`Registered ${safe(data.name)} (${data.id}).`);
        return discovered(session, data.id);
      }
      session.result(
        data,
        () =>
          `Registered ${safe(data.name)} (${data.id}). See its tools: ${pawl} mcp-server discover '${safe(name)}'`,
      );
    });

  group
    .command("list")
    .description("list the MCP servers")
    .option("--search <text>", "only those with these words in name or description")
    .option("--tag <tag>", "only those with this tag")
    .addOption(new Option("--status <status>", "only these").choices(["ONLINE", "OFFLINE", "UNKNOWN"]))
    .option("--limit <count>", "at most so many", "100")
    .action(
      async (
        options: { search?: string; tag?: string; status?: string; limit: string },
        command: Command,
      ) => {
        const session = openSession(command);
        const { data, meta, message } = await session.client.searchMcpServers({
          body: {
            size: count(options.limit, "--limit"),
            sortBy: "name",
            sortOrder: "asc",
            searchText: options.search ?? null,
            filters: where({ tags: options.tag, status: options.status }),
          },
        });
        session.result(data, () =>
          data.length === 0
            ? safe(message)
            : table(
                ["NAME", "STATUS", "TOOLS", "CHECKED", "URL", "ID"],
                data.map((one) => [
                  oneLine(one.name, 40),
                  coloured(one.status),
                  String(one.toolCount),
                  one.lastCheckedAt ? localTime(one.lastCheckedAt) : "never",
                  oneLine(one.url, 60),
                  one.id,
                ]),
              ),
        );
        if (meta.totalElements > data.length) {
          session.note(`${data.length} of ${meta.totalElements}; more with --limit.`);
        }
      },
    );

  group
    .command("show")
    .argument("<server>", "name or id")
    .description("show an MCP server")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const { id } = await findMcpServer(session.client, nameOrId);
      const { data: one } = await session.client.getMcpServer({ params: { id } });
      const { serverInfo, lastError } = one;
      session.result(one, () =>
        fields([
          ["Name", safe(one.name)],
          ["Id", one.id],
          ["URL", safe(one.url)],
          ["Description", oneLine(one.description, 200)],
          ["Tags", safe(one.tags.join(" "))],
          ["Credential", one.authType],
          ["Status", coloured(one.status)],
          ["Checked", one.lastCheckedAt ? localTime(one.lastCheckedAt) : "never"],
          ["Fault", lastError ? safe(`${lastError.step} ${lastError.code}: ${lastError.message}`) : ""],
          ["Speaks", one.protocolVersion ? `${one.protocolVersion} (${one.era})` : ""],
          ["Calls itself", serverInfo ? safe(`${serverInfo.name} ${serverInfo.version}`) : ""],
          ["Tools", String(one.toolCount)],
          ["Updated", `${localTime(one.updatedAt)} by ${safe(one.updatedBy)}`],
        ]),
      );
    });

  group
    .command("discover")
    .argument("<server>", "name or id")
    .description("connect to an MCP server and list its tools; what has changed is allowed from then on")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      await discovered(session, (await findMcpServer(session.client, nameOrId)).id);
    });

  group
    .command("tools")
    .argument("<server>", "name or id")
    .description("list the tools that the last good discovery found")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const { id } = await findMcpServer(session.client, nameOrId);
      // A server has 512 at most.
      const { data } = await session.client.listMcpServerTools({ params: { id }, query: { size: 1000 } });
      session.result(data, () => tools(data));
    });

  group
    .command("remove")
    .argument("<server>", "name or id")
    .description("delete an MCP server and its credentials")
    .option("--force", "though jobs use it")
    .option("-y, --yes", "do not ask")
    .action(async (nameOrId: string, options: { force?: boolean; yes?: boolean }, command: Command) => {
      const session = openSession(command);
      const { id, name } = await findMcpServer(session.client, nameOrId);
      if (!options.yes) await confirm(`Delete the MCP server "${safe(name)}"?`);
      const query = options.force ? { force: true } : {};
      const { message } = await session.client.deleteMcpServer({ params: { id }, query });
      session.result({ id, name, deleted: true }, () => safe(message));
    });
}

/** Connects to a server, and shows how that went; a failure is one of the command too. */
async function discovered(session: ReturnType<typeof openSession>, id: string): Promise<void> {
  const { data, message } = await session.client.discoverMcpServer({ params: { id } });
  session.result(data, () => `${steps(data)}\n\n${safe(message)}${changes(data)}`);
  if (data.status === "failure") process.exitCode = 1;
}

function steps(found: Discovery): string {
  const colours = { SUCCESS: "green", WARNING: "yellow", FAILED: "red", SKIPPED: "dim" } as const;
  return table(
    ["STEP", "RESULT", "TOOK", ""],
    found.steps.map(({ name, status, durationMs, message }) => [
      name,
      paint(colours[status], status),
      status === "SKIPPED" ? "–" : duration(durationMs),
      oneLine(message, 120),
    ]),
  );
}

function changes({ changes: { added, removed, changed } }: Discovery): string {
  const parts = Object.entries({ Added: added, Removed: removed, Changed: changed })
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${oneLine(names.join(", "), 400)}`);
  return parts.length > 0 ? `\n${parts.join("\n")}` : "";
}

function tools(all: McpTool[]): string {
  if (all.length === 0) return "No tools. A discovery finds them.";
  return table(
    ["TOOL", "READS ONLY", "ARGUMENTS", "DESCRIPTION"],
    all.map(({ name, description, inputSchema, annotations }) => [
      safe(name),
      annotations?.readOnlyHint === true ? "yes" : "",
      oneLine(Object.keys((inputSchema.properties as object | undefined) ?? {}).join(", "), 40),
      oneLine(description, 80),
    ]),
  );
}

function coloured(status: McpServerItem["status"]): string {
  return paint(status === "ONLINE" ? "green" : status === "OFFLINE" ? "red" : "dim", status);
}
