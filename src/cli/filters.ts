import type { FilterRequest } from "../contract/search.ts";
import { CliError } from "./exit.ts";

type Filters = NonNullable<FilterRequest["filters"]>;

/** Filters that ask of each field to equal this, or one of these; what is undefined is not asked. */
export function where(wanted: Record<string, string | string[] | undefined>): Filters {
  const filters: Filters = {};
  for (const [field, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    const matchMode = Array.isArray(value) ? "in" : "equals";
    filters[field] = { operator: "and", constraints: [{ value, matchMode }] };
  }
  return filters;
}

/** The last moment with a year of four digits. */
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");
const UNITS: Record<string, number> = { s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7, w: 6.048e8 };

/** A moment of the command line: `90m`, `1h`, `7d` ago, or a date or time in ISO 8601. A time without a zone is local. */
export function moment(text: string, what: string, now = Date.now()): string {
  const ago = /^(\d{1,6}(?:\.\d+)?)\s*([smhdw])$/i.exec(text.trim());
  const time = ago
    ? now - Number(ago[1]) * UNITS[ago[2]!.toLowerCase()]!
    : /^\d{4}-\d{2}-\d{2}/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (!(time >= 0 && time <= LAST_MS)) {
    throw new CliError(
      "usage",
      `${what} takes an age such as 30m, 1h or 7d, or a time such as 2026-11-21T09:30Z, not "${text}".`,
    );
  }
  return new Date(time).toISOString();
}
