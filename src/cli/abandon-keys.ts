import type { Command } from "commander";
import { confirm } from "./ask.ts";
import { CliError } from "./exit.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";

export function addAbandonKeys(group: Command): void {
  group
    .command("abandon")
    .description(
      "give up all secrets when the master key is lost for good; for the machine that holds the data",
    )
    .option("--yes", "without a question")
    .addHelpText(
      "after",
      `
Works on the data themselves, not through a running Pawl: stop Pawl first, and run this as the account that runs it. New keys
are made, under the master key that is configured now, or else under a new one in the file master-key of PAWL_DATA_DIR. All
else stays. Every secret must then be entered again, and the audit record can't be verified further back.

If the old master key is found after all: start Pawl with it in PAWL_MASTER_KEY_PREVIOUS, and what it sealed opens again.

Examples:
  $ ${pawl} vault abandon
  $ DATABASE_URL=postgresql://pawl:secret@db/pawl ${pawl} vault abandon --yes`,
    )
    .action(async ({ yes }: { yes?: boolean }, command: Command) => {
      const session = openSession(command, { local: true });
      if (!yes) await confirm("Give up every secret in this database?");
      // Imported here, so that the other commands need not load a server.
      const { abandonLostKeys, RecoveryError } = await import("../main.ts");
      const made = await abandonLostKeys(session.config).catch((error: unknown) => {
        if (!(error instanceof RecoveryError)) throw error;
        throw new CliError("usage", error.message);
      });
      session.result(made, () => `New keys are made, under the master key ${made.masterKey} (${made.from}).`);
      session.note("Start Pawl, and enter the secrets of connections, variables and certificates again.");
    });
}
