import type { Command } from "commander";
import { exitCodes } from "./exit.ts";
import { findConnection } from "./find-connection.ts";
import { openSession } from "./session.ts";
import { duration, paint, safe, table } from "./text.ts";

const styles = { SUCCESS: "green", FAILED: "red", SKIPPED: "dim" } as const;

export function addConnectionTest(group: Command): void {
  group
    .command("test")
    .argument("<connection>", "name or id")
    .option("--type <type>", "the one of this type, when several have the name")
    .description("try a connection as a step would use it, step by step; it changes nothing")
    .addHelpText(
      "after",
      `
Ends with ${exitCodes.failed.code} when it does not work.

Examples:
  $ pawl connection test orders-db
  $ pawl connection test orders-db --json | jq '.steps[] | select(.status == "FAILED")'`,
    )
    .action(async (nameOrId: string, { type }: { type?: string }, command: Command) => {
      const session = openSession(command);
      const { id } = await findConnection(session.client, nameOrId, type);
      const { data, message } = await session.client.testConnection({ params: { id } });
      const failed = data.status === "failure";
      session.result(data, () => {
        const rows = data.steps.map((step) => [
          safe(step.name),
          paint(styles[step.status], step.status),
          duration(step.durationMs),
          safe(step.message ?? ""),
        ]);
        return `${table(["STEP", "STATUS", "TOOK", ""], rows)}\n\n${paint(failed ? "red" : "green", safe(message))}`;
      });
      if (failed) process.exitCode = exitCodes.failed.code;
    });
}
