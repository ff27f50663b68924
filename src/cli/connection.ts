import type { Command } from "commander";
import type { Connection, ConnectionTypeInfo } from "../contract/connection.ts";
import { confirm, count } from "./ask.ts";
import { addConnectionApply } from "./connection-apply.ts";
import { where } from "./filters.ts";
import { findConnection, typeNamed } from "./find-connection.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";
import { addConnectionTest } from "./test-connection.ts";
import { fields, localTime, oneLine, paint, safe, table } from "./text.ts";

interface ListOptions {
  search?: string;
  type?: string;
  category?: string;
  limit: string;
}

export function addConnection(program: Command): void {
  const group = program
    .command("connection")
    .description("keep credentials, sealed, for the steps that use them");
  addConnectionApply(group);
  addList(group);
  addShow(group);
  addConnectionTest(group);
  addDelete(group);
  addTypes(group);
}

function addList(group: Command): void {
  group
    .command("list")
    .description("list connections, by name")
    .option("--search <text>", "only those with these words in name or description")
    .option("--type <type>", "only those of this type")
    .option("--category <category>", "only those of this category")
    .option("--limit <count>", "at most so many", "100")
    .action(async ({ search, type, category, limit }: ListOptions, command: Command) => {
      const session = openSession(command);
      const { data, meta, message } = await session.client.searchConnections({
        body: {
          size: count(limit, "--limit"),
          sortBy: "name",
          sortOrder: "asc",
          searchText: search ?? null,
          filters: where({ connectionType: type === undefined ? undefined : typeNamed(type), category }),
        },
      });
      session.result(data, () =>
        data.length === 0
          ? safe(message)
          : table(
              ["NAME", "TYPE", "CATEGORY", "ID"],
              data.map((one) => [oneLine(one.name, 60), one.connectionType, safe(one.category), one.id]),
            ),
      );
      if (meta.totalElements > data.length) {
        session.note(`${data.length} of ${meta.totalElements}; more with --limit.`);
      }
    });
}

function addShow(group: Command): void {
  group
    .command("show")
    .argument("<connection>", "name or id")
    .option("--type <type>", "the one of this type, when several have the name")
    .description("show a connection, its secrets sealed, and the jobs that use it")
    .addHelpText(
      "after",
      `
Examples:
  $ pawl connection show orders-db
  $ pawl connection show orders-db --json > orders-db.json      secrets stay sealed in it; \`apply\` takes it back`,
    )
    .action(async (nameOrId: string, { type }: { type?: string }, command: Command) => {
      const session = openSession(command);
      const connection = await findConnection(session.client, nameOrId, type);
      if (session.json) return session.result(connection, () => "");
      const { data: usage } = await session.client.getConnectionUsage({ params: { id: connection.id } });
      const jobs = usage.jobs.map(({ name }) => oneLine(name, 40)).join(", ");
      console.log(describe(connection, usage.totalJobs === 0 ? "no job" : `${usage.totalJobs}: ${jobs}`));
    });
}

function describe(connection: Connection, jobs: string): string {
  const head = fields([
    ["Name", paint("bold", safe(connection.name))],
    ["Id", connection.id],
    ["Type", connection.connectionType],
    ["Category", safe(connection.category)],
    ["Description", oneLine(connection.description, 200)],
    ["Version", `${connection.version}, ${localTime(connection.updatedAt)} by ${safe(connection.updatedBy)}`],
    ["Used by", jobs],
  ]);
  const variables = Object.entries(connection.variables);
  const rows = variables.map(([name, value]) => [
    safe(name),
    value.startsWith("ENC(") ? paint("dim", "(sealed)") : oneLine(value, 100),
  ]);
  return rows.length === 0 ? head : `${head}\n\n${table(["VARIABLE", "VALUE"], rows)}`;
}

function addDelete(group: Command): void {
  group
    .command("delete")
    .argument("<connection>", "name or id")
    .option("--type <type>", "the one of this type, when several have the name")
    .option("--force", "also when jobs use it")
    .option("-y, --yes", "do not ask")
    .description("delete a connection and its secrets")
    .action(
      async (
        nameOrId: string,
        options: { type?: string; force?: boolean; yes?: boolean },
        command: Command,
      ) => {
        const session = openSession(command);
        const { id, name, connectionType } = await findConnection(session.client, nameOrId, options.type);
        if (!options.yes) await confirm(`Delete the connection "${safe(name)}" (${connectionType})?`);
        const { message } = await session.client.deleteConnection({
          params: { id },
          query: options.force ? { force: true } : {},
        });
        session.result({ id, name, connectionType, deleted: true }, () => safe(message));
      },
    );
}

function addTypes(group: Command): void {
  group
    .command("types")
    .argument("[type]", "show its variables")
    .description("list the types of connections, or what one of them is made of")
    .action(async (type: string | undefined, _options, command: Command) => {
      const session = openSession(command);
      const { data } = await session.client.listConnectionTypes();
      const wanted = type === undefined ? undefined : typeNamed(type);
      const shown = data.find(({ connectionType }) => connectionType === wanted);
      if (shown) return session.result(shown, () => describeType(shown));
      session.result(data, () =>
        table(
          ["TYPE", "NAME", "DESCRIPTION"],
          data.map((one) => [one.connectionType, safe(one.label), oneLine(one.description, 80)]),
        ),
      );
    });
}

function describeType({ connectionType, label, fields: list, anyOfRequired }: ConnectionTypeInfo): string {
  const rows = list.map((field) => [
    field.name,
    [field.required ? "required" : "", field.sensitive ? paint("yellow", "secret") : ""]
      .filter(Boolean)
      .join(", "),
    field.values?.join(" | ") ?? field.kind,
    oneLine(field.help || field.label, 90),
  ]);
  const either = anyOfRequired.map((names) => `It needs ${names.join(" or ")}.\n`).join("");
  return (
    `${paint("bold", safe(label))}\n${table(["VARIABLE", "", "KIND", ""], rows)}\n${either}\n` +
    `Save one: ${pawl} connection apply FILE (its --help has an example; connectionType: ${connectionType})`
  );
}
