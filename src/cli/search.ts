import { type Command, Option } from "commander";
import { itemTypes } from "../contract/search.ts";
import { count } from "./ask.ts";
import { where } from "./filters.ts";
import { openSession } from "./session.ts";
import { localTime, oneLine, paint, safe, table } from "./text.ts";

interface Options {
  type: "all" | (typeof itemTypes)[number];
  tag?: string;
  category?: string;
  limit: string;
}

export function addSearch(program: Command): void {
  program
    .command("search")
    .argument("<text...>", "words that must all be in name or description")
    .description("find jobs, steps and collections, the best match first")
    .addOption(new Option("--type <type>", "only these").choices(["all", ...itemTypes]).default("all"))
    .option("--tag <tag>", "only with this tag (a step has those of its job)")
    .option("--category <category>", "only of this category")
    .option("--limit <count>", "at most so many", "20")
    .addHelpText(
      "after",
      `
Examples:
  $ pawl search invoice
  $ pawl search fetch orders --type step
  $ pawl search report --tag finance --json | jq '.[].id'`,
    )
    .action(async (words: string[], options: Options, command: Command) => {
      const session = openSession(command);
      const { data, meta, message } = await session.client.searchAll({
        query: { type: options.type },
        body: {
          searchText: words.join(" "),
          sortBy: "relevance",
          size: count(options.limit, "--limit"),
          filters: where({ tags: options.tag, category: options.category }),
        },
      });
      session.result(data, () =>
        data.length === 0
          ? safe(message)
          : table(
              ["TYPE", "NAME", "UPDATED", "DESCRIPTION", "ID"],
              data.map((item) => [
                item.type,
                paint("bold", oneLine(item.name, 60)),
                localTime(item.updatedAt),
                oneLine(item.description, 50),
                item.id,
              ]),
            ),
      );
      if (session.json && data.length === 0) session.note(safe(message));
      if (meta.totalElements > data.length) {
        session.note(`${data.length} of ${meta.totalElements}; more with --limit.`);
      }
    });
}
