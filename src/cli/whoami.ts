import type { Command } from "commander";
import { openSession } from "./session.ts";
import { fields, safe } from "./text.ts";

export function addWhoAmI(program: Command): void {
  program
    .command("whoami")
    .description("show whom the token belongs to and what it may do")
    .action(async (_options, command: Command) => {
      const session = openSession(command);
      const { data } = await session.client.whoAmI();
      session.result(data, () =>
        fields([
          ["Name", safe(data.name)],
          ["Id", data.id],
          ["Authorities", safe(data.authorities.join(", ")) || "none"],
          ["Jobs", data.jobs ? safe(JSON.stringify(data.jobs)) : "all"],
          ["Pawl", session.url],
          ["Token from", session.tokenFrom ?? "nowhere"],
        ]),
      );
    });
}
