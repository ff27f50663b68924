import type { Command } from "commander";
import type { CollectionInput } from "../contract/collection.ts";
import { confirm, count } from "./ask.ts";
import { where } from "./filters.ts";
import { findCollection } from "./find-collection.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";
import { fields, localTime, oneLine, safe, table } from "./text.ts";

interface Texts {
  description?: string;
  category?: string;
  tag?: string[];
}

export function addCollection(program: Command): void {
  const group = program
    .command("collection")
    .description("group jobs: make, change, list and delete collections");

  group
    .command("list")
    .description("list the collections you may see")
    .option("--search <text>", "only those with these words in name or description")
    .option("--tag <tag>", "only those with this tag")
    .option("--limit <count>", "at most so many", "100")
    .action(async (options: { search?: string; tag?: string; limit: string }, command: Command) => {
      const session = openSession(command);
      const { data, meta, message } = await session.client.searchCollections({
        body: {
          size: count(options.limit, "--limit"),
          sortBy: "name",
          sortOrder: "asc",
          searchText: options.search ?? null,
          filters: where({ tags: options.tag }),
        },
      });
      session.result(data, () =>
        data.length === 0
          ? safe(message)
          : table(
              ["NAME", "JOBS", "TAGS", "UPDATED", "DESCRIPTION"],
              data.map((one) => [
                safe(one.name),
                String(one.jobCount),
                safe(one.tags.join(" ")),
                localTime(one.updatedAt),
                oneLine(one.description, 60),
              ]),
            ),
      );
      if (meta.totalElements > data.length) {
        session.note(`${data.length} of ${meta.totalElements}; more with --limit.`);
      }
    });

  texts(group.command("create").argument("<name>", "unique"))
    .description("make a collection")
    .addHelpText(
      "after",
      `
Examples:
  $ pawl collection create Finance --description "Month end and invoices" --tag finance
  $ pawl job move nightly-orders Finance
  $ pawl job list --collection Finance`,
    )
    .action(async (name: string, options: Texts, command: Command) => {
      const session = openSession(command);
      const { data } = await session.client.createCollection({ body: { name, ...given(options) } });
      session.result(
        data,
        () => `Created ${safe(data.name)}. Put a job in it: ${pawl} job move JOB '${safe(name)}'`,
      );
    });

  group
    .command("show")
    .argument("<collection>", "name or id")
    .description("show a collection")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const one = await findCollection(session.client, nameOrId);
      session.result(one, () =>
        fields([
          ["Name", safe(one.name)],
          ["Id", one.id],
          ["Description", oneLine(one.description, 200)],
          ["Category", safe(one.category)],
          ["Tags", safe(one.tags.join(" "))],
          ["Jobs", String(one.jobCount)],
          ["Updated", `${localTime(one.updatedAt)} by ${safe(one.updatedBy)}`],
        ]),
      );
    });

  texts(group.command("update").argument("<collection>", "name or id"))
    .option("--name <name>", "call it this")
    .description("change a collection; what is not named stays as it is")
    .action(async (nameOrId: string, options: Texts & { name?: string }, command: Command) => {
      const session = openSession(command);
      const { id, name, description, category, tags } = await findCollection(session.client, nameOrId);
      const body = { name: options.name ?? name, description, category, tags, ...given(options) };
      const { data, message } = await session.client.replaceCollection({ params: { id }, body });
      session.result(data, () => safe(message));
    });

  group
    .command("delete")
    .argument("<collection>", "name or id")
    .description("delete a collection; its jobs stay, and --move-to says where")
    .option("--move-to <collection>", "name or id of the collection that its jobs go to, or none")
    .option("-y, --yes", "do not ask")
    .action(async (nameOrId: string, options: { moveTo?: string; yes?: boolean }, command: Command) => {
      const session = openSession(command);
      const one = await findCollection(session.client, nameOrId);
      const moveTo =
        options.moveTo === undefined || options.moveTo === "none"
          ? options.moveTo
          : (await findCollection(session.client, options.moveTo)).id;
      if (!options.yes) await confirm(`Delete the collection "${safe(one.name)}"?`);
      const query = moveTo === undefined ? {} : { moveTo };
      const { message } = await session.client.deleteCollection({ params: { id: one.id }, query });
      session.result({ id: one.id, name: one.name, deleted: true }, () => safe(message));
    });
}

function texts(command: Command): Command {
  return command
    .option("--description <text>", "what it holds")
    .option("--category <category>", "a word to file it under")
    .option("--tag <tag...>", "tags, in place of those it has");
}

function given({ description, category, tag }: Texts): Partial<CollectionInput> {
  return {
    ...(description === undefined ? {} : { description }),
    ...(category === undefined ? {} : { category }),
    ...(tag === undefined ? {} : { tags: tag }),
  };
}
