import type { DatasetColumn } from "../../contract/dataset.ts";
import type { Download } from "../../http/bytes.ts";
import { type Cell, cellValue } from "./cell.ts";
import type { RowStore } from "./row-store.ts";
import type { DatasetRecord } from "./store.ts";

const readAtOnce = 1000;

/** The rows as they are now, in their order. */
export function exportDataset(
  rows: RowStore,
  dataset: DatasetRecord,
  { format = "csv", formulas = "escape" }: { format?: "csv" | "json"; formulas?: "escape" | "keep" },
): Download {
  const cells = allRows(rows, dataset);
  const name = `${dataset.name}.${format}`;
  if (format === "json") return { bytes: asJson(dataset, cells), name, type: "application/json" };
  return { bytes: asCsv(dataset, cells, formulas === "escape"), name, type: "text/csv; charset=utf-8" };
}

async function* allRows(
  rows: RowStore,
  { id, contentId, rowCount }: DatasetRecord,
): AsyncGenerator<Cell[][]> {
  for (let read = 0; read < rowCount; ) {
    const next = await rows.readOn(contentId, read, Math.min(readAtOnce, rowCount - read));
    // To end here would show some of the rows as all of them.
    if (next.length === 0) throw new Error(`The content of the dataset ${id} was removed while it was read.`);
    yield next.map(({ cells }) => cells);
    read = next.at(-1)!.n;
  }
}

async function* asJson({ columns }: DatasetRecord, batches: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  let before = "[";
  for await (const batch of batches) {
    yield batch
      .map((cells) => {
        const text = `${before}\n${JSON.stringify(rowObject(columns, cells))}`;
        before = ",";
        return text;
      })
      .join("");
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}

async function* asCsv(
  { columns }: DatasetRecord,
  batches: AsyncIterable<Cell[][]>,
  escapesFormulas: boolean,
): AsyncGenerator<string> {
  const text = (value: string) => quoted(escapesFormulas ? withoutFormula(value) : value);
  yield line(columns.map(({ name }) => text(name)));
  for await (const batch of batches) {
    yield batch
      .map((cells) =>
        line(
          columns.map(({ type }, i) => {
            const cell = cells[i] ?? null;
            if (cell === null) return "";
            // A number with its sign is no formula.
            return type === "string" ? text(cell) : quoted(cell);
          }),
        ),
      )
      .join("");
  }
}

const line = (cells: string[]) => `${cells.join(",")}\r\n`;

/** A text that is empty is quoted: those who can tell it from null so do. */
function quoted(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet runs what begins like this, in some languages in full width too, with the rights of whoever opened it. */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}

export function rowObject(
  columns: readonly DatasetColumn[],
  cells: readonly Cell[],
): Record<string, ReturnType<typeof cellValue>> {
  return Object.fromEntries(columns.map(({ name, type }, i) => [name, cellValue(type, cells[i] ?? null)]));
}
