import type { Command } from "commander";
import type { DatasetColumn, DatasetRow } from "../contract/dataset.ts";
import type { FilterRequest, MatchMode } from "../contract/search.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { count } from "./ask.ts";
import { datasets } from "./dataset-noun.ts";
import { CliError } from "./exit.ts";
import { findNamed } from "./named.ts";
import { openSession } from "./session.ts";
import { oneLine, paint, safe, table } from "./text.ts";

interface RowsOptions {
  where?: string[];
  search?: string;
  sortBy?: string;
  desc?: boolean;
  limit: string;
  page: string;
}

export function addDatasetRows(group: Command): void {
  group
    .command("rows")
    .argument("<dataset>", "name or id")
    .option(
      "--where <condition...>",
      "only rows of which all of these hold: column=value, and != > >= < <= ~ (contains)",
    )
    .option("--search <text>", "only rows with these words in their texts")
    .option("--sort-by <column>", "in the order of this column; left out, in that of the rows")
    .option("--desc", "the other way round")
    .option("--limit <count>", "at most so many", "20")
    .option("--page <number>", "from 1", "1")
    .description("show rows of a dataset")
    .addHelpText(
      "after",
      `
Examples:
  $ pawl dataset rows orders
  $ pawl dataset rows orders --where 'amount>=100' 'paid=false' --sort-by day --desc
  $ pawl dataset rows orders --where customer~smith --json | jq '.[].id'`,
    )
    .action(async (nameOrId: string, options: RowsOptions, command: Command) => {
      const session = openSession(command);
      const { id } = await findNamed(datasets, session, nameOrId);
      const { columns } = (await session.client.getDataset({ params: { id } })).data;
      const page = Number(options.page);
      if (!/^\d{1,6}$/.test(options.page) || page < 1) {
        throw new CliError("usage", `--page must be a whole number from 1, not "${options.page}".`);
      }
      const { data, meta, message } = await session.client.searchDatasetRows({
        params: { id },
        body: {
          page: page - 1,
          size: count(options.limit, "--limit"),
          searchText: options.search ?? null,
          filters: conditions(options.where ?? [], columns),
          ...(options.sortBy === undefined ? {} : { sortBy: options.sortBy }),
          sortOrder: options.desc ? "desc" : "asc",
        },
      });
      session.result(data, () => (data.length === 0 ? safe(message) : rowsTable(columns, data)));
      const { totalElements: total, size } = meta;
      if (total > data.length) {
        session.note(`Page ${page} of ${Math.ceil(total / size)}: ${data.length} of ${total} rows.`);
      }
    });
}

function rowsTable(columns: readonly DatasetColumn[], rows: readonly DatasetRow[]): string {
  return table(
    columns.map(({ name }) => oneLine(name, 40)),
    rows.map((row) =>
      columns.map(({ name }) => {
        const value = row[name] ?? null;
        return value === null ? paint("dim", "–") : oneLine(String(value), 40);
      }),
    ),
  );
}

const operators: [string, MatchMode][] = [
  [">=", "gte"],
  ["<=", "lte"],
  ["!=", "notEquals"],
  ["=", "equals"],
  [">", "gt"],
  ["<", "lt"],
  ["~", "contains"],
];

/** `amount>=100` and the like; several of one column must all hold. */
export function conditions(
  texts: readonly string[],
  columns: readonly DatasetColumn[],
): NonNullable<FilterRequest["filters"]> {
  const filters: NonNullable<FilterRequest["filters"]> = {};
  // A name may begin like another, and have any sign in it.
  const longestFirst = [...columns].sort((one, other) => other.name.length - one.name.length);
  for (const text of texts) {
    const column = longestFirst.find(
      ({ name }) => text.startsWith(name) && operators.some(([sign]) => text.startsWith(sign, name.length)),
    );
    if (!column) throw unknown(text, columns);
    const rest = text.slice(column.name.length);
    const [sign, matchMode] = operators.find(([each]) => rest.startsWith(each))!;
    const value = typed(column, rest.slice(sign.length));
    const group = Object.hasOwn(filters, column.name) ? filters[column.name]! : undefined;
    if (group) group.constraints.push({ value, matchMode });
    else filters[column.name] = { operator: "and", constraints: [{ value, matchMode }] };
  }
  return filters;
}

function typed({ name, type }: DatasetColumn, text: string): string | number | boolean {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const number = Number(text);
  if ((type === "integer" || type === "number") && text.trim() !== "" && Number.isFinite(number))
    return number;
  if (type !== "boolean" && type !== "integer" && type !== "number") return text;
  const wanted = type === "boolean" ? "true or false" : "a number";
  throw new CliError("usage", `The column "${name}" is compared with ${wanted}, not "${text}".`);
}

function unknown(text: string, columns: readonly DatasetColumn[]): CliError {
  const names = columns.map(({ name }) => name);
  const name = text.split(/[=!<>~]/, 1)[0]!;
  return new CliError(
    "usage",
    `--where takes conditions such as amount>=100, and "${text}" begins with no column and sign.${didYouMean(name, names)}`,
    { hint: `The columns are ${names.join(", ")}.` },
  );
}
