import type { Dataset } from "../../contract/dataset.ts";
import type { DatasetRecord } from "./store.ts";

export function presentDataset(row: DatasetRecord): Dataset {
  const { id, name, description, columns, rowCount, size, version, createdBy, updatedBy } = row;
  return {
    id,
    name,
    description,
    columns: columns.map(({ name, type }) => ({ name, type })),
    rowCount,
    size,
    version,
    createdAt: row.createdAt.toISOString(),
    createdBy,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy,
  };
}
