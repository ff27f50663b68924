import type { Command } from "commander";
import { CliError } from "./exit.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";
import { safe } from "./text.ts";

export function addResetAdmin(group: Command): void {
  group
    .command("reset-admin")
    .description("make a new admin token when the old one is lost; for the machine that holds the data")
    .addHelpText(
      "after",
      `
Works on the data themselves, not through a running Pawl: stop Pawl first, unless DATABASE_URL names its database, and run
this as the account that runs Pawl. The token is not shown; it goes to the file admin-token in PAWL_DATA_DIR, where the
other commands find it. Tokens that exist go on working: revoke those that may be in wrong hands.

Examples:
  $ pawl token reset-admin
  $ PAWL_DATA_DIR=/srv/pawl pawl token reset-admin
  $ DATABASE_URL=postgresql://pawl:secret@db/pawl pawl token reset-admin`,
    )
    .action(async (_options, command: Command) => {
      const session = openSession(command, { local: true });
      // Imported here, so that the other commands need not load a server.
      const { RecoveryError, resetAdminToken } = await import("../main.ts");
      const made = await resetAdminToken(session.config).catch((error: unknown) => {
        if (!(error instanceof RecoveryError)) throw error;
        throw new CliError("usage", error.message, { hint: `\`${pawl} serve\` makes the first token.` });
      });
      session.result(made, () => `A new token of ${safe(made.principal)} is in ${made.file}.`);
      session.note(
        `Those that exist still work: \`${pawl} token list\` shows them, \`${pawl} token revoke\` ends one.`,
      );
    });
}
