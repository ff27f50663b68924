import type { Command } from "commander";
import { describeConfig } from "../config.ts";
import { openSession } from "./session.ts";
import { paint, safe, table } from "./text.ts";

export function addConfig(program: Command): void {
  program
    .command("config")
    .description("show the configuration in force and where each value comes from")
    .addHelpText(
      "after",
      `
Values come from the environment, then from the file .env in the working directory, then from the defaults.
Secrets are not shown. Nothing is asked of a server: this is what \`pawl serve\` would start with here.

Examples:
  $ pawl config
  $ PAWL_PORT=8080 pawl config --json`,
    )
    .action((_options, command: Command) => {
      const session = openSession(command, { local: true });
      const settings = describeConfig(session.config);
      session.result(settings, () =>
        table(
          ["VARIABLE", "VALUE", "FROM"],
          settings.map(({ name, value, source }) => [
            name,
            value === null ? paint("dim", "unset") : value === "" ? paint("dim", "empty") : safe(value),
            source === "default" ? paint("dim", source) : source,
          ]),
        ),
      );
    });
}
