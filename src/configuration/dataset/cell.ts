import { type ColumnType, columnTypes, datasetLimits } from "../../contract/dataset.ts";

/** A cell as it is kept: a text that its column's type can read, or null. */
export type Cell = string | null;

// PostgreSQL reads these texts too, for filters and sorts: what passes here must never fail there.
const integer = /^[ \t]*-?(0|[1-9]\d{0,15})[ \t]*$/;
const number = /^[ \t]*-?(0|[1-9]\d{0,399})(\.\d{1,400})?([eE][+-]?\d{1,4})?[ \t]*$/;
const boolean = /^[ \t]*(true|false)[ \t]*$/i;
const date = /^[ \t]*(\d{4}-\d\d-\d\d)[ \t]*$/;
const timestamp =
  /^[ \t]*(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)[ \t]*$/;

const readable: Record<ColumnType, (text: string) => boolean> = {
  string: () => true,
  integer: (text) => integer.test(text) && Number.isSafeInteger(Number(text)),
  number: (text) => number.test(text) && isKept(text),
  boolean: (text) => boolean.test(text),
  date: (text) => isDay(date.exec(text)?.[1]),
  timestamp: (text) => isDay(timestamp.exec(text)?.[1]),
};

export const typeWords: Record<ColumnType, string> = {
  string: "a text",
  integer: "a whole number of 9007199254740991 at most",
  number: "a number such as -1.5 that loses no digits",
  boolean: "true or false",
  date: "a date such as 2026-01-31",
  timestamp: "a time with its zone, such as 2026-01-31T09:30:00Z",
};

/** Whether a text is a value of this type. */
export function fits(type: ColumnType, text: string): boolean {
  return readable[type](text);
}

/** The value that a cell stands for. */
export function cellValue(type: ColumnType, cell: Cell): string | number | boolean | null {
  if (cell === null) return null;
  switch (type) {
    case "integer":
    case "number":
      return Number(cell);
    case "boolean":
      return cell.trim().toLowerCase() === "true";
    case "date":
      return cell.trim();
    case "timestamp":
      return new Date(cell.trim()).toISOString();
    default:
      return cell;
  }
}

/** The texts of a type that JSON has by itself; a string of it may be any of the others. */
const fromJson: Record<string, readonly ColumnType[]> = {
  number: ["integer", "number", "string"],
  boolean: ["boolean", "string"],
  string: ["date", "timestamp", "string"],
};

/** Finds the narrowest type that all cells of a column are readable as. */
export class Guess {
  #left: readonly ColumnType[] = ["boolean", "integer", "number", "date", "timestamp", "string"];
  #seen = false;

  /** @param jsonType what JSON had it as; left out for texts that can stand for anything */
  see(text: string, jsonType?: string): void {
    this.#seen = true;
    // Most columns are of texts, and soon known to be.
    if (this.#left.length === 1) return;
    const possible = fromJson[jsonType ?? ""] ?? columnTypes;
    this.#left = this.#left.filter((type) => possible.includes(type) && fits(type, text));
  }

  get type(): ColumnType {
    return this.#seen ? this.#left[0]! : "string";
  }
}

/** The characters of a row. */
export function charsOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
}

/** What is wrong with a text as a cell of any type. */
export function textFault(text: string): string | undefined {
  if (text.length > datasetLimits.cellChars) return `has more than ${datasetLimits.cellChars} characters.`;
  if (text.includes("\0") || !text.isWellFormed()) return "contains a character that can't be kept.";
  return undefined;
}

/** Neither endless, nor so small that a double would make it zero, which PostgreSQL refuses, nor whole and short of digits as a double. */
function isKept(text: string): boolean {
  const value = Number(text);
  if (/^[ \t]*-?\d+[ \t]*$/.test(text)) return Number.isSafeInteger(value);
  return (
    Number.isFinite(value) &&
    (value !== 0 ? Math.abs(value) >= 2.3e-308 : !/[1-9]/.test(text.split(/e/i)[0]!))
  );
}

/** PostgreSQL knows no year 0. */
function isDay(text: string | undefined): boolean {
  if (text === undefined) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= days;
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
