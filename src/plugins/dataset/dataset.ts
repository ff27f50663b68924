import Type from "typebox";
import { columnTypes } from "../../contract/dataset.ts";
import { defineStepType, type InputFault } from "../plugin.ts";
import { askerOf, isWrittenOut, requireNoSecret, type StepResources } from "../resources.ts";

const Cell = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

const DatasetInput = Type.Object(
  {
    dataset: Type.String({
      minLength: 1,
      maxLength: 200,
      title: "Dataset",
      description: "Its name or its id.",
    }),
    action: Type.Optional(
      Type.Enum(["read", "append"], {
        title: "Action",
        default: "read",
        description: "read gives rows, append adds rows at the end, all or none.",
      }),
    ),
    filters: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        title: "Filters",
        description: "Of read: by column, as in every search: { day: { operator, constraints } }.",
      }),
    ),
    searchText: Type.Optional(
      Type.String({ maxLength: 256, title: "Text", description: "Of read: looked for in columns of text." }),
    ),
    sortBy: Type.Optional(
      Type.String({
        maxLength: 200,
        title: "Sort by",
        description: "Of read: a column; the number of the row when left out.",
      }),
    ),
    sortOrder: Type.Optional(
      Type.Enum(["asc", "desc"], { title: "Order", default: "asc", description: "Of read." }),
    ),
    page: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        default: 0,
        title: "Page",
        description: "Of read, from 0.",
      }),
    ),
    size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: 1_000,
        title: "Most rows",
        description: "Of read: rows of a page.",
      }),
    ),
    rows: Type.Optional(
      Type.Array(Type.Record(Type.String(), Cell), {
        minItems: 1,
        maxItems: 10_000,
        title: "Rows",
        description: "Of append: by the names of the columns; one that is left out is null.",
      }),
    ),
  },
  { additionalProperties: false },
);

const OF_READ = ["filters", "searchText", "sortBy", "sortOrder", "page", "size"] as const;

export function dataset(resources: StepResources) {
  return defineStepType({
    name: "dataset",
    title: "Dataset",
    description: "Reads rows of a dataset, or appends rows to it.",
    input: DatasetInput,
    output: Type.Object({
      rows: Type.Optional(
        Type.Array(Type.Record(Type.String(), Cell), {
          description: "Of read, by the names of the columns.",
        }),
      ),
      total: Type.Integer({ description: "Of read: rows of all pages. Of append: rows that there are now." }),
      columns: Type.Optional(
        Type.Array(Type.Object({ name: Type.String(), type: Type.Enum([...columnTypes]) }), {
          description: "Of read: name and type of each.",
        }),
      ),
      appended: Type.Optional(Type.Integer({ description: "Of append: how many rows were added." })),
    }),
    async run({ input, scope, signal, mask }) {
      const asker = askerOf({ scope, signal });
      if (input.action === "append") {
        const rows = input.rows ?? [];
        requireNoSecret(mask, "What is to be appended", JSON.stringify(rows));
        return { appended: rows.length, total: await resources.addRows(input.dataset, rows, asker) };
      }
      const { dataset: name, action: _, rows: __, size = 1_000, ...request } = input;
      // Filters are checked by the search itself, which knows the columns.
      const asked = { ...request, size } as Parameters<StepResources["readRows"]>[1];
      const found = await resources.readRows(name, asked, asker);
      return { rows: found.rows, total: found.total, columns: found.columns };
    },
    check: inputFaults,
    references: ({ dataset: name, action }) => [
      {
        kind: "dataset",
        access: action === "append" ? "upsert" : "read",
        name: isWrittenOut(name) ? name : undefined,
        path: "/dataset",
      },
    ],
  });
}

function inputFaults(input: Record<string, unknown>): InputFault[] {
  if (input.action === "append") {
    const foreign = OF_READ.filter((name) => input[name] !== undefined);
    return [
      ...(input.rows === undefined ? [{ path: "/rows", message: "is required to append." }] : []),
      ...foreign.map((name) => ({ path: `/${name}`, message: "is for action read." })),
    ];
  }
  return input.rows === undefined ? [] : [{ path: "/rows", message: "is for action append." }];
}
