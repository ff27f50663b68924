import { datasetLimits } from "../../contract/dataset.ts";
import type { Upload } from "../../http/bytes.ts";
import { throwFaults } from "../../http/validate.ts";
import { newId } from "../../lib/ids.ts";
import type { ContentStore } from "../content-store.ts";
import { uploadContent } from "../take-over.ts";
import type { RecordUsage } from "../usage.ts";
import { type Cell, charsOf } from "./cell.ts";
import { givenTypes } from "./columns.ts";
import { decoded } from "./decode.ts";
import { type CsvForm, csvRows, jsonRows } from "./read-rows.ts";
import type { RowStore } from "./row-store.ts";
import type { DatasetRecord, DatasetStore } from "./store.ts";
import { Table, tooMany } from "./table.ts";

export interface DatasetDeps {
  store: DatasetStore;
  usageOf: RecordUsage;
  rows: RowStore;
  contents: ContentStore;
}

export interface DatasetToKeep extends CsvForm {
  name: string;
  description?: string | undefined;
  onExisting?: "replace" | "fail" | undefined;
  expectedVersion?: number | undefined;
  /** `name:type` of columns that are not to be guessed. */
  column?: readonly string[] | undefined;
  by: string;
}

/** Rows are written so many at a time, or fewer when they are long. */
const batch = { rows: 1000, chars: 1024 * 1024 };

/**
 * Keeps a table as it arrives, and takes it over when all of it is there and every cell is right.
 * @throws ApiError VALIDATION_FAILED, MALFORMED_JSON, CONFLICT, PAYLOAD_TOO_LARGE
 */
export async function uploadDataset(
  deps: DatasetDeps,
  dataset: DatasetToKeep,
  bytes: Upload,
): Promise<DatasetRecord> {
  const { types, faults } = givenTypes(dataset.column ?? []);
  throwFaults(faults);
  return uploadContent<DatasetRecord>(deps, { noun: "dataset", ...dataset }, async (contentId) => {
    const table = new Table(types);
    const text = decoded(bytes, datasetLimits.uploadBytes);
    const rows = /^text\/csv\b/i.test(bytes.type) ? csvRows(text, table, dataset) : jsonRows(text, table);
    const { rowCount, size } = await writeRows(deps.rows, contentId, rows, table);
    const columns = table.finish();
    return (before) => {
      const now = new Date();
      return {
        id: before?.id ?? newId(),
        name: dataset.name,
        description: dataset.description ?? before?.description ?? "",
        columns,
        rowCount,
        size,
        contentId,
        version: (before?.version ?? 0) + 1,
        createdAt: before?.createdAt ?? now,
        createdBy: before?.createdBy ?? dataset.by,
        updatedAt: now,
        updatedBy: dataset.by,
      };
    };
  });
}

/** Answers how many there were, and their characters. What is wrong already is read on for its other faults, and not written. */
async function writeRows(
  store: RowStore,
  contentId: string,
  batches: AsyncIterable<Cell[][]>,
  table: Table,
): Promise<{ rowCount: number; size: number }> {
  let taken = 0;
  let size = 0;
  let chars = 0;
  let pending: Cell[][] = [];
  // One batch is written while the next is read.
  let writing = Promise.resolve();
  const flush = async () => {
    const [first, rows] = [taken + 1, pending];
    [taken, size, pending, chars] = [taken + rows.length, size + chars, [], 0];
    await writing;
    if (table.isFaulty || rows.length === 0) return;
    writing = store.write(contentId, first, rows);
    // It is thrown where it is waited for.
    writing.catch(() => {});
  };
  for await (const rows of batches) {
    for (const cells of rows) {
      if (taken + pending.length >= datasetLimits.rows) throw tooMany("rows", datasetLimits.rows);
      pending.push(cells);
      chars += charsOf(cells);
      if (pending.length >= batch.rows || chars >= batch.chars) await flush();
    }
  }
  await flush();
  await writing;
  return { rowCount: taken, size };
}
