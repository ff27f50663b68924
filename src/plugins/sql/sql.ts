import type { Dialer } from "../../lib/dialer.ts";
import { openSession, type SqlConnectionType, sqlConnectionTypes, sqlDatabase } from "../../lib/sql/open.ts";
import { StepError } from "../../lib/step-error.ts";
import { defineStepType } from "../plugin.ts";
import { inputFaults, SqlInput, SqlOutput } from "./input.ts";

const MIB = 1024 * 1024;
const fiveMinutes = 300_000;

export function sql(dialer: Dialer) {
  return defineStepType({
    name: "sql",
    title: "SQL statement",
    description: "Runs a statement in a PostgreSQL or MySQL database and gives its rows.",
    input: SqlInput,
    output: SqlOutput,
    connectionTypes: sqlConnectionTypes,
    connectionRequired: true,
    // Values are bound: an expression in the text would be an injection.
    verbatim: ["sql"],
    check: inputFaults,
    async run({ input, signal, connection }) {
      const { maxRows = 1_000, maxBytes = MIB, maxDurationMs = fiveMinutes, values = [] } = input;
      const database = sqlDatabase(connection!.connectionType as SqlConnectionType, connection!.variables);
      const late = new AbortController();
      const ended = AbortSignal.any([signal, late.signal]);
      const session = await openSession(dialer, database, ended);
      const timer = setTimeout(() => late.abort(tooLong(maxDurationMs)), maxDurationMs);
      try {
        return await session.run({ sql: input.sql, values, maxRows, maxBytes }, ended);
      } finally {
        clearTimeout(timer);
        session.close();
      }
    },
  });
}

function tooLong(ms: number): StepError {
  return new StepError(
    "SQL_TIMEOUT",
    `The statement took longer than ${ms} ms and was ended. Raise maxDurationMs, or make it quicker.`,
  );
}
