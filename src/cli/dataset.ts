import { extname } from "node:path";
import { type Command, Option } from "commander";
import type { Dataset } from "../contract/dataset.ts";
import { datasets } from "./dataset-noun.ts";
import { addDatasetRows } from "./dataset-rows.ts";
import { fileNameOf, writeDownload } from "./download-target.ts";
import { CliError } from "./exit.ts";
import { addNamedDelete, addNamedList, findNamed } from "./named.ts";
import { openSession } from "./session.ts";
import { fields, localTime, oneLine, paint, safe, table } from "./text.ts";
import { nameFor, uploadSource } from "./upload-source.ts";

export function addDataset(program: Command): void {
  const group = program.command("dataset").description("keep tables that steps read and append to");
  addUpload(group);
  addNamedList(group, datasets, ["NAME", "ROWS", "COLUMNS", "UPDATED", "DESCRIPTION"], (one) => [
    oneLine(one.name, 60),
    String(one.rowCount),
    String(one.columns.length),
    localTime(one.updatedAt),
    oneLine(one.description, 60),
  ]);
  addShow(group);
  addDatasetRows(group);
  addDownload(group);
  addNamedDelete(group, datasets, "delete a dataset with its rows");
}

const types = { csv: "text/csv", json: "application/json", ndjson: "application/x-ndjson" } as const;
type Format = keyof typeof types;

interface UploadOptions {
  name?: string;
  format?: Format;
  description?: string;
  column?: string[];
  delimiter?: "comma" | "semicolon" | "tab" | "pipe";
  header: boolean;
  createOnly?: boolean;
}

function addUpload(group: Command): void {
  group
    .command("upload")
    .argument("<file>", "CSV or JSON; - reads standard input")
    .option("--name <name>", "what to keep it as; left out, the file's own, without its ending")
    .addOption(
      new Option("--format <format>", "left out, the file's ending says it").choices(Object.keys(types)),
    )
    .option("--description <text>", "what it holds")
    .option("--column <name:type...>", "types of columns; those of the others are guessed from all values")
    .addOption(
      new Option("--delimiter <word>", "of a CSV; left out, whichever its first line has most of").choices([
        "comma",
        "semicolon",
        "tab",
        "pipe",
      ]),
    )
    .option("--no-header", "the first line of the CSV is a row, and names no columns")
    .option("--create-only", "refuse when a dataset of that name is there already")
    .description("make a dataset from a file, or replace all rows of the one of its name")
    .addHelpText(
      "after",
      `
It is there at once when all of it has arrived and every cell is right; until then, and if anything is wrong, what was there stays.
Types are string, integer, number, boolean, date and timestamp.

Examples:
  $ pawl dataset upload orders.csv
  $ pawl dataset upload orders.csv --name "orders of May" --column zip:string amount:number
  $ psql shop -c "copy orders to stdout csv header" | pawl dataset upload - --name orders --format csv`,
    )
    .action(async (file: string, options: UploadOptions, command: Command) => {
      const session = openSession(command);
      const format = options.format ?? formatOf(file);
      const name = options.name ?? nameFor(file, undefined).slice(0, -extname(file).length || undefined);
      const { data, message } = await session.client.uploadDataset({
        query: {
          name,
          ...(options.description === undefined ? {} : { description: options.description }),
          ...(options.column === undefined ? {} : { column: options.column }),
          ...(options.delimiter === undefined ? {} : { delimiter: options.delimiter }),
          ...(options.header ? {} : { header: false }),
          ...(options.createOnly ? { onExisting: "fail" as const } : {}),
        },
        bytes: { type: types[format], content: await uploadSource(file) },
      });
      session.result(data, () => `${safe(message)}\n${columnsTable(data)}`);
    });
}

function formatOf(file: string): Format {
  const ending = extname(file).slice(1).toLowerCase();
  const known: Record<string, Format> = {
    csv: "csv",
    tsv: "csv",
    txt: "csv",
    json: "json",
    ndjson: "ndjson",
    jsonl: "ndjson",
  };
  const format = known[ending];
  if (format) return format;
  throw new CliError(
    "usage",
    `${file === "-" ? "Standard input" : file} may be CSV or JSON: say which with --format.`,
  );
}

function addShow(group: Command): void {
  group
    .command("show")
    .argument("<dataset>", "name or id")
    .description("show what is known of a dataset, and its columns")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const { id } = await findNamed(datasets, session, nameOrId);
      const { data } = await session.client.getDataset({ params: { id } });
      session.result(
        data,
        () =>
          `${fields([
            ["Name", paint("bold", safe(data.name))],
            ["Id", data.id],
            ["Description", oneLine(data.description, 200)],
            ["Rows", String(data.rowCount)],
            ["Version", `${data.version}, ${localTime(data.updatedAt)} by ${safe(data.updatedBy)}`],
          ])}\n\n${columnsTable(data)}`,
      );
    });
}

function columnsTable({ columns }: Dataset): string {
  return table(
    ["COLUMN", "TYPE"],
    columns.map(({ name, type }) => [safe(name), type]),
  );
}

interface DownloadOptions {
  output?: string;
  format: "csv" | "json";
  keepFormulas?: boolean;
  force?: boolean;
}

function addDownload(group: Command): void {
  group
    .command("download")
    .argument("<dataset>", "name or id")
    .option(
      "-o, --output <file>",
      "where to; - is standard output; left out, the dataset's name, in this directory",
    )
    .addOption(new Option("--format <format>", "of the file").choices(["csv", "json"]).default("csv"))
    .option(
      "--keep-formulas",
      "leave texts that a spreadsheet would run as they are; else they get a ' before them",
    )
    .option("-f, --force", "replace the file when it is there")
    .description("save the rows of a dataset as CSV or JSON")
    .addHelpText(
      "after",
      `
Examples:
  $ pawl dataset download orders
  $ pawl dataset download orders --format json -o - | jq length`,
    )
    .action(async (nameOrId: string, options: DownloadOptions, command: Command) => {
      const session = openSession(command);
      const { id, name } = await findNamed(datasets, session, nameOrId);
      const { format, keepFormulas, force } = options;
      const { data } = await session.client.exportDataset({
        params: { id },
        query: { format, ...(keepFormulas ? { formulas: "keep" as const } : {}) },
      });
      const output = options.output ?? fileNameOf(`${name}.${format}`);
      await writeDownload(data, { output, force });
      if (output !== "-") session.result({ id, name, file: output }, () => `Saved as ${safe(output)}.`);
    });
}
