import type { DatasetRow, RowsFound, RowsRequest } from "../../contract/dataset.ts";
import type { Meta } from "../../contract/shapes.ts";
import { findByIdOrName, noSuch } from "../named.ts";
import { searchPage } from "../search.ts";
import { appendRows } from "./append.ts";
import { rowNumber } from "./columns.ts";
import { rowObject } from "./export.ts";
import { type RowStore, rowFields, rowTie } from "./row-store.ts";
import type { DatasetRecord } from "./store.ts";
import type { DatasetDeps } from "./upload.ts";

/**
 * A page of the rows that a filter finds.
 * @throws ApiError VALIDATION_FAILED, OVERLOADED
 */
export async function searchRows(
  rows: RowStore,
  { contentId, columns }: DatasetRecord,
  { sortBy = rowNumber, sortOrder = "asc", ...request }: RowsRequest,
): Promise<{ rows: DatasetRow[]; meta: Meta }> {
  const { fields, texts } = rowFields(contentId, columns);
  const found = await searchPage(
    fields,
    texts,
    { ...request, sortBy, sortOrder },
    (filter) => rows.search(contentId, filter),
    rowTie,
  );
  return { rows: found.rows.map(({ cells }) => rowObject(columns, cells)), meta: found.meta };
}

/**
 * For a step: rows of the dataset that it names by id or name.
 * @throws ApiError NOT_FOUND, VALIDATION_FAILED, OVERLOADED
 */
export async function readRows(
  { store, rows }: DatasetDeps,
  idOrName: string,
  request: RowsRequest,
): Promise<RowsFound> {
  const dataset = await findByIdOrName<DatasetRecord>(store, idOrName);
  if (!dataset) throw noSuch("dataset");
  const found = await searchRows(rows, dataset, request);
  return { columns: dataset.columns, rows: found.rows, total: found.meta.totalElements };
}

/**
 * For a step: appends rows to the dataset that it names by id or name, all or none; answers how many rows it has then.
 * @throws ApiError NOT_FOUND, VALIDATION_FAILED, PAYLOAD_TOO_LARGE
 */
export async function addRows(
  deps: DatasetDeps,
  idOrName: string,
  rows: readonly DatasetRow[],
  by: string,
): Promise<number> {
  const dataset = await findByIdOrName<DatasetRecord>(deps.store, idOrName);
  if (!dataset) throw noSuch("dataset");
  return (await appendRows(deps, by, dataset.id, rows)).rowCount;
}
