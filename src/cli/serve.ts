import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Config } from "../config.ts";
import { pawl } from "./own-name.ts";
import { adminTokenFile, openSession } from "./session.ts";
import { aborted, interruptible, onEndRequested } from "./signals.ts";
import { paintNote } from "./text.ts";

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("start Pawl, with a PostgreSQL of its own unless DATABASE_URL names one")
    .option("--services <list>", "what runs in this process: platform, bridge, or both (or PAWL_SERVICES)")
    .addHelpText(
      "after",
      `
The log goes to standard output, these messages to standard error. Ctrl-C or SIGTERM ends it in order: steps under way
get PAWL_SHUTDOWN_GRACE to finish, what is left goes on at the next start. A second one ends it at once.

Examples:
  $ pawl serve
  $ PAWL_PORT=8080 PAWL_DATA_DIR=/srv/pawl pawl serve
  $ DATABASE_URL=postgresql://pawl:secret@db/pawl pawl serve
  $ PAWL_PLATFORM_URL=http://pawl:7295 PAWL_BRIDGE_TOKEN=pawl_… pawl serve --services bridge

All variables: \`pawl config\`, docs/configuration.md.`,
    )
    .action(async ({ services }: { services?: string }, command: Command) => {
      const { config, note } = openSession(command, { local: true, settings: { PAWL_SERVICES: services } });
      const end = onEndRequested({ force: true });
      // Imported here, so that the other commands need not load a server.
      const { startPawl } = await import("../main.ts");
      const started = await interruptible(
        end.requested,
        "Pawl was ended before it was ready.",
        startPawl(config),
      );
      try {
        if (!end.requested.aborted) {
          const isBridge = !config.services.includes("platform");
          note(isBridge ? welcomeToBridge(started.url) : welcome(started, await webLink(started), config));
        }
        await aborted(end.requested);
        note("Ending Pawl; what runs is taken up again at the next start. Once more ends it at once.");
      } finally {
        await started.close();
        end.release();
      }
    });
}

interface Started {
  url: string;
  adminToken?: string | undefined;
  resumed: number;
  signInLink(): Promise<string>;
}

/** A link that signs in goes to a terminal, or along with the admin token; a log that is kept shows the plain address. */
async function webLink(started: Started): Promise<string> {
  if (process.stderr.isTTY || started.adminToken) {
    return `${reachable(await started.signInLink())}\n                 signs you in, once and within the hour`;
  }
  return `${reachable(started.url)}/ui/`;
}

/** What listens on every interface is reached on this machine by the loopback address. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function welcomeToBridge(url: string): string {
  return `
${paintNote(["bold", "green"], "Pawl is ready")} at ${url}

  Assistants     ${url}/mcp
  The rest       at the platform's address: this is the MCP bridge alone

Ctrl-C ends it.
`;
}

function welcome(started: Started, web: string, config: Config): string {
  const url = reachable(started.url);
  const resumed = started.resumed > 0 ? `\n  Goes on with   ${started.resumed} unfinished executions` : "";
  const file = join(config.dataDir, adminTokenFile);
  const token = started.adminToken
    ? `${paintNote("bold", started.adminToken)}\n                 shown this once, and kept for the CLI in ${file}`
    : existsSync(file)
      ? file
      : `made at the first start of this database; it is not in ${config.dataDir}`;
  return `
${paintNote(["bold", "green"], "Pawl is ready")} at ${url}

  Web interface  ${web}
  API reference  ${url}/docs
  Admin token    ${token}
  Try            ${pawl} job apply examples/earthquakes.yaml
                 ${pawl} start earthquakes --wait${resumed}

Ctrl-C ends it.
`;
}
