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
        const isBridge = !config.services.includes("platform");
        if (!end.requested.aborted) note(isBridge ? welcomeToBridge(started.url) : welcome(started, config));
        await aborted(end.requested);
        note("Ending Pawl; what runs is taken up again at the next start. Once more ends it at once.");
      } finally {
        await started.close();
        end.release();
      }
    });
}

function welcomeToBridge(url: string): string {
  return `
${paintNote(["bold", "green"], "Pawl is ready")} at ${url}

  Assistants     ${url}/mcp
  The rest       at the platform's address: this is the MCP bridge alone

Ctrl-C ends it.
`;
}

function welcome(
  started: { url: string; adminToken?: string | undefined; resumed: number },
  config: Config,
): string {
  // What listens on every interface is reached on this machine by the loopback address.
  const url = started.url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  const resumed = started.resumed > 0 ? `\n  Goes on with   ${started.resumed} unfinished executions` : "";
  const file = join(config.dataDir, adminTokenFile);
  const token = started.adminToken
    ? `${paintNote("bold", started.adminToken)}\n                 shown this once, and kept for the CLI in ${file}`
    : existsSync(file)
      ? file
      : `made at the first start of this database; it is not in ${config.dataDir}`;
  return `
${paintNote(["bold", "green"], "Pawl is ready")} at ${url}

  API reference  ${url}/docs
  Admin token    ${token}
  Try            ${pawl} job apply examples/earthquakes.yaml
                 ${pawl} start earthquakes --wait${resumed}

Ctrl-C ends it.
`;
}
