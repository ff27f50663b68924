import type { Command } from "commander";
import type { FilterRequest } from "../contract/search.ts";
import type { Meta } from "../contract/shapes.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { confirm, count } from "./ask.ts";
import { CliError } from "./exit.ts";
import { where } from "./filters.ts";
import { pawl } from "./own-name.ts";
import { openSession, type Session } from "./session.ts";
import { safe, table } from "./text.ts";

interface Named {
  id: string;
  name: string;
}

/** A noun whose records have a name of their own each, and how they are reached. */
export interface Noun<Item extends Named> {
  /** As its command is called. */
  command: string;
  /** As people call it. */
  word: string;
  search(session: Session, body: FilterRequest): Promise<{ data: Item[]; meta: Meta; message: string }>;
  remove(session: Session, id: string, force: boolean): Promise<{ message: string }>;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of the record of this name, or of this id. */
export async function findNamed<Item extends Named>(
  noun: Noun<Item>,
  session: Session,
  nameOrId: string,
): Promise<Named> {
  const find = (filters: FilterRequest["filters"]) =>
    noun.search(session, { size: 1, filters: filters ?? null });
  const [named] = (await find(where({ name: nameOrId }))).data;
  if (named) return named;
  if (uuid.test(nameOrId)) {
    const [hit] = (await find(where({ id: nameOrId.toLowerCase() }))).data;
    if (hit) return hit;
  }
  const { data } = await noun.search(session, { size: 200, sortBy: "name", sortOrder: "asc" });
  const names = data.map(({ name }) => name);
  throw new CliError(
    "refused",
    `There is no ${noun.word} named "${nameOrId}".${didYouMean(nameOrId, names)}`,
    {
      hint: `\`${pawl} ${noun.command} list\` shows those there are.`,
    },
  );
}

/** `list`, as every noun has it. */
export function addNamedList<Item extends Named>(
  group: Command,
  noun: Noun<Item>,
  header: string[],
  row: (item: Item) => string[],
): void {
  group
    .command("list")
    .description(`list ${noun.word}s, by name`)
    .option("--search <text>", "only those with these words in name or description")
    .option("--limit <count>", "at most so many", "100")
    .action(async ({ search, limit }: { search?: string; limit: string }, command: Command) => {
      const session = openSession(command);
      const { data, meta, message } = await noun.search(session, {
        size: count(limit, "--limit"),
        sortBy: "name",
        sortOrder: "asc",
        searchText: search ?? null,
      });
      session.result(data, () => (data.length === 0 ? safe(message) : table(header, data.map(row))));
      if (meta.totalElements > data.length) {
        session.note(`${data.length} of ${meta.totalElements}; more with --limit.`);
      }
    });
}

/** `delete`, as every noun has it. */
export function addNamedDelete<Item extends Named>(
  group: Command,
  noun: Noun<Item>,
  description: string,
): void {
  group
    .command("delete")
    .argument(`<${noun.command}>`, "name or id")
    .option("--force", "also when jobs use it")
    .option("-y, --yes", "do not ask")
    .description(description)
    .action(async (nameOrId: string, options: { yes?: boolean; force?: boolean }, command: Command) => {
      const session = openSession(command);
      const { id, name } = await findNamed(noun, session, nameOrId);
      if (!options.yes) await confirm(`Delete the ${noun.word} "${safe(name)}"?`);
      const { message } = await noun.remove(session, id, options.force ?? false);
      session.result({ id, name, deleted: true }, () => safe(message));
    });
}
