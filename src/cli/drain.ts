import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";

export function addDrain(program: Command): void {
  program
    .command("drain")
    .description("begin no new step, so that Pawl can be ended without cutting one off")
    .option("-w, --wait", "until no step is under way any more")
    .addHelpText(
      "after",
      `
Readiness goes false. What is accepted goes on when Pawl starts again; nothing fails.

Examples:
  $ ${pawl} drain
  $ ${pawl} drain --wait && systemctl restart pawl`,
    )
    .action(async ({ wait }: { wait?: boolean }, command: Command) => {
      const session = openSession(command);
      let { data, message } = await session.client.drain();
      while (wait && data.running > 0) {
        await delay(500);
        ({ data, message } = await session.client.drain());
      }
      session.result(data, () => message);
    });
}
