import Type from "typebox";
import { BulkDeleted, BulkDeleteRequest, NamedOption, Usage } from "./configuration.ts";
import { AppendRequest, Dataset, DatasetInput, DatasetName, DatasetRow, datasetLimits } from "./dataset.ts";
import { Forced } from "./forced.ts";
import type { Route } from "./routes.ts";
import { FilterRequest, searchFields } from "./search.ts";
import { Id, Meta, OneOf } from "./shapes.ts";

const byId = Type.Object({ id: Id });
const { rows, columns, uploadBytes } = datasetLimits;

const DatasetUpload = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: "Unique." }),
  description: Type.Optional(
    Type.String({ maxLength: 4000, description: "Left out, the one that is there stays." }),
  ),
  column: Type.Optional(
    Type.Array(Type.String({ maxLength: 120 }), {
      maxItems: datasetLimits.columns,
      description: "name:type, for a column that is not to be guessed; may be repeated.",
    }),
  ),
  delimiter: Type.Optional(
    OneOf(["comma", "semicolon", "tab", "pipe"], {
      description: "Between the cells of a CSV. Left out: whichever the first line has most of.",
    }),
  ),
  header: Type.Optional(
    Type.Boolean({ default: true, description: "Whether the first line of a CSV names the columns." }),
  ),
  onExisting: Type.Optional(
    OneOf(["replace", "fail"], { default: "replace", description: "What to do when the name is taken." }),
  ),
  expectedVersion: Type.Optional(
    Type.Integer({ minimum: 1, description: "Refuse (409) unless this is the current version." }),
  ),
});

const ExportQuery = Type.Object({
  format: Type.Optional(OneOf(["csv", "json"], { default: "csv" })),
  formulas: Type.Optional(
    OneOf(["escape", "keep"], {
      default: "escape",
      description:
        "Of a CSV: texts that a spreadsheet would run (they begin with = + - @, tab, return or line break) get a ' before them, or stay.",
    }),
  ),
});

/** Datasets: tables with typed columns, read and appended to by steps. */
export const datasetRoutes = {
  upsertDataset: {
    method: "POST",
    path: "/dataset/upsert",
    access: "ConfigService:Dataset:upsert",
    tag: "Datasets",
    audits: "dataset",
    summary: "Create a dataset without rows, or change the name or description of one",
    description: "201 when it is created.",
    query: Type.Object({
      expectedVersion: Type.Optional(
        Type.Integer({ minimum: 1, description: "Refuse (409) unless this is the current version." }),
      ),
    }),
    body: DatasetInput,
    data: Dataset,
    alsoAnswers: { 201: "Created" },
    errors: ["NOT_FOUND", "CONFLICT"],
  },
  uploadDataset: {
    method: "POST",
    path: "/dataset/upload",
    access: "ConfigService:Dataset:upsert",
    tag: "Datasets",
    audits: "dataset",
    summary: "Upload a dataset, or replace all rows and columns of the one of this name",
    description: `CSV, a JSON array of objects, or objects a line each; at most ${uploadBytes / 1024 / 1024} MiB, ${rows} rows and ${columns} columns; 201 when it is created. The types of the columns are guessed from all values unless they are given. It is taken over at once when all of it is there and right.`,
    query: DatasetUpload,
    takesBytes: ["text/csv", "application/json", "application/x-ndjson"],
    data: Dataset,
    alsoAnswers: { 201: "Created" },
    errors: ["CONFLICT"],
  },
  listDatasetOptions: {
    method: "GET",
    path: "/dataset/options",
    access: "ConfigService:Dataset:read",
    tag: "Datasets",
    summary: "List datasets as choices, by name",
    data: Type.Array(NamedOption),
    bare: true,
    errors: [],
  },
  searchDatasets: {
    method: "POST",
    path: "/dataset/search",
    access: "ConfigService:Dataset:read",
    tag: "Datasets",
    summary: "Find datasets",
    description: `Fields to filter and sort by: ${searchFields.searchDatasets.join(", ")}.`,
    body: FilterRequest,
    data: Type.Array(Dataset),
    meta: Meta,
    errors: [],
  },
  deleteDatasets: {
    method: "POST",
    path: "/dataset/bulk-delete",
    access: "ConfigService:Dataset:delete",
    tag: "Datasets",
    audits: "dataset",
    summary: "Delete datasets, all or none",
    description: "409 when jobs refer to one of them, unless forced.",
    query: Forced,
    body: BulkDeleteRequest,
    data: BulkDeleted,
    errors: ["INVALID_STATE"],
  },
  getDatasetByName: {
    method: "GET",
    path: "/dataset/name/:datasetName",
    access: "ConfigService:Dataset:read",
    tag: "Datasets",
    summary: "Read what is known of a dataset, by its name",
    params: Type.Object({ datasetName: DatasetName }),
    data: Dataset,
    errors: ["NOT_FOUND"],
  },
  deleteDataset: {
    method: "DELETE",
    path: "/dataset/delete/:id",
    access: "ConfigService:Dataset:delete",
    tag: "Datasets",
    audits: "dataset",
    summary: "Delete a dataset",
    description: "409 when jobs refer to it, unless forced.",
    params: byId,
    query: Forced,
    data: Type.Null(),
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  getDataset: {
    method: "GET",
    path: "/dataset/:id",
    access: "ConfigService:Dataset:read",
    tag: "Datasets",
    summary: "Read what is known of a dataset",
    params: byId,
    data: Dataset,
    errors: ["NOT_FOUND"],
  },
  searchDatasetRows: {
    method: "POST",
    path: "/dataset/:id/rows/search",
    access: "ConfigService:Dataset:read",
    tag: "Datasets",
    summary: "Find rows of a dataset",
    description:
      "Fields to filter and sort by are the columns, and _row: the number of the row, which it is sorted by (asc) unless sortBy says otherwise. searchText is looked for in all columns of texts.",
    params: byId,
    body: Type.Object(
      {
        ...FilterRequest.properties,
        sortBy: Type.Optional(Type.String({ description: "A column; _row when it is left out." })),
        sortOrder: Type.Optional(Type.Enum(["asc", "desc"], { default: "asc" })),
      },
      { additionalProperties: false },
    ),
    data: Type.Array(DatasetRow),
    meta: Meta,
    errors: ["NOT_FOUND"],
  },
  appendDatasetRows: {
    method: "POST",
    path: "/dataset/:id/rows",
    access: "ConfigService:Dataset:upsert",
    tag: "Datasets",
    audits: "dataset",
    summary: "Append rows to a dataset, all or none",
    params: byId,
    body: AppendRequest,
    data: Dataset,
    errors: ["NOT_FOUND", "CONFLICT"],
  },
  exportDataset: {
    method: "GET",
    path: "/dataset/:id/export",
    access: "ConfigService:Dataset:read",
    tag: "Datasets",
    summary: "Download the rows of a dataset as CSV or JSON",
    params: byId,
    query: ExportQuery,
    data: Type.String(),
    givesBytes: true,
    errors: ["NOT_FOUND"],
  },
  getDatasetUsage: {
    method: "GET",
    path: "/dataset/:id/usage",
    access: "ConfigService:Dataset:read",
    tag: "Datasets",
    summary: "List the jobs that refer to a dataset",
    description: "By its id or its name, written out in the input of a step.",
    params: byId,
    data: Usage,
    errors: ["NOT_FOUND"],
  },
  datasetExists: {
    method: "GET",
    path: "/dataset/:name/exists",
    access: "ConfigService:Dataset:read",
    tag: "Datasets",
    summary: "Tell whether there is a dataset of this name",
    params: Type.Object({ name: DatasetName }),
    query: Type.Object({
      id: Type.Optional(Type.String({ format: "uuid", description: "Leaves this dataset out." })),
    }),
    data: Type.Boolean(),
    errors: [],
  },
} as const satisfies Record<string, Route>;
