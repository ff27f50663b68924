import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { VaultState } from "../contract/vault.ts";
import { addAbandonKeys } from "./abandon-keys.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";
import { fields, localTime, paint, safe, table } from "./text.ts";

export function addVault(program: Command): void {
  const group = program.command("vault").description("see and rotate the keys that seal secrets");

  group
    .command("status")
    .description("show the keys, what they seal, and how far a rotation is")
    .action(async (_options, command: Command) => {
      const session = openSession(command);
      const { data } = await session.client.readVault();
      session.result(data, () => describe(data));
    });

  group
    .command("rotate")
    .description("make a new key, and seal everything anew with it while Pawl goes on serving")
    .option("-w, --wait", "until it is done; it goes on when you leave, and over a crash of Pawl")
    .addHelpText(
      "after",
      `
The old key opens what it sealed until that is sealed anew, and is kept for backups. To change the master key, which wraps
these keys: \`${pawl} vault rewrap --help\`.

Examples:
  $ ${pawl} vault rotate --wait
  $ ${pawl} vault status`,
    )
    .action(async ({ wait }: { wait?: boolean }, command: Command) => {
      const session = openSession(command);
      let { data, message } = await session.client.rotateVault();
      if (wait) {
        let told = "";
        while (data.rotation && !data.rotation.finishedAt) {
          const progress = progressOf(data.rotation);
          if (progress !== told) session.note(progress);
          told = progress;
          await delay(500);
          ({ data } = await session.client.readVault());
        }
        message = `Done: ${data.values} values, all under the key ${data.rotation?.keyId}.`;
        const unreadable = data.rotation?.unreadable ?? 0;
        if (unreadable > 0) message = `Done, but no key opens ${unreadable} values: they stay as they are.`;
      }
      session.result(data, () => safe(message));
    });

  group
    .command("rewrap")
    .description("put a new master key in the place of the previous one")
    .addHelpText(
      "after",
      `
The master key is never sent to Pawl: it is configured where Pawl runs.

  1. Make a new one:                    openssl rand -base64 32
  2. Start each Pawl of the database    PAWL_MASTER_KEY=<new> PAWL_MASTER_KEY_PREVIOUS=<old>
     with both (or with the _FILE       (the old one of a data directory: PAWL_MASTER_KEY_PREVIOUS_FILE=<data>/master-key)
     variables)
  3. Run this. The keys are wrapped anew in one transaction; the sealed values stay as they are.
  4. Leave PAWL_MASTER_KEY_PREVIOUS out at the next start, and keep the old key for as long as you keep backups.`,
    )
    .action(async (_options, command: Command) => {
      const session = openSession(command);
      const { data, message } = await session.client.rewrapVault();
      session.result(data, () => safe(message));
    });

  addAbandonKeys(group);
}

function describe({ masterKey, keys, values, processes, rotation }: VaultState): string {
  const master = masterKey.inForce
    ? masterKey.id
    : `${masterKey.id} ${paint("yellow", `(not in force yet: \`${pawl} vault rewrap\`)`)}`;
  const head = fields([
    ["Master key", master],
    ["Sealed values", String(values)],
    ["Processes", String(processes)],
    ["Rotation", rotation ? rotationText(rotation) : "none yet"],
  ]);
  const rows = keys.map((key) => [
    key.id,
    key.state === "retired" ? "opens only" : key.state === "locked" ? paint("red", key.state) : key.state,
    localTime(key.createdAt),
    String(key.seals),
    String(key.values),
  ]);
  return `${head}\n\n${table(["KEY", "STATE", "MADE", "SEALED (ABOUT)", "VALUES NOW"], rows)}`;
}

type Rotation = NonNullable<VaultState["rotation"]>;

function rotationText(rotation: Rotation): string {
  const by = `by ${safe(rotation.startedBy)}`;
  if (!rotation.finishedAt) return `${progressOf(rotation)} (begun ${by})`;
  const left = rotation.unreadable > 0 ? `, ${rotation.unreadable} that no key opens` : "";
  return `${localTime(rotation.finishedAt)} ${by}: ${rotation.done} values sealed anew${left}`;
}

function progressOf({ done, total }: Rotation): string {
  if (total === 0) return "waiting until every Pawl of this database has the new key";
  return `${done} of ${total} values sealed anew (${Math.floor((done / total) * 100)} %)`;
}
