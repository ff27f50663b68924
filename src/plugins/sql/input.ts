import Type, { type Static } from "typebox";
import type { InputFault } from "../plugin.ts";

const MIB = 1024 * 1024;
const minute = 60_000;

export const SqlInput = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      maxLength: 1_000_000,
      title: "Statement",
      description:
        "One statement, sent as it is: {{ … }} has no meaning in it. Where a value belongs write $1, $2 … (PostgreSQL) or ? (MySQL).",
    }),
    values: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: 10_000,
        title: "Values",
        description:
          "Bound to the places in the statement, in order. Objects are JSON; lists are arrays in PostgreSQL and JSON in MySQL.",
      }),
    ),
    maxRows: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        default: 1_000,
        title: "Most rows",
        description: "More fail the step: half of a result is not to pass for the whole of it.",
      }),
    ),
    maxBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 16 * MIB,
        default: MIB,
        title: "Largest result (bytes)",
        description: "More fail the step. The limit on a step's output still applies.",
      }),
    ),
    maxDurationMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 24 * 60 * minute,
        default: 5 * minute,
        title: "Longest time (ms)",
        description: "Of the statement, which is ended on the server then.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type SqlInput = Static<typeof SqlInput>;

export const SqlOutput = Type.Object({
  rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description:
      "By the names of the columns. Numbers that JSON would round are texts, bytes are base64, points in time ISO 8601.",
  }),
  rowCount: Type.Integer({ description: "Rows that were read, or that were changed." }),
  columns: Type.Array(Type.String()),
  insertId: Type.Optional(
    Type.Union([Type.Integer(), Type.String()], {
      description: "MySQL: of a row with a number of its own.",
    }),
  ),
});

// `'{{1,2},{3,4}}'` is an array in PostgreSQL: only what names something of a job is meant as a template.
const TEMPLATE = /\{\{[^}]*\b(params|steps|vars|execution|job)\s*[.[][^}]*\}\}/;

/** What the schema can't say. */
export function inputFaults({ sql }: Record<string, unknown>): InputFault[] {
  const found = typeof sql === "string" ? TEMPLATE.exec(sql)?.[0] : undefined;
  if (found === undefined) return [];
  const shown = found.length > 60 ? `${found.slice(0, 59).toWellFormed()}…` : found;
  return [
    {
      path: "/sql",
      message: `holds ${shown}, and nothing is put into the text of a statement. Write $1 (PostgreSQL) or ? (MySQL) there, and the expression in values.`,
    },
  ];
}
