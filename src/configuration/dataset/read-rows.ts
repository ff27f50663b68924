import { ApiError } from "../../contract/errors.ts";
import { parseLimitedJson } from "../../lib/json-limits.ts";
import type { Cell } from "./cell.ts";
import { type delimiters, readCsv } from "./read-csv.ts";
import { splitJson } from "./split-json.ts";
import type { Table } from "./table.ts";

export interface CsvForm {
  delimiter?: keyof typeof delimiters | undefined;
  header?: boolean | undefined;
}

/** The rows of a CSV; its columns go into the table as they are met. An empty cell is null. */
export async function* csvRows(
  text: AsyncIterable<string>,
  table: Table,
  { delimiter, header = true }: CsvForm,
): AsyncGenerator<Cell[][]> {
  let row = 0;
  for await (const records of readCsv(text, delimiter)) {
    const rows: Cell[][] = [];
    for (const { cells, line } of records) {
      if (table.width === 0) {
        nameColumns(table, cells, header);
        if (header) continue;
      }
      row++;
      if (cells.length !== table.width) {
        const message = `row ${row} (line ${line}) has ${cells.length} cells, and there are ${table.width} columns.`;
        table.fault(`/rows/${row - 1}`, message);
        continue;
      }
      rows.push(cells.map((cell, at) => table.cell(at, { row, line }, cell === "" ? null : cell)));
    }
    yield rows;
  }
}

function nameColumns(table: Table, first: readonly string[], header: boolean): void {
  const names = first.map((name, i) => (header && name.trim()) || `column_${i + 1}`);
  for (const [i, name] of names.entries()) {
    if (table.column(name) !== i) {
      table.fault(`/columns/${i}`, `two columns are named "${name.slice(0, 40)}".`);
    }
  }
  table.refuseFaults();
}

/** The rows of JSON objects; the names in them are the columns, new ones included. */
export async function* jsonRows(text: AsyncIterable<string>, table: Table): AsyncGenerator<Cell[][]> {
  let row = 0;
  for await (const sources of splitJson(text)) {
    yield sources.map((source) => {
      row++;
      return objectCells(parsed(source, row, table), row, table);
    });
  }
}

/** The cells of one row that came as an object. */
function objectCells(object: Record<string, unknown>, row: number, table: Table): Cell[] {
  const cells: Cell[] = Array(table.width).fill(null);
  for (const [name, value] of Object.entries(object)) {
    const at = table.column(name);
    while (cells.length <= at) cells.push(null);
    if (value === null) continue;
    if (typeof value === "object") {
      table.cellFault(
        at,
        { row },
        "has a list or an object: a cell is a text, a number, true, false or null.",
      );
    } else cells[at] = table.cell(at, { row }, String(value), typeof value);
  }
  return cells;
}

function parsed(source: string, row: number, table: Table): Record<string, unknown> {
  let read: ReturnType<typeof parseLimitedJson>;
  try {
    read = parseLimitedJson(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApiError("MALFORMED_JSON", `The JSON can't be read: row ${row} is not valid.`);
  }
  for (const { path, message } of read.faults)
    table.fault(`/rows/${row - 1}${path}`, `row ${row}, ${path.slice(1, 100)} ${message}`);
  return read.faults.length > 0 ? {} : (read.value as Record<string, unknown>);
}
