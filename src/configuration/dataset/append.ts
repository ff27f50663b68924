import { type DatasetRow, datasetLimits } from "../../contract/dataset.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { noSuch } from "../named.ts";
import { type Cell, charsOf } from "./cell.ts";
import type { DatasetRecord } from "./store.ts";
import { Table, tooMany } from "./table.ts";
import type { DatasetDeps } from "./upload.ts";

/**
 * Appends rows, all or none; those who append at once wait for each other.
 * @throws ApiError NOT_FOUND, VALIDATION_FAILED (each cell that does not fit), PAYLOAD_TOO_LARGE
 */
export async function appendRows(
  { store, rows: written }: DatasetDeps,
  by: string,
  id: string,
  rows: readonly DatasetRow[],
): Promise<DatasetRecord> {
  return store.transaction(async (client) => {
    const before = await store.lock(client, { id });
    if (!before) throw noSuch("dataset");
    if (before.rowCount + rows.length > datasetLimits.rows) throw tooMany("rows", datasetLimits.rows);
    const cells = checkedRows(before, rows);
    const size = cells.reduce((sum, row) => sum + charsOf(row), before.size);
    if (size > datasetLimits.size) throw tooMany("characters", datasetLimits.size);
    await written.write(before.contentId, before.rowCount + 1, cells, client);
    const after = {
      ...before,
      rowCount: before.rowCount + rows.length,
      size,
      version: before.version + 1,
      updatedAt: new Date(),
      updatedBy: by,
    };
    await store.update(client, after);
    return after;
  });
}

function checkedRows({ columns }: DatasetRecord, rows: readonly DatasetRow[]): Cell[][] {
  const names = columns.map(({ name }) => name);
  const table = new Table(new Map(columns.map(({ name, type }) => [name, type])));
  for (const name of names) table.column(name);
  const cells = rows.map((row, i) => {
    const place = { row: i + 1 };
    const kept: Cell[] = Array(names.length).fill(null);
    for (const [name, value] of Object.entries(row)) {
      const at = names.indexOf(name);
      if (at < 0) {
        const hint = didYouMean(name.slice(0, 100), names);
        table.fault(
          `/rows/${i}/${name.slice(0, 100)}`,
          `row ${i + 1} has "${name.slice(0, 40)}", which is no column.${hint}`,
        );
      } else if (value !== null) kept[at] = table.cell(at, place, String(value), typeof value);
    }
    return kept;
  });
  table.refuseFaults();
  return cells;
}
