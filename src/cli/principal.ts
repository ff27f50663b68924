import type { Command } from "commander";
import type { Client } from "../client/client.ts";
import type { PrincipalRecord } from "../contract/identity.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { CliError } from "./exit.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";
import { fields, localTime, safe, table } from "./text.ts";

export function addPrincipal(program: Command): void {
  const group = program.command("principal").description("see who may use Pawl, and for what");

  group
    .command("list")
    .description("list the principals")
    .action(async (_options, command: Command) => {
      const session = openSession(command);
      const all = await listPrincipals(session.client);
      session.result(all, () =>
        table(
          ["NAME", "KIND", "AUTHORITIES", "JOBS", "ID"],
          all.map((one) => [
            safe(one.name),
            one.kind,
            safe(one.authorities.join(" ")),
            one.jobs ? "some" : "all",
            one.id,
          ]),
        ),
      );
    });

  group
    .command("show")
    .argument("<principal>", "name or id")
    .description("show a principal")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const one = await findPrincipal(session.client, nameOrId);
      session.result(one, () =>
        fields([
          ["Name", safe(one.name)],
          ["Id", one.id],
          ["Kind", one.kind],
          ["Authorities", safe(one.authorities.join(", ")) || "none"],
          ["Jobs", one.jobs ? safe(JSON.stringify(one.jobs)) : "all"],
          ["Created", localTime(one.createdAt)],
        ]),
      );
    });

  group
    .command("delete")
    .argument("<principal>", "name or id")
    .description("delete a principal and revoke its tokens")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const one = await findPrincipal(session.client, nameOrId);
      const { message } = await session.client.deletePrincipal({ params: { id: one.id } });
      session.result({ id: one.id, deleted: true }, () => safe(message));
    });
}

/** Every principal, however many pages that takes. */
export async function listPrincipals(client: Client): Promise<PrincipalRecord[]> {
  const all: PrincipalRecord[] = [];
  for (let page = 0; ; page++) {
    const { data, meta } = await client.listPrincipals({ query: { page, size: 1000 } });
    all.push(...data);
    if (data.length === 0 || all.length >= meta.totalElements) return all;
  }
}

/** The principal of this name or id. */
export async function findPrincipal(client: Client, nameOrId: string): Promise<PrincipalRecord> {
  const all = await listPrincipals(client);
  const hit = all.find((one) => one.name === nameOrId) ?? all.find((one) => one.id === nameOrId);
  if (hit) return hit;
  const names = all.map((one) => one.name);
  throw new CliError("refused", `There is no principal named "${nameOrId}".${didYouMean(nameOrId, names)}`, {
    hint: `\`${pawl} principal list\` shows them all; \`${pawl} token create --principal NAME --authority …\` makes one.`,
  });
}
