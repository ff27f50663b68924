import Type, { type Static } from "typebox";
import type { FilterRequest } from "./search.ts";
import { Id, OneOf, Strict, Timestamp } from "./shapes.ts";

export const DatasetName = Type.String({ minLength: 1, maxLength: 200 });

export const columnTypes = ["string", "integer", "number", "boolean", "date", "timestamp"] as const;
export type ColumnType = (typeof columnTypes)[number];

/** What a dataset may be, at most. */
export const datasetLimits = {
  rows: 100_000,
  /** Characters of all cells: a page of the longest rows must be something that a server can answer. */
  size: 64 * 1024 * 1024,
  columns: 200,
  uploadBytes: 32 * 1024 * 1024,
  cellChars: 65_536,
  columnChars: 100,
} as const;

export const DatasetColumn = Strict({
  name: Type.String({
    minLength: 1,
    maxLength: datasetLimits.columnChars,
    description: "Unique in the dataset.",
  }),
  type: OneOf([...columnTypes]),
});
export type DatasetColumn = Static<typeof DatasetColumn>;

/** The body of POST /dataset/upsert. */
export const DatasetInput = Strict({
  id: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Changes this dataset, its name included. Left out, the name says which.",
    }),
  ),
  name: DatasetName,
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  columns: Type.Optional(
    Type.Array(DatasetColumn, {
      minItems: 1,
      maxItems: datasetLimits.columns,
      description:
        "Of a new one, which has no rows yet. Those of one that is there change with an upload only.",
    }),
  ),
});
export type DatasetInput = Static<typeof DatasetInput>;

export const Dataset = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  columns: Type.Array(Type.Object({ name: Type.String(), type: OneOf([...columnTypes]) })),
  rowCount: Type.Integer(),
  size: Type.Integer({ description: "Characters of all cells." }),
  version: Type.Integer({ description: "Counts the changes, those of the rows included, from 1." }),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
});
export type Dataset = Static<typeof Dataset>;

const Cell = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

/** A row by the names of its columns. */
export const DatasetRow = Type.Record(Type.String(), Cell);
export type DatasetRow = Static<typeof DatasetRow>;

export const AppendRequest = Strict({
  rows: Type.Array(DatasetRow, {
    minItems: 1,
    maxItems: 10_000,
    description: "A column that a row leaves out is null.",
  }),
});

/** What a step may ask of the rows of a dataset. */
export interface RowsRequest {
  filters?: FilterRequest["filters"];
  searchText?: string | null;
  /** A column, or _row: the number of the row, which it is when left out. */
  sortBy?: string;
  sortOrder?: "asc" | "desc";
  page?: number;
  size?: number;
}

export interface RowsFound {
  columns: DatasetColumn[];
  rows: DatasetRow[];
  /** Of all pages. */
  total: number;
}
