import type { Command } from "commander";
import { runDemo } from "./demo/run.ts";
import { openSession } from "./session.ts";

export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("see a job run: a fresh Pawl, real earthquake records, a report")
    .option("--keep", "leave Pawl running afterwards, to try things on")
    .addHelpText(
      "after",
      `
Uses a temporary data directory and free ports, and leaves nothing behind. Any Pawl that runs is not touched.

Examples:
  $ pawl demo
  $ pawl demo --keep`,
    )
    .action(async (options: { keep?: boolean }, command: Command) => {
      await runDemo(openSession(command, { local: true }), options.keep ?? false);
    });
}
